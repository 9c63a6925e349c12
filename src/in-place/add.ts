/** Adds rules to a Markdown text: where they stand, and in which form. */
import { childrenOf, isText, type Node } from '../markdown/tree.ts'
import type { Mode } from '../rule-schema.ts'
import { fail, ok, type Result } from '../safe.ts'
import type { Span } from '../text/changed-range.ts'
import { lineNumbers } from '../text/line-ending.ts'
import { sourceFinder } from './find-source.ts'
import { hasWords, isItem, lineStart, openingOf } from './lines.ts'
import { isLoose, type Markdown, nodeAt, readMarkdown } from './markdown-parts.ts'
import { asSentences, ruleLabelIn, ruleTextOf } from './rule-text.ts'
import { unclosedLineAt } from './unclosed-parts.ts'

const isHeading = (node: Node | null): boolean => /Heading\d$/.test(node?.name ?? '')

/** Finds the heading, the paragraph or the text of an item in which the first word of a span stands. */
const textNodeAt = ({ root, text }: Markdown, { from, to }: Span): Node | undefined =>
  nodeAt(
    root,
    from + text.slice(from, to).search(/[\p{L}\p{N}]/u),
    (node) => isText(node) || isHeading(node),
  )

/** Finds the one heading, paragraph or text of an item in which words stand. */
const nodeWith = (markdown: Markdown, words: string): Result<Node> => {
  const { text } = markdown
  const hits = new Map<number, { node: Node; isWhole: boolean }>()
  for (const { from, to } of hasWords(words) ? sourceFinder(markdown)(words).spans : []) {
    const node = textNodeAt(markdown, { from, to })
    if (node === undefined) continue
    // `## Tests` is meant by its words, also next to `## Tests in CI`.
    const isWhole = !hasWords(text.slice(node.from, from) + text.slice(to, Math.max(to, node.to)))
    if (!hits.get(node.from)?.isWhole) hits.set(node.from, { node, isWhole })
  }
  const all = [...hits.values()]
  const whole = all.filter((hit) => hit.isWhole)
  const [first, ...others] = whole.length > 0 ? whole : all
  if (first === undefined) return fail('"after" is in no heading, paragraph or list item: copy its words')
  if (others.length === 0) return ok(first.node)
  const numbers = lineNumbers(text)
  const lines = [first, ...others.slice(0, 8)].map(({ node }) => numbers[node.from]).join(', ')
  const more = others.length > 8 ? ', …' : ''
  return fail(
    `"after" stands on the lines ${lines}${more}: copy more, or words of an item or paragraph there`,
  )
}

/** Finds what rules are added after: an item, another node, or null at the start; below a heading the last of its part. */
const neighbourOf = (markdown: Markdown, after: string | undefined): Result<Node | null> => {
  const found = after === undefined ? ok(markdown.root.lastChild) : nodeWith(markdown, after)
  if (found.error !== null || found.data === null) return found
  let node = found.data
  if (isHeading(node)) {
    while (node.nextSibling !== null && !isHeading(node.nextSibling)) node = node.nextSibling
    // A line between two parts stands below what is added.
    if (node.name === 'HorizontalRule') node = node.prevSibling!
  }
  const item = /List$/.test(node.name)
    ? node.lastChild!
    : node.parent?.name === 'ListItem'
    ? node.parent
    : node
  // Numbers go on at the end of their list, so that none of them changes.
  return ok(item.parent?.name === 'OrderedList' ? item.parent.lastChild : item)
}

