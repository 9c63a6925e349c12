/**
 * What the frontmatter of a rule file, its header, says. It is read as people write it, not as YAML: an unquoted `**` is
 * a pattern, and a colon in a description is a colon.
 */
import leven from 'leven'
import { CHECK_KEYS, type HeaderText } from '../checks/patterns.ts'
import { frontmatterEntries, type FrontmatterEntry, frontmatterOf } from '../markdown/frontmatter.ts'
import { fail, ok, type Result } from '../safe.ts'
import { quotation } from '../text/quoted-name.ts'
import { withoutMark } from '../text/read.ts'
import { trimmedParts } from '../text/trimmed-parts.ts'
import { CONDITION_KEYS } from './conditions.ts'

/** The keys that hold globs: of OpenCode and Cursor, of Claude Code and Cline, of Copilot. */
export const GLOB_KEYS = ['globs', 'paths', 'applyTo'] as const
const KEYS = [...GLOB_KEYS, ...CONDITION_KEYS, 'keywords', 'alwaysApply', ...CHECK_KEYS] as const
// `bad` and `require` are near to keys that people have for themselves, such as `tag` and `required`.
const MISSPELT = [...GLOB_KEYS, 'agents', 'alwaysApply', 'forbid'] as const
const isCheckKey = (key: string | undefined): boolean => CHECK_KEYS.some((one) => one === key)

/**
 * The keys of a header: they decide when its rule is sent, and what is checked. A key without a value is left out, one with
 * `[]` is kept.
 */
export type RuleKeys =
  & { [key in (typeof CHECK_KEYS)[number]]?: Array<HeaderText> }
  & { alwaysApply?: boolean; description?: string }
  & { [key in (typeof GLOB_KEYS | typeof CONDITION_KEYS)[number] | 'keywords']?: Array<string> }

