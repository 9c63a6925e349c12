import * as z from 'zod'
import { isObject } from './schema-issues.ts'
import { looksLikeJson, type ParseFault, readJson } from './tolerant-json.ts'
import { MAX_JSON_DEPTH } from './value-size.ts'

/** A text that stands where an object or a list is expected, and why it cannot be read as one. */
export type TextFault = { path: Array<PropertyKey> } & ParseFault

type Read = { value: unknown; faults: Array<TextFault> }

type Walk = (value: unknown, schema: z.core.$ZodType, path: Array<PropertyKey>) => unknown

const isBlank = (value: unknown): boolean => typeof value === 'string' && value.trim() === ''

/** The one key of a wrapper such as `{"rules": […]}`, and what its list holds. */
const wrapperOf = (schema: z.ZodObject): { key: string; element: z.core.$ZodType } | undefined => {
  const entries = Object.entries(schema.shape)
  const [key, list] = entries[0] ?? []
  return entries.length === 1 && key !== undefined && list instanceof z.ZodArray
    ? { key, element: list.element }
    : undefined
}

const isOnly = (value: unknown, key: string): value is Record<string, unknown> =>
  isObject(value) && Object.keys(value).length === 1 && Object.hasOwn(value, key)

const readText = (value: unknown): unknown =>
  typeof value === 'string' && looksLikeJson(value) ? readJson(value).data : value

/** A payload without the wrappers around its own: `{"rules":{"rules":[…]}}`, where the argument has the payload's name. */
const unwrap = (value: unknown, key: string): unknown => {
  let payload = value
  while (isOnly(payload, key)) {
    const within = readText(payload[key])
    if (!isOnly(within, key)) return payload
    payload = within
  }
  return payload
}

/** The word of an enum that differs from a text by nothing but capitals and blanks around it. */
const enumWord = (value: unknown, words: Array<unknown>): unknown => {
  if (typeof value !== 'string') return value
  const word = value.trim().toLowerCase()
  return words.find((known) => typeof known === 'string' && known.toLowerCase() === word) ?? value
}

/**
 * Reads a value as its schema shows that it was meant (spec.md, Tolerance): JSON text where an object or a list is
 * expected, a bare list or a lone item without its wrapper, a wrapper too many, `null` or a blank enum word for what is
 * optional, capitals in an enum word. A text where a text is expected is never touched.
 */
export const asMeant = (input: unknown, schema: z.core.$ZodType): Read => {
  const faults: Array<TextFault> = []

  const decode = (value: unknown, path: Array<PropertyKey>): unknown => {
    if (typeof value !== 'string' || !looksLikeJson(value)) return value
    const read = readJson(value)
    if (read.error === null) return read.data
    faults.push({ path, ...read.error })
    return value
  }

  const isMeantAs = (value: unknown, item: z.core.$ZodType): boolean =>
    isObject(value) && item instanceof z.ZodObject && item.safeParse(asMeant(value, item).value).success

  const walk: Walk = (given, expected, path) => {
    if (path.length > MAX_JSON_DEPTH) return given
    if (expected instanceof z.ZodOptional) {
      const inner = expected.unwrap()
      const isLeftOut = given === null || given === undefined
        || (inner instanceof z.ZodEnum && isBlank(given))
      return isLeftOut ? undefined : walk(given, inner, path)
    }
    if (expected instanceof z.ZodEnum) return enumWord(given, expected.options)
    if (expected instanceof z.ZodArray) {
      const list = decode(given, path)
      return Array.isArray(list)
        ? list.map((item, index) => walk(item, expected.element, [...path, index]))
        : list
    }
    if (!(expected instanceof z.ZodObject)) return given

    const wrapper = wrapperOf(expected)
    const decoded = decode(given, path)
    const value = wrapper === undefined ? decoded : unwrap(decoded, wrapper.key)
    if (wrapper !== undefined && Array.isArray(value)) return walk({ [wrapper.key]: value }, expected, path)
    if (wrapper !== undefined && isMeantAs(value, wrapper.element)) {
      return walk({ [wrapper.key]: [value] }, expected, path)
    }
    if (!isObject(value)) return value
    const entries = Object.entries(value).map(([key, item]): [string, unknown] => {
      const known = Object.hasOwn(expected.shape, key) ? expected.shape[key] : undefined
      return [key, known === undefined ? item : walk(item, known, [...path, key])]
    })
    return Object.fromEntries(entries.filter(([, item]) => item !== undefined))
  }

  return { value: walk(input, schema, []), faults }
}
