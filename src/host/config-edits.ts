/** The config of SAT's entry with one more place that rules are read from, all else as it stands: comments, order, layout. */
import { applyEdits, type JSONPath, modify, parse } from 'jsonc-parser/lib/esm/main.js'
import { isObject } from '../json/issues.ts'

const indentOf = (text: string): string => /^(?: +|\t)/m.exec(text)?.[0] ?? '  '

const set = (text: string, path: JSONPath, value: unknown, isArrayInsertion = false): string => {
  const indent = indentOf(text)
  const formattingOptions = { insertSpaces: indent !== '\t', tabSize: indent.length, eol: '\n' }
  return applyEdits(text, modify(text, path, value, { formattingOptions, isArrayInsertion }))
}

/** Adds a value to the end of a list, which is made where there is none. */
const addTo = (text: string, path: JSONPath, list: unknown, value: string): string =>
  Array.isArray(list) ? set(text, [...path, list.length], value, true) : set(text, path, [value])

/** Names a folder in the option `rules.directories` of the entry with an index in `plugin`. */
export const withDirectory = (text: string, index: number, folder: string): string => {
  const entry: unknown = Object(parse(text)).plugin?.[index]
  const at = ['plugin', index]
  const [spec, options] = Array.isArray(entry) ? entry : [entry]
  const rules = { directories: [folder] }
  // What is no object there is wrong, and SAT ignores it.
  if (!isObject(options)) return set(text, at, [spec, { rules }])
  const to = [...at, 1, 'rules']
  if (!isObject(options['rules'])) return set(text, to, rules)
  return addTo(text, [...to, 'directories'], options['rules']['directories'], folder)
}

/** Names a file in OpenCode's own `instructions`. */
export const withInstruction = (text: string, file: string): string =>
  addTo(text, ['instructions'], Object(parse(text)).instructions, file)
