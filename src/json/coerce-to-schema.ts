/** Coerces a value that a model sent to the schema that it was meant for. */
import type * as z from 'zod'
import { defOf, isObject, isOmitted, type Issue, onlyListOf, type Path, unknownIssues } from './issues.ts'
import { MAX_JSON_DEPTH } from './limits.ts'
import { looksLikeJson, parseJson } from './parse-json.ts'

/** The path of the present value, and the issues found so far: invalid JSON text and unknown keys. */
type Walk = { path: Path; issues: Array<Issue> }

const childWalk = ({ path, issues }: Walk, key: PropertyKey): Walk => ({ path: [...path, key], issues })

/** Decodes a text that is the JSON of a list or an object. Adds an issue if the text looks like JSON but is invalid. */
const decode = (value: unknown, { path, issues }: Walk): unknown => {
  if (typeof value !== 'string') return value
  const { data, error } = parseJson(value)
  if (error !== null && looksLikeJson(value)) issues.push({ path, invalidJson: error })
  return typeof data?.value === 'object' ? data.value : value
}

// The start of a list of texts in JSON, possibly in a fence or encoded twice: `["a"`, `[]`, but not `[slug].md`.
const LIST_OF_TEXTS = /^\s*(?:(?:```|~~~)\w*\s*)?"?\[\s*(?:\\?["'“”‘’]|\])/
// The end of such a list. `["a", "b"] stay sorted` ends otherwise.
const LIST_END = /\][\s"';`~]*$/

const coerceList = (sent: unknown, element: z.core.$ZodType, walk: Walk): unknown => {
  if (isOmitted(sent)) return []
  const isOfTexts = defOf(element).type === 'string'
  // A text in place of a list of texts is the list as JSON, or the only item. An item need not be valid JSON.
  const isText = isOfTexts && typeof sent === 'string'
  const isItem = isText && !LIST_OF_TEXTS.test(sent)
  const value = decode(sent, isItem ? { ...walk, issues: [] } : walk)
  const name = String(walk.path.at(-1))
  // The wrapper is doubled: `{"rules":{"rules":[]}}`.
  if (isObject(value) && Object.keys(value).join() === name) return coerceList(value[name], element, walk)
  if (isItem || isText && Array.isArray(value) && !LIST_END.test(sent)) return [sent]
  const list = isObject(value) && !isOfTexts ? [value] : value
  return Array.isArray(list) ? list.map((item, index) => coerce(item, element, childWalk(walk, index))) : list
}

/** Adds a missing wrapper such as `{"rules": […]}`. */
const wrap = (value: unknown, shape: z.core.$ZodShape): unknown => {
  const [key, list] = onlyListOf(shape) ?? []
  if (key === undefined || list === undefined) return value
  const item = defOf(list._zod.def.element)
  const isItem = isObject(value) && !Object.hasOwn(value, key) && item.type === 'object'
    && Object.keys(value).some((name) => Object.hasOwn(item.shape, name))
  return Array.isArray(value) || isItem ? { [key]: value } : value
}

const coerceObject = (sent: unknown, shape: z.core.$ZodShape, walk: Walk): unknown => {
  const value = wrap(decode(sent, walk), shape)
  if (!isObject(value)) return value
  walk.issues.push(...unknownIssues(shape, value, walk.path))
  const sentProperties = Object.entries(shape).filter(([name]) => Object.hasOwn(value, name))
  return Object.fromEntries(
    sentProperties.map(([name, schema]) => [name, coerce(value[name], schema, childWalk(walk, name))]),
  )
}

const coerce = (value: unknown, schema: z.core.$ZodType, walk: Walk): unknown => {
  const def = defOf(schema)
  if (walk.path.length > MAX_JSON_DEPTH) return value
  if (def.type === 'array') return coerceList(value, def.element, walk)
  if (def.type === 'object') return coerceObject(value, def.shape, walk)
  if (def.type === 'default') return coerce(value, def.innerType, walk)
  if (def.type === 'optional') {
    // Where a text is expected, a text such as `null` is meant.
    const isText = typeof value === 'string' && defOf(def.innerType).type === 'string'
    return isText || !isOmitted(value) ? coerce(value, def.innerType, walk) : undefined
  }
  if (def.type !== 'enum' || typeof value !== 'string') return value
  const bare = value.trim().toLowerCase().replace(/^(["'`])(\w+)\1$/, '$2')
  return Object.values(def.entries).find((word) => word === bare) ?? value
}

/**
 * Coerces a value to a schema where the intent is clear: JSON text to an object or a list, a single item to a list, a
 * missing or doubled wrapper, an empty value for an optional or unknown key, capitals in an enum value. Text stays
 * unchanged if the schema expects text. Returns the value, and the issues: invalid JSON text and unknown keys.
 */
export const coerceToSchema = (value: unknown, schema: z.core.$ZodType) => {
  const issues: Array<Issue> = []
  return { value: coerce(value, schema, { path: [], issues }), issues }
}
