/** Finds YAML frontmatter (the lines between two `---` at the start of a Markdown file) and its entries. */
import { fileLinesOf } from '../text/line-ending.ts'

type FrontmatterLine = { number: number; text: string }

export type FrontmatterBlock = {
  lines: Array<FrontmatterLine>
  /** The number of characters, including the `---` lines. */
  length: number
  isClosed: boolean
}

/** `value` is the text after the colon on the first line. */
export type FrontmatterEntry = { key: string; value: string; lines: Array<FrontmatterLine> }

// Matches `a b:`, `a/b:`, `"a b":` and `größe:`.
const KEY = /^[^\s#[\]{}|>%@`,&*!-].*?:(?:\s|$)/
// Matches a key of a rule file, even without a blank after the colon (`globs:*.ts`).
const RULE_KEY = /^["']?(?:globs|paths|applyTo|alwaysApply|description)["']?[ \t]*:/

const entryOf = (line: FrontmatterLine): FrontmatterEntry | null => {
  const { text } = line
  const match = KEY.exec(text) ?? RULE_KEY.exec(text)
  if (match === null) return null
  const colon = match[0].trimEnd().length - 1
  const key = text.slice(0, colon).trim().replace(/^(["'])(.*)\1$/, '$2')
  return { key, value: text.slice(colon + 1), lines: [line] }
}

// Below the first key, YAML also allows lines that begin no key: ` a`, `# a`, `- a`, `]` and blank lines.
const CONTINUATION = /^(?:\s|#|-(?:\s|$)|[\]}]|$)/
const BLANK_OR_COMMENT = /^\s*(?:#|$)/ // YAML allows only these above the first key

const firstContentLine = (lines: Array<FrontmatterLine>): string =>
  lines.find(({ text }) => !BLANK_OR_COMMENT.test(text))?.text ?? ''

/** Returns false for `globs:[a`, because YAML reads a bracket right after the colon as text. */
const hasOpenBracket = (value: string): boolean => /^\s+[[{][^\]}]*$/.test(value)

// Matches an empty value, and the sign of a block text (`|`, `>-`).
const VALUE_BELOW = /^\s*(?:[|>]\S*\s*)?(?:#.*)?$/
const COMMA_AT_END = /,\s*(?:#.*)?$/

const takesNextLine = ({ key, value, lines }: FrontmatterEntry): boolean =>
  key === 'description' || VALUE_BELOW.test(value) || COMMA_AT_END.test(lines.at(-1)!.text)

/**
 * `prose` is the first line that cannot be YAML.
 * `stray` is found in the same way, but skips lines that continue the entry above, as in a `description` of two lines.
 */
export const splitEntries = (lines: Array<FrontmatterLine>) => {
  const entries: Array<FrontmatterEntry> = []
  let isInBrackets = false
  let prose: FrontmatterLine | undefined
  let stray: FrontmatterLine | undefined
  for (const line of lines) {
    const entry = entryOf(line)
    // Even in brackets, `globs:` begins an entry, because an unclosed list must not swallow it.
    if (entry && (!isInBrackets || RULE_KEY.test(line.text))) {
      entries.push(entry)
      isInBrackets = hasOpenBracket(entry.value)
      continue
    }
    const lastEntry = entries.at(-1)
    const isYaml = isInBrackets || (lastEntry ? CONTINUATION : BLANK_OR_COMMENT).test(line.text)
    if (!isYaml) prose ??= line
    if (!isYaml && !(lastEntry && takesNextLine(lastEntry))) stray ??= line
    lastEntry?.lines.push(line)
    isInBrackets &&= !/[\]}]/.test(line.text)
  }
  // The loop takes a map in braces (`{ a: 1 }`) for prose.
  return { entries, prose, stray, isMap: !prose || firstContentLine(lines).startsWith('{') }
}

const OPENING = /^\uFEFF?---(?:[ \t]+#[^\r\n]*|[ \t]*)(?:\r\n|\n|\r)/
// A Markdown formatter may take the closing `---` for the underline of a heading, and lengthen it.
const CLOSING = /(?<![^\r\n])(?:-{3,}|\.\.\.)[ \t]*(?:\r\n|\n|\r|$)/
export const BLANK_LINE = /(?<=^|\n|\r(?!\n))[^\S\r\n]*(?=[\r\n]|$)/

/** `  a:`, `   - b` → `a:`, ` - b` */
const dedented = (lines: Array<FrontmatterLine>): Array<FrontmatterLine> => {
  const [indent = ''] = /^\s*/.exec(firstContentLine(lines)) ?? []
  const dedent = (text: string) => text.startsWith(indent) ? text.slice(indent.length) : text
  return lines.map(({ number, text }) => ({ number, text: dedent(text) }))
}

/** Returns null if the text does not begin with `---`. A block that is not closed ends above the first blank line. */
export const blockAtStart = (text: string): FrontmatterBlock | null => {
  const start = OPENING.exec(text)?.[0].length
  if (start === undefined) return null
  const afterOpening = text.slice(start)
  const closing = CLOSING.exec(afterOpening)
  const end = (closing ?? BLANK_LINE.exec(afterOpening))?.index ?? afterOpening.length
  const length = start + end + (closing?.[0].length ?? 0)
  const texts = fileLinesOf(afterOpening.slice(0, end))
  // Line 1 is the opening `---`.
  const lines = texts.map((line, index) => ({ number: index + 2, text: line }))
  return { lines: closing ? dedented(lines) : lines, length, isClosed: closing !== null }
}

/** Returns null unless the block at the start is a closed YAML map, or has a rule file's key, such as `globs`. */
export const frontmatterOf = (text: string): FrontmatterBlock | null => {
  const block = blockAtStart(text)
  if (!block) return null
  const hasRuleKey = block.lines.some((line) => RULE_KEY.test(line.text))
  return hasRuleKey || (block.isClosed && splitEntries(block.lines).isMap) ? block : null
}

/** `frontmatter` includes the `---` lines, or is empty. */
export const splitFrontmatter = (text: string): { frontmatter: string; body: string } => {
  const length = frontmatterOf(text)?.length ?? 0
  return { frontmatter: text.slice(0, length), body: text.slice(length) }
}
