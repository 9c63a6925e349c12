/** Rules that are added to a text: where they stand, and in which form. */
import { childrenOf, isText, type Node } from '../markdown/tree.ts'
import type { Mode } from '../rule-schema.ts'
import { fail, ok, type Result } from '../safe.ts'
import { lineNumbers } from '../text/line-ending.ts'
import { type Markdown, readMarkdown } from './blocks.ts'
import { finderOfWords, readingsOf } from './copied-words.ts'
import { isLoose } from './items.ts'
import { type Edit, hasWords, prefixOf, type Span, trimmed } from './lines.ts'
import { openLineAt } from './open-block.ts'
import { ended, spaceAfter, wordsOfRule } from './rule-and-reason.ts'
import { sentencesOf } from './sentences.ts'
import { BULLET } from './signs.ts'

const isHeading = (node: Node | null): boolean => /Heading\d$/.test(node?.name ?? '')

/** Finds the one heading, paragraph or text of an item in which words stand. */
const nodeOf = ({ text, root }: Markdown, words: string): Result<Node> => {
  const collect = (node: Node): Array<Node> =>
    childrenOf(node).flatMap((child) => isText(child) || isHeading(child) ? [child] : collect(child))
  const [nodes, found, lines] = [collect(root), finderOfWords(text), lineNumbers(text)]
  for (const reading of readingsOf(words)) {
    const hits = new Map<Node, Span>()
    for (const hit of found(reading, nodes)) if (!hits.has(hit.within)) hits.set(hit.within, hit)
    // `## Tests` is meant by its words, also next to `## Tests in CI`.
    const whole = [...hits].filter(([node, { from, to }]) =>
      !hasWords(text.slice(node.from, from) + text.slice(to, node.to))
    )
    const [node, ...others] = (whole.length > 0 ? whole : [...hits]).map(([node]) => node)
    if (node === undefined) continue
    if (others.length === 0) return ok(node)
    const first = [node, ...others.slice(0, 8)].map(({ from }) => lines[from]).join(', ')
    const more = others.length > 8 ? ', …' : ''
    return fail(
      `"after" stands on the lines ${first}${more}: copy more, or words of an item or paragraph there`,
    )
  }
  return fail('"after" is in no heading, paragraph or list item: copy its words')
}

/** Finds what rules are added after: an item, another node, or nothing; below a heading the last of its part. */
const neighbourOf = (markdown: Markdown, after: string | undefined): Result<Node | null> => {
  const found = after === undefined ? ok(markdown.root.lastChild) : nodeOf(markdown, after)
  if (found.error !== null || found.data === null) return found
  let node = found.data
  if (isHeading(node)) {
    while (node.nextSibling !== null && !isHeading(node.nextSibling)) node = node.nextSibling
  }
  const item = /List$/.test(node.name)
    ? node.lastChild!
    : node.parent?.name === 'ListItem'
    ? node.parent
    : undefined
  if (item === undefined) return ok(node)
  // Numbers go on at the end of their list alone.
  return ok(item.parent!.name === 'OrderedList' ? item.parent!.lastChild : item)
}

// What stands before the words of a rule in one form of a file.
const LABELS = /^[ \t>]*(?:Rule|Reason):/gm

/** Whether a part of a text without words of its own goes on as items: most of its rules are. */
const isListed = ({ blocks }: Markdown): boolean =>
  blocks.filter(({ item }) => item !== undefined).length * 2 > blocks.length

