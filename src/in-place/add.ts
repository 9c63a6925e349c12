/** Creates the edit that adds rules to a Markdown text, after a block and in the form of this block. */
import { isTextNode, type Node, nodesOf } from '../markdown/tree.ts'
import type { Mode } from '../rule-schema.ts'
import { fail, ok, type Result } from '../safe.ts'
import { withLineFeeds } from '../text/line-ending.ts'
import { hasWords } from '../text/words.ts'
import { createNewRuleTest } from './already-said.ts'
import { sourceFinder } from './find-source.ts'
import { FENCE, isItem, lineBefore, linePrefix, markerKind, withoutPrefix } from './lines.ts'
import { blockAt, isHeading, isLoose, type Markdown, readMarkdown, unclosedLineAt } from './markdown-parts.ts'
import { asSentences, parseRuleText, ruleLabelIn } from './rule-text.ts'

/** The rules begin at `ruleOffsets` in `text`. `present` lists rules that the file or an earlier rule already says. */
export type Addition = { at: number; text: string; ruleOffsets: Array<number>; present: Array<string> }

/**
 * Creates the edit for a text, which must not be empty and must have the line ending `\n`.
 *
 * @param after words of a heading, an item or a paragraph, or undefined for the end of the text
 */
export const additionTo = (
  text: string,
  rules: Array<string>,
  mode?: Mode,
  after?: string,
): Result<Addition> => {
  const markdown = readMarkdown(text)
  const { data: node, error } = nodeToAddAfter(markdown, after)
  if (error !== null) return fail(error)
  const isAtEnd = after === undefined || node === null
  const at = isAtEnd ? text.length : text.slice(0, node.to).trimEnd().length
  const openLine = unclosedLineAt(text, at)
  if (openLine !== undefined) return fail(`line ${openLine} opens a block that is ${UNCLOSED}`)
  const isNew = createNewRuleTest(text)
  const items = rules.flatMap(splitItems)
  if (items.length > MAX_ITEMS) {
    return fail(`the rules have ${items.length} list items, at most ${MAX_ITEMS} are added`)
  }
  const isItemNew = items.map((item) => isNew(parseRuleText(item.trimStart(), mode).sentence))
  const newRules = items.filter((_, index) => isItemNew[index])
  const present = items.filter((_, index) => !isItemNew[index])
  if (newRules.length === 0) {
    return fail('the file already has these rules (reasons are not compared)')
  }
  const isAfterItem = node?.name === 'ListItem'
  const form = isAfterItem ? formAfterItem(markdown, node) : formAfterBlock(markdown, node)
  const formatted = newRules.map((rule, index) => formatRule(rule, index, form, mode))
  // A blank line in a quotation needs the `>` marks.
  const blankLine = `\n${form.prefix.trimEnd()}\n`
  const breakAround = form.hasBlankLines || isHeading(node) ? blankLine : '\n'
  const isNewList = !isAfterItem && formatted.every(isItem)
  const breakBetween = form.hasBlankLines && !isNewList ? blankLine : '\n'
  return ok({ ...insertionOf(formatted, text, at, breakAround, breakBetween), present })
}

const splitItems = (rule: string): Array<string> => {
  const kind = markerKind(rule)
  if (kind === '') return [rule]
  const items: Array<string> = []
  let isFenceOpen = false
  for (const line of withLineFeeds(rule).split('\n')) {
    const beginsItem = !isFenceOpen && markerKind(line) === kind && !/^\s/.test(line)
    if (items.length === 0 || beginsItem) items.push(line)
    else items.push(`${items.pop()!}\n${line}`)
    if (FENCE.test(line)) isFenceOpen = !isFenceOpen
  }
  return items
}

const MAX_ITEMS = 1_000

const UNCLOSED = 'never closed, and the rules would become a part of it. Close it first, or tell the person'

const nodeToAddAfter = (markdown: Markdown, after: string | undefined): Result<Node | null> => {
  const start = after === undefined ? ok(markdown.root.lastChild) : nodeContaining(markdown, after)
  if (start.error !== null || start.data === null) return start
  let node = start.data
  if (isHeading(node)) node = lastBlockOfSection(node)
  if (/List$/.test(node.name)) node = node.lastChild!
  else if (node.parent?.name === 'ListItem') node = node.parent
  // Rules go to the end of a numbered list, so that no existing number changes.
  return ok(node.parent?.name === 'OrderedList' ? node.parent.lastChild : node)
}

const nodeContaining = (markdown: Markdown, words: string): Result<Node> => {
  const nodes = nodesContaining(markdown, words)
  const [first] = nodes
  if (first === undefined) return fail('"after" is in no heading, paragraph or list item: copy words of one')
  if (nodes.length === 1) return ok(first)
  const lines = nodes.map(({ from }) => markdown.lineNumbers[from]!).slice(0, MAX_LISTED_LINES)
  const more = nodes.length > MAX_LISTED_LINES ? ', …' : ''
  const advice = 'copy more words, or words of another heading, paragraph or item'
  return fail(`"after" is on the lines ${lines.join(', ')}${more}: ${advice}`)
}

const MAX_LISTED_LINES = 9