/** Reduces a wording to what must be the same in an equal one: letters, digits, signs such as `<`, all code. */
const wordingOf = (words: string): string =>
  words.split('`').map((part, index) =>
    index % 2 === 1 ? part : part.toLowerCase().replace(/[^\p{L}\p{N}\p{S}#%&/@\\]+/gu, '')
  ).join('')

const ENDS_SENTENCE = /[.!?。！？:：…]["'*_)\]”’»]*\s*$/
const SENTENCE_ENDS = /^["'*_)\]”’»]*(?:[.!?…]+["'*_)\]”’»]*(?:\s|$)|[。！？]|\s*$|\s*\n[ \t>]*Reason:)/

// What may stand right before the words of a rule, and how many characters are looked at.
const LABEL_OR_MARKS = /(?:\b(?:Rule|Reason):\s*)?[*_]*$/
const MAX_LEAD = 20

/** Returns a test for words that a text says already, as whole sentences. */
const saysAlready = (markdown: Markdown): (words: string) => boolean => {
  const find = sourceFinder(markdown)
  return (words) => {
    const bare = words.replace(/[.。!]$/, '')
    return hasWords(bare) && find(bare).spans.some(({ from, to }) => {
      const node = textNodeAt(markdown, { from, to })
      if (node === undefined) return false
      const start = Math.max(node.from, from - MAX_LEAD)
      const lead = markdown.text.slice(start, from).replace(LABEL_OR_MARKS, '')
      const isStart = ENDS_SENTENCE.test(lead) || start === node.from && lead.trim() === ''
      const isSame = wordingOf(markdown.text.slice(from, to)) === wordingOf(bare)
      return isStart && isSame && SENTENCE_ENDS.test(markdown.text.slice(to, Math.max(to, node.to)))
    })
  }
}

/** How added rules begin: with the marker of an item, a check box, a label; and whether blank lines are between them. */
type Form = { markerOf: (index: number) => string; box: string; label: string; hasGaps: boolean }

// Lines that all begin with the same bullet, which Markdown takes for words.
const BULLETED = /^([•・][ \t]?).*(?:\n[ \t>]*\1.*)+$/

/** Whether most paragraphs of a text are items, so that a part without words goes on as a list. */
const isListed = ({ root }: Markdown): boolean => {
  let [items, others] = [0, 0]
  root.cursor().iterate((node) => {
    if (isText(node.node)) node.node.parent?.name === 'ListItem' ? items++ : others++
  })
  return items > others
}

/** Finds the label of rules in a text, outside of code; empty where it has none. */
const labelIn = ({ root, text }: Markdown): string => {
  let label = ''
  root.cursor().iterate(({ node, from, to }) => {
    if (label === '' && isText(node)) label = ruleLabelIn(text.slice(from, to))
  })
  return label
}

/** Gives the form of rules that follow a node: of further items after one. */
const formAfter = (markdown: Markdown, node: Node | null): Form => {
  const { text } = markdown
  if (node?.name !== 'ListItem') {
    const label = labelIn(markdown)
    const isNewList = isHeading(node) && label === '' && isListed(markdown)
    const [, bullet = ''] = (node && BULLETED.exec(text.slice(node.from, node.to))) ?? []
    const marker = isNewList ? '- ' : bullet
    return { markerOf: () => marker, box: '', label, hasGaps: marker === '' }
  }
  const words = childrenOf(node)[0]
  const marker = text.slice(node.from, words?.from ?? node.to)
  const before = node.prevSibling
  // All items of a list may have the same number.
  const step = before === null || parseInt(text.slice(before.from)) < parseInt(marker) ? 1 : 0
  return {
    markerOf: (index) => marker.replace(/\d+/, (number) => `${Number(number) + step * (index + 1)}`),
    box: words?.name === 'Task' ? '[ ] ' : '',
    label: words ? ruleLabelIn(text.slice(words.from, words.to)) : '',
    hasGaps: isLoose(text, node),
  }
}

/** Writes a rule in a form, its further lines below its words. */
const written = (rule: string, mode: Mode | undefined, form: Form, index: number, prefix: string): string => {
  const { sentence, reason } = ruleTextOf(rule.trimStart(), mode)
  const own = openingOf(sentence)
  const marker = form.markerOf(index)
  // A text that brings a marker keeps it where the place has no form of its own. The mode `concise` gives it to each.
  const isOwn = mode !== 'concise' && marker === '' && form.label === '' && own.marker !== ''
  const bare = isOwn ? sentence : sentence.slice(own.whole.length)
  const isOnOwnLine = mode === 'verbose' || form.label !== ''
  const words = reason !== '' && isOnOwnLine
    ? `${bare}\nReason: ${reason}`
    : asSentences({ sentence: bare, reason })
  const below = prefix + marker.replace(/\S/g, ' ')
  return prefix + marker + form.box + form.label
    + words.split('\n').map((line, at) => at === 0 || line.trim() === '' ? line : below + line).join('\n')
}

/** An edit that adds rules; `added` has the offset in its text at which each of them begins. */
export type Addition = { at: number; text: string; added: Array<number> }

/** Counts the line breaks right before an offset. */
const breaksBefore = (text: string, at: number): number => {
  let count = 0
  while (text[at - 1 - count] === '\n') count++
  return count
}

const endOf = (text: string, { to }: Span): number => {
  while (to > 0 && /\s/.test(text[to - 1]!)) to--
  return to
}

/**
 * Makes the edit that adds rules to a text: items where it has items, paragraphs in prose, `Rule: …` in that form alone.
 *
 * @param text with `\n` at its line ends, not empty
 * @param after words of the heading in whose part the rules go last, or of what they stand right after; the end by default
 * @returns the edit, its lines ended by `\n`; or why there is none
 */
export const additionTo = (
  text: string,
  rules: Array<string>,
  mode?: Mode,
  after?: string,
): Result<Addition> => {
  const markdown = readMarkdown(text)
  const { data: node, error } = neighbourOf(markdown, after)
  if (error !== null) return fail(error)
  const at = after === undefined || node === null ? text.length : endOf(text, node)
  const open = unclosedLineAt(text, at)
  if (open !== undefined) {
    return fail(
      `what line ${open} opens is never closed, and the rules would stand in it. Close it first, or tell the person`,
    )
  }
  const [says, given] = [saysAlready(markdown), new Set<string>()]
  const others = rules.filter((rule) => {
    const { sentence } = ruleTextOf(rule.trimStart(), mode)
    const bare = sentence.slice(openingOf(sentence).whole.length)
    return !says(bare) && given.size < given.add(wordingOf(bare)).size
  })
  if (others.length === 0) return fail('the file says this already, in these words')
  const form = formAfter(markdown, node)
  const prefix = node === null || node.parent === markdown.root
    ? ''
    : text.slice(lineStart(text, node.from), node.from).replace(/[^\s>]/g, ' ')
  const items = others.map((rule, index) => written(rule, mode, form, index, prefix))
  // Items with markers of their own stand together, also where paragraphs stand apart.
  const hasGaps = form.hasGaps && (node?.name === 'ListItem' || !items.every(isItem))
  const breaks = form.hasGaps || isHeading(node) ? 2 : 1
  // A blank line of a quotation has its mark.
  const blank = prefix.trimEnd()
  const opening = (breaks === 2 ? `\n${blank}\n` : '\n').slice(breaksBefore(text, at))
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