/** Gives what counts of a rule where it may stand in a text already: letters, digits, signs such as `<`, all of code. */
const wordingOf = (words: string): string =>
  words.split('`').map((part, index) =>
    index % 2 === 1 ? part : part.toLowerCase().replace(/[^\p{L}\p{N}\p{S}#%&/@\\]+/gu, '')
  ).join('')

/** Makes what tells whether a text says words already, as sentences of it that follow each other. */
const sayingOf = ({ text, blocks }: Markdown): (words: string) => boolean => {
  let all = ''
  const edges = new Set([0])
  for (const { from, to } of blocks.flatMap((block) => sentencesOf(block))) {
    all += wordingOf(text.slice(from, to).replace(LABELS, ''))
    edges.add(all.length)
  }
  return (words) => {
    const wording = wordingOf(words)
    let at = all.indexOf(wording)
    while (at >= 0 && !(edges.has(at) && edges.has(at + wording.length))) at = all.indexOf(wording, at + 1)
    return at >= 0 && wording !== ''
  }
}

/** How added rules begin: each with the marker of an item, all with a label; and whether blank lines are between them. */
type Form = { markerOf: (index: number) => string; label: '' | '[ ] ' | 'Rule: '; hasGaps: boolean }

// Lines that all begin with the same bullet.
const BULLETED = new RegExp(`^(${BULLET}[ \\t]?).*(?:\\n[ \\t>]*\\1.*)+$`)

/** Gives the form of rules after a node: of further items after one. */
const formAfter = (markdown: Markdown, node: Node | null): Form => {
  const { text } = markdown
  if (node?.name !== 'ListItem') {
    const isLabelled = /^[ \t>]*Rule:/m.test(text)
    const isNewList = isHeading(node) && !isLabelled && isListed(markdown)
    const [, bullet = ''] = (node && BULLETED.exec(text.slice(node.from, node.to))) ?? []
    const marker = isNewList ? '- ' : bullet
    return { markerOf: () => marker, label: isLabelled ? 'Rule: ' : '', hasGaps: marker === '' }
  }
  const { from, to, prevSibling } = node
  const words = childrenOf(node)[0]
  const marker = text.slice(from, words?.from ?? to)
  const numberAt = (at: number) => parseInt(text.slice(at))
  // All items of a list may have the same number.
  const step = prevSibling === null || numberAt(prevSibling.from) < numberAt(from) ? 1 : 0
  return {
    markerOf: (index) => marker.replace(/\d+/, (number) => `${Number(number) + step * (index + 1)}`),
    label: words?.name === 'Task' ? '[ ] ' : '',
    hasGaps: isLoose(text, node),
  }
}

/**
 * Makes the change that adds rules to a text: items where it has items, paragraphs in prose, `Rule: …` in that form alone.
 *
 * @param text with `\n` at its line ends, not empty
 * @param after words of the heading in whose part the rules go last, or of what they stand right after; the end by default
 * @returns an edit, lines ended by `\n`, and how many rules it adds; or why there is none
 */
export const additionTo = (
  text: string,
  rules: Array<string>,
  mode?: Mode,
  after?: string,
): Result<Edit & { count: number }> => {
  const markdown = readMarkdown(text)
  const { data: node, error } = neighbourOf(markdown, after)
  if (error !== null) return fail(error)
  const at = after === undefined || node === null ? text.length : trimmed(text, node).to
  const open = openLineAt(text, at)
  if (open !== undefined) {
    return fail(
      `what line ${open} opens is never closed, and the rules would stand in it. Close it first, or tell the person`,
    )
  }
  const [says, given] = [sayingOf(markdown), new Set<string>()]
  const others = rules.map((rule) => wordsOfRule(rule, mode)).filter(({ sentence, reason }) =>
    !says(sentence) && !says(sentence + reason) && given.size < given.add(wordingOf(sentence)).size
  )
  if (others.length === 0) return fail('the file says this already, in these words')
  const { markerOf, label, hasGaps } = formAfter(markdown, node)
  const prefix = node === null || node.parent === markdown.root ? '' : prefixOf(text, node.from)
  const added = others.map(({ sentence, reason }, index) => {
    const marker = markerOf(index)
    const first = prefix + marker + label
    if (reason === '') return first + sentence
    return mode === 'verbose' || label === 'Rule: '
      ? `${first}${sentence}\n${prefix}${marker.replace(/\S/g, ' ')}Reason: ${reason}`
      : `${first}${ended(sentence)}${spaceAfter(sentence)}${reason}`
  })
  const [before, below] = [text.slice(0, at), text.slice(at)]
  const breaks = hasGaps || isHeading(node) ? 2 : 1
  const present = /\n*$/.exec(before)![0].length
  // A blank line of a quotation has its mark.
  const blank = prefix.trimEnd()
  const opening = (breaks === 2 ? `\n${blank}\n` : '\n').slice(present)
  const isFollowed = breaks === 2 && /^\n[ \t>]*[^\s>]/.test(below)
  const closing = below === '' ? '\n' : isFollowed ? `\n${blank}` : ''
  const words = opening + added.join(hasGaps ? `\n${blank}\n` : '\n') + closing
  return ok({ from: at, to: at, text: words, count: added.length })
}
