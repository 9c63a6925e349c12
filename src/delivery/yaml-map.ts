import { parse } from 'yaml'

/** Parses a YAML map; throws with the reason where the text is none. */
export const parseMap = (text: string): Record<string, unknown> => {
  const value: unknown = parse(text, { logLevel: 'error', maxAliasCount: 100 })
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('it is no map')
  return value as Record<string, unknown>
}
