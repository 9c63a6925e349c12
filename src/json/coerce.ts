import type * as z from 'zod'
import { defOf, isObject, type Issue, type Path, unknownKeyIssues } from './issues.ts'
import { MAX_JSON_DEPTH } from './limits.ts'
import { looksLikeJson, readJson } from './parse.ts'

/** Where a walk is, and what it has found so far: text that is no JSON, and keys that nobody knows. */
type Walk = { path: Path; issues: Array<Issue> }

const into = ({ path, issues }: Walk, key: PropertyKey): Walk => ({ path: [...path, key], issues })

/** Whether a value says nothing, in one of the ways in which models leave something out. */
export const isLeftOut = (value: unknown): boolean =>
  typeof value === 'string'
    ? /^\s*(?:null|undefined|None|\[\s*\]|\{\s*\})?\s*$/.test(value)
    : value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0)

/** The list or object that a text stands for; a text that was meant as JSON and is none is an issue. */
const decode = (value: unknown, { path, issues }: Walk): unknown => {
  if (typeof value !== 'string') return value
  const { data, error } = readJson(value)
  if (error !== null && looksLikeJson(value)) issues.push({ path, invalidJson: error.reason })
  return typeof data?.value === 'object' ? data.value ?? value : value
}

// `[slug].md` is a text; a text that begins so is a list.
const LIST_OF_TEXTS = /^\s*(?:\[\s*["'“\]]|"\[)|^\s*(?:```|~~~)\w*\s*\[/

const readList = (given: unknown, element: z.core.$ZodType, walk: Walk): unknown => {
  if (isLeftOut(given)) return []
  const isOfTexts = defOf(element).type === 'string'
  const isText = isOfTexts && typeof given === 'string' && !LIST_OF_TEXTS.test(given)
  const value = isText ? given : decode(given, walk)
  const list = isText || (!isOfTexts && isObject(value)) ? [value] : value
  return Array.isArray(list) ? list.map((item, index) => read(item, element, into(walk, index))) : list
}

const isOnly = (value: unknown, key: string): value is Record<string, unknown> =>
  isObject(value) && Object.keys(value).length === 1 && Object.hasOwn(value, key)

/** The payload of a wrapper such as `{"rules": […]}` that was left out, or put around more than once. */
const toWrapped = (value: unknown, shape: z.core.$ZodShape): unknown => {
  const [[key = '', list] = [], ...others] = Object.entries(shape)
  const def = list && defOf(list)
  if (def?.type !== 'array' || others.length > 0) return value
  if (Array.isArray(value)) return { [key]: value }
  if (isOnly(value, key)) {
    const within = decode(value[key], { path: [], issues: [] })
    return isOnly(within, key) ? toWrapped(within, shape) : value
  }
  const item = defOf(def.element)
  const isItem = isObject(value) && !Object.hasOwn(value, key) && item.type === 'object'
    && Object.keys(value).some((name) => Object.hasOwn(item.shape, name))
  return isItem ? { [key]: value } : value
}

const readObject = (given: unknown, shape: z.core.$ZodShape, walk: Walk): unknown => {
  const value = toWrapped(decode(given, walk), shape)
  if (!isObject(value)) return value
  const unknown: Array<string> = []
  const entries = Object.entries(value).flatMap(([name, item]) => {
    const schema = Object.hasOwn(shape, name) ? shape[name] : undefined
    if (schema === undefined && !isLeftOut(item)) unknown.push(name)
    const meant = schema && read(item, schema, into(walk, name))
    return meant === undefined ? [] : [[name, meant]]
  })
  walk.issues.push(...unknownKeyIssues(unknown, shape, value, walk.path))
  return Object.fromEntries(entries)
}

const read = (value: unknown, schema: z.core.$ZodType, walk: Walk): unknown => {
  const def = defOf(schema)
  const isText = typeof value === 'string'
  if (walk.path.length > MAX_JSON_DEPTH) return value
  if (def.type === 'array') return readList(value, def.element, walk)
  if (def.type === 'object') return readObject(value, def.shape, walk)
  if (def.type === 'default') return read(value, def.innerType, walk)
  if (def.type === 'optional') {
    const isKept = (isText && defOf(def.innerType).type === 'string') || !isLeftOut(value)
    return isKept ? read(value, def.innerType, walk) : undefined
  }
  if (def.type !== 'enum' || !isText) return value
  return Object.values(def.entries).find((word) => word === value.trim().toLowerCase()) ?? value
}

/**
 * Reads a value as its schema shows that it was meant (spec.md, Tolerance): JSON text where an object or a list is
 * expected, a lone item in place of a list, a payload without its wrapper or with one too many, what says nothing
 * where something is optional or unknown, capitals in an enum word. A text where a text is expected is never touched.
 *
 * @returns the value; text that cannot be read and keys that nobody knows are issues
 */
export const asMeant = (
  value: unknown,
  schema: z.core.$ZodType,
): { value: unknown; issues: Array<Issue> } => {
  const walk: Walk = { path: [], issues: [] }
  return { value: read(value, schema, walk), issues: walk.issues }
}
