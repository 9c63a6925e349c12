/** Coerces an argument from a model to its schema: walks down the schema, and repairs each value. */
import type * as z from 'zod'
import { defOf, isObject, isOmitted, type Issue, onlyListOf, type Path, unknownKeyIssues } from './issues.ts'
import { MAX_JSON_DEPTH } from './limits.ts'
import { looksLikeJson, parseJson } from './parse-json.ts'

/**
 * Coerces a value to a schema if the intent is clear: decodes JSON text, puts a single item into a list, adds or
 * removes a wrapper such as `{"rules": […]}`, and omits unknown keys. Other wrong values stay. The issues report only
 * invalid JSON text and unknown keys whose value is not empty.
 */
export const coerceToSchema = (value: unknown, schema: z.core.$ZodType) => {
  const issues: Array<Issue> = []
  return { value: coerce(value, schema, { path: [], issues }), issues }
}

/** The path of the current value, and the list that collects the issues of all values. */
type Walk = { path: Path; issues: Array<Issue> }

const walkInto = (key: PropertyKey, { path, issues }: Walk): Walk => ({ path: [...path, key], issues })

const coerce = (value: unknown, schema: z.core.$ZodType, walk: Walk): unknown => {
  const def = defOf(schema)
  if (walk.path.length > MAX_JSON_DEPTH) return value
  if (def.type === 'object') return coerceObject(value, def.shape, walk)
  if (def.type === 'array') return coerceList(value, def.element, walk)
  if (def.type === 'default') return coerce(value, def.innerType, walk)
  if (def.type === 'enum') return coerceWord(value, Object.values(def.entries))
  if (def.type !== 'optional') return value
  // The texts `null` and `[]` mean that the value is omitted, unless a text is expected.
  const isContent = typeof value === 'string' && defOf(def.innerType).type === 'string'
  if (isOmitted(value) && !isContent) return undefined
  return coerce(value, def.innerType, walk)
}

/** Decodes the JSON text of an object or a list. Adds an issue if the text looks like JSON, but is invalid. */
const decode = (value: unknown, { path, issues }: Walk): unknown => {
  if (typeof value !== 'string') return value
  const { data, error } = parseJson(value)
  if (error !== null && looksLikeJson(value)) issues.push({ path, invalidJson: error })
  return typeof data?.value === 'object' ? data.value : value
}

const coerceObject = (sent: unknown, shape: z.core.$ZodShape, walk: Walk): unknown => {
  const value = wrap(decode(sent, walk), shape)
  if (!isObject(value)) return value
  walk.issues.push(...unknownKeyIssues(shape, value, walk.path))
  const properties = Object.entries(shape).filter(([name]) => Object.hasOwn(value, name))
    .map(([name, schema]) => [name, coerce(value[name], schema, walkInto(name, walk))])
  return Object.fromEntries(properties)
}

/** Wraps a bare list, or a bare item of it, if the schema is an object with only a list: `[…]` → `{"rules": […]}` */
const wrap = (value: unknown, shape: z.core.$ZodShape): unknown => {
  const [key, list] = onlyListOf(shape) ?? []
  if (key === undefined || list === undefined) return value
  const element = defOf(list._zod.def.element)
  // A bare item lacks the key `rules`, but has a key of an item, such as `action`.
  const isItem = isObject(value) && !Object.hasOwn(value, key) && element.type === 'object'
    && Object.keys(value).some((name) => Object.hasOwn(element.shape, name))
  return Array.isArray(value) || isItem ? { [key]: value } : value
}

const coerceList = (sent: unknown, element: z.core.$ZodType, walk: Walk): unknown => {
  if (isOmitted(sent)) return []
  const isListOfTexts = defOf(element).type === 'string'
  const value = isListOfTexts && typeof sent === 'string' ? decodeTexts(sent, walk) : decode(sent, walk)
  if (isDoubledWrapper(value, walk)) return coerceList(Object.values(value)[0], element, walk)
  // An object in place of a list becomes its only item. In place of a list of texts, an object stays wrong.
  const list = isObject(value) && !isListOfTexts ? [value] : value
  return Array.isArray(list) ? list.map((item, index) => coerce(item, element, walkInto(index, walk))) : list
}

/** Whether the value of a key is an object with only this key: `{"rules":[]}` in `{"rules":{"rules":[]}}`. */
const isDoubledWrapper = (value: unknown, { path }: Walk): value is Record<string, unknown> =>
  isObject(value) && Object.keys(value).length === 1 && Object.hasOwn(value, String(path.at(-1)))

/** Matches `["a"` and `[]`, possibly in a fence or encoded twice, but not `[slug].md`. */
const LIST_START = /^\s*(?:(?:```|~~~)\w*\s*)?"?\[\s*(?:\\?["'“”‘’]|\])/
const LIST_END = /\][\s"';`~]*$/ // `]`, `]"`, `];`

/** Decodes a text that was sent instead of a list of texts: `["a"]` → `['a']`. Any other text becomes the only item. */
const decodeTexts = (text: string, walk: Walk): unknown => {
  if (!LIST_START.test(text)) {
    // Unless the text is a doubled wrapper, it is an item. Invalid JSON in an item is no fault, so it is not reported.
    const value = decode(text, { ...walk, issues: [] })
    return isDoubledWrapper(value, walk) ? value : [text]
  }
  const value = decode(text, walk)
  // `["a", "b"] stay sorted` is a single item, although the JSON parser ignores the words after the list.
  const hasWordsAfterList = Array.isArray(value) && !LIST_END.test(text)
  return hasWordsAfterList ? [text] : value
}

/** Finds the word that was sent with spaces, capitals or quotes: `"Must"` → `must` */
const coerceWord = (value: unknown, words: Array<unknown>): unknown => {
  if (typeof value !== 'string') return value
  const bare = value.trim().toLowerCase().replace(/^(["'`])(\w+)\1$/, '$2')
  return words.find((word) => word === bare) ?? value
}
