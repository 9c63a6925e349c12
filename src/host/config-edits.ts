/** Adds a rule folder or file to a config. Comments, order and layout stay. */
import { applyEdits, type JSONPath, modify, type Node, parse, parseTree } from 'jsonc-parser/lib/esm/main.js'
import { randomUUID } from 'node:crypto'
import { isObject } from '../json/issues.ts'

const indentOf = (text: string): string => /^(?: +|\t)/m.exec(text)?.[0] ?? '  '

/** Lists the keys that a later key of the same object overrides. */
const overriddenKeys = ({ type, children = [] }: Node): Array<Node> => {
  if (type !== 'object') return children.flatMap(overriddenKeys)
  const keys = new Map(children.map(({ children: [key] = [] }) => [key?.value, key]))
  return children.flatMap(({ children: [key, value] = [] }) => [
    ...(key && key !== keys.get(key.value) ? [key] : []),
    ...(value ? overriddenKeys(value) : []),
  ])
}

/**
 * Edits a text in which the last of several equal keys counts, as for the host; `modify` would change the first. While
 * `edit` runs, each overridden key has another name.
 */
const withLastKeys = (text: string, edit: (text: string) => string): string => {
  const tree = parseTree(text)
  const renamed = (tree ? overriddenKeys(tree) : []).map(({ offset, length }) => ({
    offset,
    key: text.slice(offset, offset + length),
    name: JSON.stringify(randomUUID()),
  }))
  const unique = renamed.reduceRight(
    (all, { offset, key, name }) => all.slice(0, offset) + name + all.slice(offset + key.length),
    text,
  )
  return renamed.reduce((all, { key, name }) => all.replace(name, () => key), edit(unique))
}

const setValue = (text: string, path: JSONPath, value: unknown, isArrayInsertion = false): string => {
  const indent = indentOf(text)
  const formattingOptions = { insertSpaces: indent !== '\t', tabSize: indent.length, eol: '\n' }
  return withLastKeys(
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
  const at = ['plugin', index]
  const rules = { directories: [folder] }
  if (!Array.isArray(entry)) return setValue(text, at, [entry, { rules }])
  const options: unknown = entry[1]
  // Options that are not an object are invalid, and SAT ignores them.
  if (!isObject(options)) return setValue(text, [...at, 1], { rules }, entry.length === 1)
  const to = [...at, 1, 'rules']
  if (!isObject(options['rules'])) return setValue(text, to, rules)
  return append(text, [...to, 'directories'], options['rules']['directories'], folder)
}

/** Adds a file to OpenCode's own `instructions`. */
export const withInstruction = (text: string, file: string): string =>
  append(text, ['instructions'], Object(parse(text)).instructions, file)
