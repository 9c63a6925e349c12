/** Adds a rule folder or file to the text of a config. Keeps comments, order and layout. */
import { applyEdits, type JSONPath, modify, type Node, parse, parseTree } from 'jsonc-parser/lib/esm/main.js'
import { randomUUID } from 'node:crypto'
import { isObject } from '../json/issues.ts'

const indentOf = (text: string): string => /^(?: +|\t)/m.exec(text)?.[0] ?? '  '

/** Lists the keys that a later, equal key of the same object overrides. */
const overriddenKeys = ({ type, children = [] }: Node): Array<Node> => {
  if (type !== 'object') return children.flatMap(overriddenKeys)
  const lastKeys = new Map(children.map(({ children: [key] = [] }) => [key?.value, key]))
  return children.flatMap(({ children: [key, value] = [] }) => [
    ...(key && key !== lastKeys.get(key.value) ? [key] : []),
    ...(value ? overriddenKeys(value) : []),
  ])
}

/**
 * Edits a JSON text in which an object may repeat a key. The host uses the last of equal keys, but `modify` would
 * change the first, so each overridden key has a unique name while `edit` runs.
 */
const withUniqueKeys = (text: string, edit: (text: string) => string): string => {
  const tree = parseTree(text)
  const renamed = (tree ? overriddenKeys(tree) : []).map(({ offset, length }) => ({
    offset,
    key: text.slice(offset, offset + length),
    name: JSON.stringify(randomUUID()),
  }))
  const unique = renamed.reduceRight(
    (edited, { offset, key, name }) => edited.slice(0, offset) + name + edited.slice(offset + key.length),
    text,
  )
  return renamed.reduce((edited, { key, name }) => edited.replace(name, () => key), edit(unique))
}

const setValue = (text: string, path: JSONPath, value: unknown, isArrayInsertion = false): string => {
  const indent = indentOf(text)
  const formattingOptions = { insertSpaces: indent !== '\t', tabSize: indent.length, eol: '\n' }
  return withUniqueKeys(
    text,
    (unique) => applyEdits(unique, modify(unique, path, value, { formattingOptions, isArrayInsertion })),
  )
}

/** Appends a value to a list; creates the list if there is none. */
const append = (text: string, path: JSONPath, list: unknown, value: string): string =>
  Array.isArray(list) ? setValue(text, [...path, list.length], value, true) : setValue(text, path, [value])

/** Adds a folder to the option `rules.directories` of the entry at an index of `plugin`. */
export const withDirectory = (text: string, index: number, folder: string): string => {
  const entry: unknown = Object(parse(text)).plugin?.[index]
  const entryPath = ['plugin', index]
  const rules = { directories: [folder] }
  if (!Array.isArray(entry)) return setValue(text, entryPath, [entry, { rules }])
  const options: unknown = entry[1]
  // SAT ignores options that are not an object, so nothing is lost by replacing them.
  if (!isObject(options)) return setValue(text, [...entryPath, 1], { rules }, entry.length === 1)
  const rulesPath = [...entryPath, 1, 'rules']
  if (!isObject(options['rules'])) return setValue(text, rulesPath, rules)
  return append(text, [...rulesPath, 'directories'], options['rules']['directories'], folder)
}

/** Adds a file to OpenCode's own `instructions`. */
export const withInstruction = (text: string, file: string): string =>
  append(text, ['instructions'], Object(parse(text)).instructions, file)
