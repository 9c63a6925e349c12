/** Removes from new words what the text around them already has, such as a list marker or a full stop. */
import { isLinePrefix, linePrefix, withoutPrefix } from './lines.ts'

/** Where new words go: the text of the line before them, the words that they replace, and the text after them. */
type Surroundings = { before: string; replaced: string; after: string }

/** Removes from new words the prefix, label, marks and end mark that the text before or after them already has. */
export const withoutRepeats = (words: string, surroundings: Surroundings): string => {
  const { before, after } = surroundings
  const withoutStart = withoutRepeatedLabel(withoutRepeatedPrefix(words, surroundings), before)
  return withoutRepeatedEnd(withoutRepeatedMarks(withoutStart, before, after), after)
}

/** If `before` is only a line's prefix, removes from new words the parts that it has: `- [ ] x` after `- ` → `[ ] x` */
const withoutRepeatedPrefix = (words: string, { before, replaced }: Surroundings): string => {
  // In `## 1. Use x`, the replaced words may have a marker of their own, which the new words replace.
  if (!isLinePrefix(before) || linePrefix(replaced).marker !== '') return words
  const present = linePrefix(before)
  const { indent, marker, box } = linePrefix(words)
  const repeatedBox = present.box === '' ? '' : box
  if (present.marker !== '') return words.slice((indent + marker + repeatedBox).length)
  return present.indent.includes('>') ? words.slice(indent.length) : words
}

const withoutEmphasis = (text: string): string => text.replace(/[*_]/g, '').trim()

/** Removes the label that precedes new words: `Note: x` after `- **Note:** ` → `x` */
const withoutRepeatedLabel = (words: string, before: string): string => {
  const [label] = /^[^:\n]*:[*_]*\s*/.exec(words) ?? ['']
  const isRepeated = label !== '' && withoutEmphasis(label) === withoutEmphasis(withoutPrefix(before))
  return isRepeated ? words.slice(label.length) : words
}

/** Removes the emphasis or code marks that the text around new words already has: `**x**` between `**` → `x` */
const withoutRepeatedMarks = (words: string, before: string, after: string): string => {
  const mark = /(?:\*\*|__|[*_`])$/.exec(before)?.[0] ?? ''
  const isRepeated = mark !== '' && after.startsWith(mark) && words.startsWith(mark)
    && words.indexOf(mark, mark.length) === words.length - mark.length
  return isRepeated ? words.slice(mark.length, -mark.length) : words
}

/** Removes an end mark if the same mark follows, and a full stop if any end mark follows: `x.` before `!` → `x` */
const withoutRepeatedEnd = (words: string, after: string): string => {
  const [end] = /(?<![.。!?！？])[.。!?！？]$/.exec(words) ?? ['']
  const nextEnd = /^(?:[*_~"'”’»)\]」』）】]*)([.。!?！？])/.exec(after)?.[1]
  const isRepeated = nextEnd !== undefined && (end === nextEnd || /^[.。]$/.test(end))
  return isRepeated ? words.slice(0, words.length - end.length) : words
}
