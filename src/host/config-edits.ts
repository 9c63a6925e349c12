/** Adds a rule folder or file to a config. Comments, order and layout stay. */
import { applyEdits, type JSONPath, modify, type Node, parse, parseTree } from 'jsonc-parser/lib/esm/main.js'
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

const PRIVATE_USE = 0xE000

/**
 * Edits a text without its overridden keys: the host reads the last of several equal keys, `modify` changes the first.
 * While `edit` runs, each overridden key is masked by a repeated character.
 */
const withLastKeys = (text: string, edit: (text: string) => string): string => {
  const tree = parseTree(text)
  const written = new Map<string, string>()
  let code = PRIVATE_USE
  let masked = text
  for (const { offset, length } of tree ? overriddenKeys(tree) : []) {
    while (text.includes(String.fromCharCode(code))) code++
    const mask = String.fromCharCode(code++)
    const [start, end] = [offset + 1, offset + length - 1]
    written.set(mask, text.slice(start, end))
    masked = masked.slice(0, start) + mask.repeat(end - start) + masked.slice(end)
  }
  return edit(masked).replace(/([\uE000-\uF8FF])\1*/g, (run, mask: string) => written.get(mask) ?? run)
}

const setValue = (text: string, path: JSONPath, value: unknown, isArrayInsertion = false): string => {
  const indent = indentOf(text)
  const formattingOptions = { insertSpaces: indent !== '\t', tabSize: indent.length, eol: '\n' }
  return withLastKeys(
    text,
    (masked) => applyEdits(masked, modify(masked, path, value, { formattingOptions, isArrayInsertion })),
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
