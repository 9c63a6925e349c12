/** Coerces an argument from a model to its schema: walks down the schema, and repairs each value. */
import type * as z from 'zod'
import { defOf, isObject, isOmitted, type Issue, onlyListOf, type Path, unknownKeyIssues } from './issues.ts'
import { MAX_JSON_DEPTH } from './limits.ts'
import { looksLikeJson, parseJson } from './parse-json.ts'

/**
 * Repairs each value whose intent is clear.
 * The issues report only invalid JSON texts, and unknown keys whose value is not empty.
 */
export const coerceToSchema = (value: unknown, schema: z.core.$ZodType) => {
  const issues: Array<Issue> = []
  return { value: coerce(value, schema, { path: [], issues }), issues }
}

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
  const isContent = typeof value === 'string' && defOf(def.innerType).type === 'string'
  if (isOmitted(value) && !isContent) return undefined
  return coerce(value, def.innerType, walk)
}

const decode = (value: unknown, { path, issues }: Walk): unknown => {
  if (typeof value !== 'string') return value
  const { data, error } = parseJson(value)
  if (error !== null && looksLikeJson(value)) issues.push({ path, invalidJson: error })
  return error === null && typeof data === 'object' ? data : value
}

const coerceObject = (sent: unknown, shape: z.core.$ZodShape, walk: Walk): unknown => {
  const value = wrap(decode(sent, walk), shape)
  if (!isObject(value)) return value
  walk.issues.push(...unknownKeyIssues(shape, value, walk.path))
  const properties = Object.entries(shape).filter(([name]) => Object.hasOwn(value, name))
    .map(([name, schema]) => [name, coerce(value[name], schema, walkInto(name, walk))])
  return Object.fromEntries(properties)
}

/** Wraps a list, or a single item, that was sent without its key: `[…]` → `{"rules": […]}` */
const wrap = (value: unknown, shape: z.core.$ZodShape): unknown => {
  const [key, list] = onlyListOf(shape) ?? []
  if (key === undefined || list === undefined) return value
  const element = defOf(list._zod.def.element)
  const isItem = isObject(value) && !Object.hasOwn(value, key) && element.type === 'object'
    && Object.keys(value).some((name) => Object.hasOwn(element.shape, name))
  return Array.isArray(value) || isItem ? { [key]: value } : value
}

const coerceList = (sent: unknown, element: z.core.$ZodType, walk: Walk): unknown => {
  if (isOmitted(sent)) return []
  const isListOfTexts = defOf(element).type === 'string'
  const value = isListOfTexts && typeof sent === 'string' ? decodeTexts(sent, walk) : decode(sent, walk)
  if (isDoubledWrapper(value, walk)) return coerceList(Object.values(value)[0], element, walk)
  const list = isObject(value) && !isListOfTexts ? [value] : value
  return Array.isArray(list) ? list.map((item, index) => coerce(item, element, walkInto(index, walk))) : list
}

/** Whether a value is the inner object of `{"rules":{"rules":[]}}`. */
const isDoubledWrapper = (value: unknown, { path }: Walk): value is Record<string, unknown> =>
  isObject(value) && Object.keys(value).length === 1 && Object.hasOwn(value, String(path.at(-1)))

/** Matches `["a"` and `[]`, possibly in a fence or encoded twice, but not `[slug].md`. */
const LIST_START = /^\s*(?:(?:```|~~~)\w*\s*)?"?\[\s*(?:\\?["'“”‘’]|\])/
const LIST_END = /\][\s"';`~]*$/ // `]`, `]"`, `];`

/** `'["a"]'` → `['a']`, and `'a'` → `['a']` */
const decodeTexts = (text: string, walk: Walk): unknown => {
  if (!LIST_START.test(text)) {
    // A text such as `[slug].md` is an item, not invalid JSON, so no issue is reported.
    const value = decode(text, { ...walk, issues: [] })
    return isDoubledWrapper(value, walk) ? value : [text]
  }
  const value = decode(text, walk)
  // `["a", "b"] stay sorted` is a single item, although the JSON parser ignores the words after the list.
  const hasWordsAfterList = Array.isArray(value) && !LIST_END.test(text)
  return hasWordsAfterList ? [text] : value
}

/** `'"Must" '` → `must` */
const coerceWord = (value: unknown, words: Array<unknown>): unknown => {
  if (typeof value !== 'string') return value
  const bare = value.trim().toLowerCase().replace(/^(["'`])(\w+)\1$/, '$2')
  return words.find((word) => word === bare) ?? value
}