// A text in quotes where a value starts: at its beginning, after whitespace, a comma or a bracket.
const QUOTED = /(?<=^|[\s,[:{])(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*')/.source
const TOKEN = new RegExp(`${QUOTED}|[^"'\\s,:[\\]{}()]+|[^]`, 'g')
const COMMENT = new RegExp(`(${QUOTED})|(?:^|\\s)#.*`, 'g')

/** Takes the comment off a line; a `#` starts one where whitespace stands before it. */
const uncommented = (line: string): string =>
  line.replace(COMMENT, (_, quoted: string | undefined) => quoted ?? '').trim()

/** The same; curly quotes, which editors of prose type, become plain ones. */
const withoutComment = (line: string): string =>
  uncommented(line.replace(/[“”„]/g, '"').replace(/[‘’‚]/g, "'"))

/** Splits a list at its commas: `*.{ts,tsx}, *.js` are two. One in brackets or in quotes does not count; quotes stay. */
const splitList = (list: string): Array<string> => {
  const items = ['']
  let depth = 0
  for (const [token] of list.matchAll(TOKEN)) {
    if ('{[('.includes(token)) depth++
    if ('}])'.includes(token)) depth = Math.max(0, depth - 1)
    if (token === ',' && depth === 0) items.push('')
    else items[items.length - 1] += token
  }
  return items.map((item) => item.trim()).filter((item) => item !== '')
}

/** Removes the quotes of a value, if it has any; gives `null` where they are not closed. */
const unquoted = (text: string, escapes: Record<string, string> = {}): string | null => {
  if (!/^["']/.test(text)) return text
  const [, double, single] = /^(?:"((?:[^"\\]|\\.)*)"|'((?:[^']|'')*)')$/.exec(text) ?? []
  const unescaped = double?.replace(
    /\\(["\\/])|\\(.)/g,
    (whole, sign, letter) => sign ?? escapes[letter] ?? whole,
  )
  return unescaped ?? single?.replaceAll("''", "'") ?? null
}

// The text in the brackets of a list, such as `[a, b/[[c]]]`; those of `[ab]*.[jt]s` are not each other's.
const IN_BRACKETS = /^\[((?:[^[\]]|\[(?:[^[\]]|\[[^[\]]*\])*\])*)\]$/
// YAML's sign for a text on the lines below, an item of a list on a line of its own, and a key of a map.
const BLOCK_TEXT = /^[|>][-+0-9]*$/
const ITEM = /^-\s*/
const MAP_KEY = /^[\w-]+:(?:\s|$)/

const isEmpty = (text: string): boolean => /^(?:~|null)?$/.test(text)

/** Lists the lines of a value that have text, as they are read, without YAML's sign for a text on the lines below. */
const linesOf = ({ value, lines }: FrontmatterEntry, read: (line: string) => string): Array<string> => {
  const [first = '', ...below] = [value, ...lines.slice(1).map(({ text }) => text)].map(read)
  return [BLOCK_TEXT.test(first) || isEmpty(first) ? '' : first, ...below].filter((line) => line !== '')
}

/** Splits globs with a space between them: in `src/a b/*.ts` and `*.{ts, tsx}` it is within one, in `*.ts *.tsx` not. */
const withoutSpaces = (item: string): Array<string> => {
  const whole = trimmedParts(item, ',').join(',')
  const parts = whole.split(/\s+/)
  return parts.every((part) => part.includes('*')) ? parts : [whole]
}

/** Reads a list of globs or names: one value, a list in brackets or with commas, or an item a line. */
const listOf = (entry: FrontmatterEntry): Result<Array<string> | undefined> => {
  const { key } = entry
  const lines = linesOf(entry, withoutComment)
  const whole = lines.join(' ')
  const list = IN_BRACKETS.exec(whole)?.[1]
  if (list === undefined && /^\[[^\]]*$/.test(whole)) return fail(`the list of ${key} is not closed with ]`)
  if (list === undefined && lines.some((line) => MAP_KEY.test(line))) return fail(`${key} must be a list`)
  const written = list === undefined
    ? lines.flatMap((line) => splitList(line.replace(ITEM, '')))
    : splitList(list)
  const open = written.find((item) => unquoted(item) === null)
  if (open !== undefined) return fail(`the quote in ${quotation(open)} is not closed`)
  const items = written.flatMap((item) => /^["']/.test(item) ? splitList(unquoted(item) ?? '') : [item])
    .flatMap(withoutSpaces)
  return ok(items.length === 0 && list === undefined ? undefined : items)
}

// A text in quotes, with at most a comment after it; and a list in brackets, of such texts or of words: `[a-z]` is a text.
const QUOTED_TEXT = new RegExp(String.raw`^(${QUOTED})\s*(?:#.*)?$`)
const LIST_OF_TEXTS = /^\[\s*(?:["'].*["'][\s,]*|\w{2,}\s*,[^[\]]*)?\]$/
// In a pattern both mean the same with a backslash.
const ESCAPES = { n: '\n', t: '\t' }

/** A line of a value without the mark of an item, and where it is `|`, the lines of the text below it. */
type TextLine = HeaderText & { indent: number; below: Array<string> | null }

const textLinesOf = ({ value, lines: [first, ...others] }: FrontmatterEntry): Array<TextLine> => {
  const found: Array<TextLine> = [
    { line: first!.number, text: value.trim(), indent: -1, below: BLOCK_TEXT.test(value.trim()) ? [] : null },
  ]
  for (const { number, text: written } of others) {
    const [indent, above] = [written.search(/\S|$/), found.at(-1)!]
    const text = written.replace(/^\s*-\s+/, '').trim()
    if (above.below && (text === '' || indent > above.indent)) above.below.push(written)
    else found.push({ line: number, text, indent, below: BLOCK_TEXT.test(text) ? [] : null })
  }
  return found
}

/** Removes the indent that the first line with text has. */
const withoutIndent = (lines: Array<string>): string => {
  const [indent = ''] = /^\s*/.exec(lines.find((line) => line.trim() !== '') ?? '') ?? []
  return lines.map((line) => line.slice(indent.length)).join('\n').trimEnd()
}

/**
 * Reads texts such as patterns, in which a backslash stays and only whitespace starts a comment: one, an item a line, or
 * a list in brackets; after `|` the lines below are one text.
 */
const textsOf = (entry: FrontmatterEntry): Result<Array<HeaderText>> => {
  const lines = textLinesOf(entry)
  const isList = LIST_OF_TEXTS.test(lines.map(({ text }) => uncommented(text)).join(' '))
  const texts: Array<HeaderText> = []
  for (const { line, text, below } of lines) {
    if (below) texts.push({ line, text: withoutIndent(below) })
    const items = isList ? splitList(uncommented(text).replace(/^\[|\]$/g, '')) : [text]
    for (const item of below ? [] : items.filter((one) => !/^(?:#|$)/.test(one))) {
      const quoted = QUOTED_TEXT.exec(item)?.[1]
      if (quoted === undefined && /^["']/.test(item)) {
        return fail(`the quote in ${quotation(item)} is not closed`)
      }
      const bare = item.replace(/(?:^|\s)#.*/, '').trim()
      texts.push({ line, text: quoted === undefined ? bare : unquoted(quoted, ESCAPES) ?? '' })
    }
  }
  return ok(texts)
}

const booleanOf = ({ key, value }: FrontmatterEntry): Result<boolean | undefined> => {
  const text = withoutComment(value)
  if (isEmpty(text)) return ok(undefined)
  const word = (unquoted(text) ?? text).toLowerCase()
  return word === 'true' || word === 'false' ? ok(word === 'true') : fail(`${key} must be true or false`)
}

/** Reads a description. It is prose and never a fault: invalid YAML is taken as written. */
const descriptionOf = (entry: FrontmatterEntry): string | undefined => {
  const text = linesOf(entry, (line) => line.trim()).join(' ')
  return text === '' ? undefined : unquoted(text) ?? text
}

/** Gives the key that a word is, or that it may be misspelt for: `glob` and `applies_to` are, `global` is not. */
const meantBy = (word: string): (typeof KEYS)[number] | undefined => {
  const letters = word.toLowerCase().replace(/[_-]/g, '')
  const isNear = (one: string): boolean => leven(one.toLowerCase(), letters) <= (one.length > 6 ? 3 : 1)
  return KEYS.find((one) => one === word) ?? MISSPELT.find(isNear)
}

const valueOf = (entry: FrontmatterEntry, keys: RuleKeys): Result<unknown> => {
  const { key, value } = entry
  if (key === 'description') return ok(descriptionOf(entry))
  const known = KEYS.find((one) => one === key)
  if (known === undefined) {
    const meant = meantBy(key)
    return meant ? fail(`there is no key ${quotation(key)}; did you mean ${meant}?`) : ok(undefined)
  }
  if (value !== '' && !/^\s/.test(value)) return fail(`a key is written "${key}: value", with a space`)
  if (keys[known] !== undefined) return fail(`${key} is there twice`)
  if (isCheckKey(known)) return textsOf(entry)
  return known === 'alwaysApply' ? booleanOf(entry) : listOf(entry)
}

const SINGULAR = new Map([...CONDITION_KEYS, 'keywords'].map((key) => [key.replace(/e?s$/, ''), key]))

// Windsurf's words for when a rule is sent; but for `always_on` its globs or its description say it.
const TRIGGER = /^\s*["']?(?:(always_on)|glob|manual|model_decision)\b/

/** Gives the entry that another spelling of a key stands for. */
const withOwnKey = (entry: FrontmatterEntry): FrontmatterEntry => {
  const { key, value } = entry
  const meant = SINGULAR.get(key)
  if (meant) return { ...entry, key: meant }
  const trigger = key === 'trigger' ? TRIGGER.exec(value) : null
  return trigger ? { ...entry, key: 'alwaysApply', value: ` ${trigger[1] !== undefined}` } : entry
}

/** What is wrong with a header, and on which line. */
export type HeaderFault = { line: number; reason: string }
type Lines = Record<string, number>

/**
 * What a rule file says: its keys and their lines, its text below the header, and what is wrong with what it says about
 * checking, which does not concern when it is sent.
 */
export type RuleText = { keys: RuleKeys; lines: Lines; body: string; checkFault?: HeaderFault }

// A larger one was not written by hand.
const MAX_HEADER = 8_192

/** Reads the header of a rule file; gives what is wrong, and on which line, where it does not say when to send the rule. */
export const readHeader = (text: string): Result<RuleText, HeaderFault> => {
  const plain = withoutMark(text)
  const block = frontmatterOf(plain)
  if (block === null) return ok({ keys: {}, lines: {}, body: plain.trim() })
  if (block.length > MAX_HEADER) {
    return fail({
      line: 1,
      reason: `a header has at most ${MAX_HEADER} characters, this one has ${block.length}`,
    })
  }
  if (!block.isClosed) return fail({ line: 1, reason: 'the frontmatter is not closed with ---' })
  const first = block.lines.find(({ text }) => withoutComment(text) !== '')
  if (first?.text.startsWith('{')) {
    return fail({ line: first.number, reason: 'a header has a key a line, without braces' })
  }
  const read: RuleText = { keys: {}, lines: {}, body: plain.slice(block.length).trim() }
  for (const found of frontmatterEntries(block.lines)) {
    const entry = withOwnKey(found)
    const line = entry.lines[0]!.number
    const value = valueOf(entry, read.keys)
    if (value.error !== null) {
      const fault = { line, reason: value.error }
      if (!isCheckKey(meantBy(entry.key))) return fail(fault)
      read.checkFault ??= fault
      continue
    }
    if (value.data === undefined) continue
    Object.assign(read.keys, { [entry.key]: value.data })
    read.lines[entry.key] = line
  }
  return ok(read)
}