const nodesContaining = (markdown: Markdown, words: string): Array<Node> => {
  const { root, text } = markdown
  // Maps offsets to nodes, because the words may occur twice in one node.
  const nodes = new Map<number, Node>()
  const wholeNodes = new Map<number, Node>()
  for (const { from, to } of sourceFinder(markdown)(words).spans) {
    // The words may begin with a list marker, which is in no paragraph.
    const node = blockAt(root, to - 1)
    if (node === undefined) continue
    const otherWords = text.slice(node.from, from) + text.slice(to, node.to)
    nodes.set(node.from, node)
    if (!hasWords(otherWords)) wholeNodes.set(node.from, node)
  }
  // "Tests" means the heading `## Tests`, not `## Tests in CI`.
  return [...(wholeNodes.size > 0 ? wholeNodes : nodes).values()]
}

const lastBlockOfSection = (heading: Node): Node => {
  let last = heading
  while (last.nextSibling !== null && !isHeading(last.nextSibling)) last = last.nextSibling
  // A horizontal rule between two sections stays at the end of the first.
  return last.name === 'HorizontalRule' ? last.prevSibling! : last
}

type Form = {
  /** The indentation and the `>` marks of each line. */
  prefix: string
  /** Returns a list marker such as `2. `, or `''` if the rules do not become list items. */
  markerOf: (index: number) => string
  checkBox: string
  label: string
  hasBlankLines: boolean
}

const formAfterItem = (markdown: Markdown, item: Node): Form => {
  const { text } = markdown
  let block = item.firstChild
  while (block && /^(?:List|Quote)Mark$/.test(block.name)) block = block.nextSibling
  const marker = text.slice(item.from, block?.from ?? item.to)
  const previous = item.prevSibling
  // In some lists, every item has the number `1.`.
  const increment = previous === null || parseInt(text.slice(previous.from)) < parseInt(marker) ? 1 : 0
  return {
    prefix: prefixAfter(markdown, item),
    markerOf: (index) => marker.replace(/\d+/, (number) => `${Number(number) + increment * (index + 1)}`),
    checkBox: block?.name === 'Task' ? '[ ] ' : '',
    label: block ? ruleLabelIn(text.slice(block.from, block.to)) : '',
    hasBlankLines: isLoose(text, item),
  }
}

const formAfterBlock = (markdown: Markdown, node: Node | null): Form => {
  const { root, text } = markdown
  const textNodes = nodesOf(root, isTextNode)
  const labels = textNodes.map(({ from, to }) => ruleLabelIn(text.slice(from, to)))
  const label = labels.find((found) => found !== '') ?? ''
  const items = textNodes.filter(({ parent }) => parent?.name === 'ListItem')
  const isMostlyItems = items.length > textNodes.length / 2
  const bullet = (node && BULLETED.exec(text.slice(node.from, node.to))?.[1]) ?? ''
  const marker = isHeading(node) && label === '' && isMostlyItems ? '- ' : bullet
  const prefix = prefixAfter(markdown, node)
  return { prefix, markerOf: () => marker, checkBox: '', label, hasBlankLines: marker === '' }
}

// CommonMark does not read lines that begin with `•` or `・` as a list.
const BULLETED = /^([•・][ \t]?).*(?:\n[ \t>]*\1.*)+$/

const prefixAfter = ({ text, root }: Markdown, node: Node | null): string =>
  node === null || node.parent === root ? '' : lineBefore(text, node.from).replace(/[^\s>]/g, ' ')

const formatRule = (rule: string, index: number, form: Form, mode: Mode | undefined): string => {
  const { sentence, reason } = parseRuleText(rule.trimStart(), mode)
  const marker = form.markerOf(index)
  // In the mode `concise`, the model begins every rule with a marker, even where the file has no list.
  const keepsMarker = mode !== 'concise' && marker === '' && form.label === ''
    && linePrefix(sentence).marker !== ''
  const bare = keepsMarker ? sentence : withoutPrefix(sentence)
  const hasReasonLine = reason !== '' && (mode === 'verbose' || form.label !== '')
  const words = hasReasonLine ? `${bare}\nReason: ${reason}` : asSentences({ sentence: bare, reason })
  const indent = form.prefix + marker.replace(/\S/g, ' ')
  const [firstLine, ...lines] = words.split('\n')
  // The further lines were indented for the rule's own marker.
  const sentIndent = new RegExp(`^ {0,${sentence.length - bare.length}}`)
  const indented = lines.map((line) => line.trim() === '' ? line : indent + line.replace(sentIndent, ''))
  return [form.prefix + marker + form.checkBox + form.label + firstLine, ...indented].join('\n')
}

const insertionOf = (
  rules: Array<string>,
  text: string,
  at: number,
  breakAround: string,
  breakBetween: string,
): Omit<Addition, 'present'> => {
  const presentBreaks = /\n*$/.exec(text.slice(Math.max(0, at - breakAround.length), at))![0].length
  let inserted = breakAround.slice(presentBreaks)
  const ruleOffsets: Array<number> = []
  for (const rule of rules) {
    if (ruleOffsets.length > 0) inserted += breakBetween
    ruleOffsets.push(inserted.length)
    inserted += rule
  }
  const rest = text.slice(at)
  if (rest === '') inserted += '\n'
  const hasWordsOnNextLine = /^\n[ \t>]*[^\s>]/.test(rest)
  // The last `\n` of the break is already in `rest`.
  if (hasWordsOnNextLine) inserted += breakAround.slice(0, -1)
  return { at, text: inserted, ruleOffsets }
}
