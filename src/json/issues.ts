import leven from 'leven'
import type * as z from 'zod'

/** Where something is wrong: a path in what came. */
export type Path = Array<PropertyKey>

/** One thing that is wrong: what was `expected` and `got`, why a text is `invalidJson`, or a `message`; and a valid `example`. */
export type Issue =
  & { path: Path }
  & { [part in 'expected' | 'got' | 'invalidJson' | 'message' | 'example']?: string }

/** How many faults one answer lists. */
export const MAX_ISSUES = 20

/** Puts an issue into words; `isKnown` where an earlier line said what was expected. */
export const wordsOf = ({ expected, got, invalidJson, message }: Issue, isKnown = false): string => {
  if (expected === undefined) return message ?? `Invalid JSON: ${invalidJson}`
  return got ? `expected ${isKnown ? 'the same' : expected}; got ${got}` : `missing, expected ${expected}`
}

const SHOWN = 60

/** A text, or its first UTF-16 units with an ellipsis after them. */
export const shorten = (text: string, length = SHOWN): string =>
  text.length > length ? `${text.slice(0, length)}…` : text

/** A text in quotes, shortened, as it is shown to a model. */
export const quote = (text: string, length = SHOWN): string => JSON.stringify(shorten(text, length))

/** What a schema is, by its `type`. */
export const defOf = (schema: z.core.$ZodType): z.core.$ZodTypes['_zod']['def'] =>
  (schema as z.core.$ZodTypes)._zod.def

/** Gives the list that is all of an object's shape, as in `{"rules": […]}`, and its key. */
export const onlyListOf = (shape: z.core.$ZodShape): [key: string, list: z.core.$ZodArray] | undefined => {
  const [[key = '', schema] = [], ...others] = Object.entries(shape)
  return others.length === 0 && schema && defOf(schema).type === 'array'
    ? [key, schema as z.core.$ZodArray]
    : undefined
}

/** Whether a value is an object and no list. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** What came, shortened: its type and, where it is short enough to help, the value. */
export const describeValue = (value: unknown): string => {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return `a list of ${value.length}`
  if (typeof value === 'string') return quote(value)
  if (typeof value !== 'object') return `the ${typeof value} ${String(value)}`
  return `an object with ${shorten(Object.keys(value).slice(0, 6).join(', ')) || 'no keys'}`
}

/** Words that a key is unknown, with the known name that it likely stands for. */
export const unknownKey = (key: string, known: Array<string>): string => {
  const word = key.toLowerCase()
  const distance = (name: string): number => leven(word, name.toLowerCase())
  const isNear = (name: string): boolean =>
    word.includes(name) || name.includes(word) || distance(name) <= Math.max(1, (name.length + 1) / 3)
  const likely = known.filter(isNear).toSorted((a, b) => distance(a) - distance(b))[0]
  return likely ? `unknown, did you mean "${likely}"?` : `unknown, known here: ${known.join(', ')}`
}

/** Whether a model left a value out, in any of the ways in which models do that. */
export const isLeftOut = (value: unknown): boolean =>
  typeof value === 'string'
    ? /^(?:null|undefined|None|""|\[\s*\]|\{\s*\})?$/.test(value.trim())
    : value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0)

/** Makes an issue of each key of the object at `path` that its shape does not know, unless it was left out. */
export const unknownIssues = (shape: z.core.$ZodShape, value: Record<string, unknown>, path: Path) => {
  const keys = Object.keys(value).filter((name) => !Object.hasOwn(shape, name) && !isLeftOut(value[name]))
  const known = Object.keys(shape)
  return keys.map((key, index): Issue => ({
    path: [...path, key],
    // An answer lists no more issues, and looking for likely names is slow.
    message: index < MAX_ISSUES ? unknownKey(key, known) : 'unknown',
  }))
}

const TYPES: Record<string, string> = { array: 'a list', boolean: 'true or false', object: 'an object' }

/** What a schema found wrong, by its path; the check has to report its input. */
export const toIssue = (issue: z.core.$ZodIssue): Issue => {
  const { code, path, input } = issue
  const got = input === undefined ? undefined : describeValue(input)
  if (code === 'invalid_type') return { path, expected: TYPES[issue.expected] ?? `a ${issue.expected}`, got }
  if (code === 'invalid_value') return { path, expected: `one of ${issue.values.join(', ')}`, got }
  if (code === 'invalid_union') {
    const all = issue.errors.flat().map((one) => toIssue({ ...one, path: [...path, ...one.path] }))
    // The fault within a list tells more than that the list is no text.
    return all.find((one) => one.path.length > path.length)
      ?? { path, expected: all.map(({ expected }) => expected).join(' or '), got }
  }
  return { path, message: issue.message }
}
