/** Adds a rule folder or an instruction file to the text of OpenCode's config, and keeps its comments and layout. */
import { applyEdits, type JSONPath, modify, type Node, parse, parseTree } from 'jsonc-parser/lib/esm/main.js'
import { randomUUID } from 'node:crypto'
import { isObject } from '../json/issues.ts'
import { lineEndingOf, withLineEnding, withLineFeeds } from '../text/line-ending.ts'

const overriddenKeys = ({ type, children = [] }: Node): Array<Node> => {
  const nestedKeys = children.flatMap(overriddenKeys)
  if (type !== 'object') return nestedKeys
  // The children of a property are its key and its value.
  const keys = children.flatMap((property) => property.children?.[0] ?? [])
  const lastKeys = new Map(keys.map((key) => [key.value, key]))
  return [...nestedKeys, ...keys.filter((key) => lastKeys.get(key.value) !== key)]
}

const setValue = (text: string, path: JSONPath, value: unknown): string => {
  const indent = /^(?: +|\t)/m.exec(text)?.[0] ?? '  '
  const formattingOptions = { insertSpaces: indent !== '\t', tabSize: indent.length }
  const tree = parseTree(text)
  // If a key is repeated, `modify` changes its first value, but the host reads its last value.
  // All repeated keys except the last are therefore renamed during the edit.
  const renamings = (tree ? overriddenKeys(tree) : []).map(({ offset, length }) => ({
    offset,
    length,
    content: JSON.stringify(randomUUID()),
  }))
  const renamed = applyEdits(text, renamings)
  const edits = modify(renamed, path, value, { formattingOptions })
    // `modify` uses the first line ending, which is `\n` even in a CRLF file if OpenCode added `$schema` at the top.
    .map((edit) => ({ ...edit, content: withLineEnding(withLineFeeds(edit.content), lineEndingOf(text)) }))
  let changed = applyEdits(renamed, edits)
  for (const { offset, length, content } of renamings) {
    changed = changed.replace(content, () => text.slice(offset, offset + length))
  }
  return changed
}

const append = (text: string, path: JSONPath, present: unknown, value: string): string =>
  Array.isArray(present) ? setValue(text, [...path, present.length], value) : setValue(text, path, [value])

/** Adds a folder to `rules.directories` in the options of the entry `plugin[index]`. */
export const withDirectory = (text: string, index: number, folder: string): string => {
  const entry: unknown = Object(parse(text)).plugin?.[index]
  const entryPath = ['plugin', index]
  const rules = { directories: [folder] }
  if (!Array.isArray(entry)) return setValue(text, entryPath, [entry, { rules }])
  const options: unknown = entry[1]
  if (!isObject(options)) return setValue(text, [...entryPath, 1], { rules })
  const rulesPath = [...entryPath, 1, 'rules']
  if (!isObject(options['rules'])) return setValue(text, rulesPath, rules)
  return append(text, [...rulesPath, 'directories'], options['rules']['directories'], folder)
}

export const withInstruction = (text: string, file: string): string =>
  append(text, ['instructions'], Object(parse(text)).instructions, file)
