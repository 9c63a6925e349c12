/** Adds rules to a Markdown text, at the right place and in the form of what they follow. */
import { childrenOf, isText, type Node } from '../markdown/tree.ts'
import type { Mode } from '../rule-schema.ts'
import { fail, ok, type Result } from '../safe.ts'
import { lineNumbers } from '../text/line-ending.ts'
import { hasWords } from '../text/words.ts'
import { sourceFinder } from './find-source.ts'
import { isItem, lineBefore, linePrefix, withoutPrefix } from './lines.ts'
import { enclosingNode, isHeading, isLoose, type Markdown, readMarkdown } from './markdown-parts.ts'
import { asSentences, parseRuleText, ruleLabelIn } from './rule-text.ts'
import { newSentences } from './sentences.ts'
import { unclosedLineAt } from './unclosed-parts.ts'

const MAX_LINES = 9

/** Finds the one heading, paragraph or list item that contains words. */
const nodeContaining = (markdown: Markdown, words: string): Result<Node> => {
  const { root, text } = markdown
  const nodes = new Map<number, { node: Node; isWhole: boolean }>()
  for (const { from, to } of hasWords(words) ? sourceFinder(markdown)(words).spans : []) {
    const firstWord = from + text.slice(from, to).search(/[\p{L}\p{N}]/u)
    const node = enclosingNode(root, firstWord, (node) => isText(node) || isHeading(node))
    if (node === undefined) continue
    const isWhole = !hasWords(text.slice(node.from, from) + text.slice(to, Math.max(to, node.to)))
    if (!nodes.get(node.from)?.isWhole) nodes.set(node.from, { node, isWhole })
  }
  const all = [...nodes.values()]
  // "Tests" means the heading `## Tests`, not `## Tests in CI`.
  const whole = all.filter(({ isWhole }) => isWhole)
  const found = whole.length > 0 ? whole : all
  if (found.length === 0) return fail('"after" is in no heading, paragraph or list item: copy its words')
  if (found.length === 1) return ok(found[0]!.node)
  const numbers = lineNumbers(text)
  const lines = found.slice(0, MAX_LINES).map(({ node }) => numbers[node.from])
  const listed = [...lines, ...(found.length > MAX_LINES ? ['…'] : [])].join(', ')
  return fail(`"after" is on the lines ${listed}: copy more, or words of an item or paragraph there`)
}

/** Finds the node that rules are added after: a list item or another block, the last of a section, or null at the start. */
const nodeBefore = (markdown: Markdown, after: string | undefined): Result<Node | null> => {
  const found = after === undefined ? ok(markdown.root.lastChild) : nodeContaining(markdown, after)
  if (found.error !== null || found.data === null) return found
  let node = found.data
  if (isHeading(node)) {
    while (node.nextSibling !== null && !isHeading(node.nextSibling)) node = node.nextSibling
    // A line that separates two sections stays below what is added to the first.
    if (node.name === 'HorizontalRule') node = node.prevSibling!
  }
  const item = /List$/.test(node.name)
    ? node.lastChild!
    : node.parent?.name === 'ListItem'
    ? node.parent
    : node
  // Rules are added at the end of a numbered list, so that no number changes.
  return ok(item.parent?.name === 'OrderedList' ? item.parent.lastChild : item)
}

/** How added rules begin: with a list marker, a check box, a label; `hasGaps` puts blank lines between them. */
type Form = { markerOf: (index: number) => string; box: string; label: string; hasGaps: boolean }

// Lines that begin with the same bullet, which CommonMark reads as one paragraph.
const BULLETED = /^([•・][ \t]?).*(?:\n[ \t>]*\1.*)+$/

/** Whether most paragraphs of a text are list items. */
const isMostlyItems = ({ root }: Markdown): boolean => {
  let [items, others] = [0, 0]
  root.cursor().iterate(({ node }) => {
    if (isText(node)) node.parent?.name === 'ListItem' ? items++ : others++
  })
  return items > others
}

/** Returns the first label of a rule in a text, outside of code; `''` if there is none. */
const labelIn = ({ root, text }: Markdown): string => {
  let label = ''
  root.cursor().iterate(({ node, from, to }) => {
    if (label === '' && isText(node)) label = ruleLabelIn(text.slice(from, to))
  })
  return label
}

