/** Removes from new words what the text around them already has, such as a list marker or a full stop. */
import { isLinePrefix, linePrefix } from './lines.ts'

/** Removes from new words the prefix, marks and end mark that the text before or after them already has. */
export const withoutRepeats = (words: string, before: string, after: string): string =>
  withoutRepeatedEnd(withoutRepeatedMarks(withoutRepeatedPrefix(words, before), before, after), after)

/** If `before` is only a line's prefix, removes from new words the parts that it has: `- [ ] x` after `- ` → `[ ] x` */
const withoutRepeatedPrefix = (words: string, before: string): string => {
  if (!isLinePrefix(before)) return words
  const present = linePrefix(before)
  const { indent, marker, box } = linePrefix(words)
  const repeatedBox = present.box === '' ? '' : box
  if (present.marker !== '') return words.slice((indent + marker + repeatedBox).length)
  return present.indent.includes('>') ? words.slice(indent.length) : words
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
  const nextEnd = /^(?:[*_~"'”’»)\]]*)([.。!?！？])/.exec(after)?.[1]
  const isRepeated = nextEnd !== undefined && (end === nextEnd || /^[.。]$/.test(end))
  return isRepeated ? words.slice(0, words.length - end.length) : words
}