/** Returns the form of rules that follow a node. After a list item, they are further items. */
const formAfter = (markdown: Markdown, node: Node | null): Form => {
  const { text } = markdown
  if (node?.name !== 'ListItem') {
    const label = labelIn(markdown)
    const isNewList = isHeading(node) && label === '' && isMostlyItems(markdown)
    const [, bullet = ''] = (node && BULLETED.exec(text.slice(node.from, node.to))) ?? []
    const marker = isNewList ? '- ' : bullet
    return { markerOf: () => marker, box: '', label, hasGaps: marker === '' }
  }
  const words = childrenOf(node)[0]
  const marker = text.slice(node.from, words?.from ?? node.to)
  const before = node.prevSibling
  // Some authors give each item of a list the same number.
  const step = before === null || parseInt(text.slice(before.from)) < parseInt(marker) ? 1 : 0
  return {
    markerOf: (index) => marker.replace(/\d+/, (number) => `${Number(number) + step * (index + 1)}`),
    box: words?.name === 'Task' ? '[ ] ' : '',
    label: words ? ruleLabelIn(text.slice(words.from, words.to)) : '',
    hasGaps: isLoose(text, node),
  }
}

/** Writes a rule in a form. `prefix` precedes each line; the lines after the first are indented below the marker. */
const formatRule = (
  rule: string,
  mode: Mode | undefined,
  form: Form,
  index: number,
  prefix: string,
): string => {
  const { sentence, reason } = parseRuleText(rule.trimStart(), mode)
  const marker = form.markerOf(index)
  // A rule keeps its own marker if the form has none. In the mode `concise`, every rule has a marker, so it says nothing.
  const isOwnKept = mode !== 'concise' && marker === '' && form.label === ''
    && linePrefix(sentence).marker !== ''
  const bare = isOwnKept ? sentence : withoutPrefix(sentence)
  const isOnOwnLine = reason !== '' && (mode === 'verbose' || form.label !== '')
  const words = isOnOwnLine ? `${bare}\nReason: ${reason}` : asSentences({ sentence: bare, reason })
  const below = prefix + marker.replace(/\S/g, ' ')
  return prefix + marker + form.box + form.label
    + words.split('\n').map((line, at) => at === 0 || line.trim() === '' ? line : below + line).join('\n')
}

/** An edit that adds rules; `added` has the offset in its text at which each rule begins. */
export type Addition = { at: number; text: string; added: Array<number> }

/**
 * Creates the edit that adds rules to a text: list items after an item, paragraphs after prose, `Rule: …` only in a text
 * of that form. Leaves out rules that the text already contains.
 *
 * @param text a text that is not empty and has the line ending `\n`
 * @param after words of a heading, at the end of whose section the rules are added, or of what they follow; default: the
 * end
 */
export const additionTo = (
  text: string,
  rules: Array<string>,
  mode?: Mode,
  after?: string,
): Result<Addition> => {
  const markdown = readMarkdown(text)
  const { data: node, error } = nodeBefore(markdown, after)
  if (error !== null) return fail(error)
  const isAtEnd = after === undefined || node === null
  const at = isAtEnd ? text.length : text.slice(0, node.to).trimEnd().length
  const openLine = unclosedLineAt(text, at)
  if (openLine !== undefined) {
    return fail(
      `line ${openLine} opens a block that is never closed, and the rules would become a part of it. Close it first, or tell the person`,
    )
  }
  const isNew = newSentences(text)
  const newRules = rules.filter((rule) => isNew(parseRuleText(rule.trimStart(), mode).sentence))
  if (newRules.length === 0) return fail('the file says this already, in these words')
  const form = formAfter(markdown, node)
  const prefix = node === null || node.parent === markdown.root
    ? ''
    : lineBefore(text, node.from).replace(/[^\s>]/g, ' ')
  const items = newRules.map((rule, index) => formatRule(rule, mode, form, index, prefix))
  // Rules with markers of their own are one list.
  const hasGaps = form.hasGaps && (node?.name === 'ListItem' || !items.every(isItem))
  const breaks = form.hasGaps || isHeading(node) ? 2 : 1
  // The blank lines of a quotation have its mark.
  const blank = prefix.trimEnd()
  let present = 0
  while (text[at - 1 - present] === '\n') present++
  const opening = (breaks === 2 ? `\n${blank}\n` : '\n').slice(present)
  const below = text.slice(at)
  const isFollowed = breaks === 2 && /^\n[ \t>]*[^\s>]/.test(below)
  const closing = below === '' ? '\n' : isFollowed ? `\n${blank}` : ''
  const separator = hasGaps ? `\n${blank}\n` : '\n'
  const added: Array<number> = []
  let next = opening.length
  for (const item of items) {
    added.push(next)
    next += item.length + separator.length
  }
  return ok({ at, text: opening + items.join(separator) + closing, added })
}
