/** Removes a part, such as a list marker or a full stop, from new words if the text around the words already has it. */
import { hasWords } from '../text/words.ts'
import { isLinePrefix, linePrefix, withoutPrefix } from './lines.ts'

/** The `replaced` words, and the parts of their lines before and after them. */
export type Surroundings = { before: string; replaced: string; after: string }

export const withoutRepeats = (words: string, surroundings: Surroundings): string =>
  [withoutRepeatedPrefix, withoutRepeatedMarks, withoutRepeatedEnd]
    .reduce((rest, withoutRepeated) => withoutRepeated(rest, surroundings), words)

/** `- [ ] x` after `- ` → `[ ] x` */
const withoutRepeatedPrefix = (words: string, { before, replaced }: Surroundings): string => {
  if (!isLinePrefix(before) || linePrefix(replaced).marker !== '') return words
  const present = linePrefix(before)
  const { indent, marker, box } = linePrefix(words)
  const repeatedBox = present.box === '' ? '' : box
  if (present.marker !== '') return words.slice((indent + marker + repeatedBox).length)
  return present.indent.includes('>') ? words.slice(indent.length) : words
}

const withoutEmphasis = (text: string): string => text.replace(/[*_]/g, '').trim()

const splitsWord = (text: string, at: number): boolean =>
  /[\p{L}\p{N}]$/u.test(text.slice(0, at)) && /^[.,:'’_-]?(?!\p{Lo})[\p{L}\p{N}]/u.test(text.slice(at))

/** Removes the start of new words if the line already has it: `- Note: x` or `Note: x` after `- **Note:** ` → `x` */
export const withoutRepeatedStart = (words: string, before: string): string => {
  for (const start of [before, withoutPrefix(before)].map(withoutEmphasis).filter(hasWords)) {
    const lengths = Array.from({ length: MAX_EMPHASIS }, (_, extra) => start.length + extra)
    const length = lengths.findLast((each) =>
      withoutEmphasis(words.slice(0, each)) === start && !splitsWord(words, each)
    )
    if (length !== undefined) return words.slice(length).trimStart()
  }
  return words
}

// Counts emphasis marks and spaces: `**Note:** ` has five of them.
const MAX_EMPHASIS = 10

/** `**x**` between `**` and `**` → `x` */
const withoutRepeatedMarks = (words: string, { before, after }: Surroundings): string => {
  const mark = /(?:\*\*|__|[*_`])$/.exec(before)?.[0] ?? ''
  const isRepeated = mark !== '' && after.startsWith(mark) && words.startsWith(mark)
    && words.indexOf(mark, mark.length) === words.length - mark.length
  return isRepeated ? words.slice(mark.length, -mark.length) : words
}

/** `x!` before `!` → `x`, and `x.` before any end mark → `x` */
const withoutRepeatedEnd = (words: string, { after }: Surroundings): string => {
  const [end] = /(?<![.。!?！？])[.。!?！？]$/.exec(words) ?? ['']
  const nextEnd = /^[*_~"'”’»)\]」』）】]{0,19}([.。!?！？])/.exec(after)?.[1]
  const isRepeated = nextEnd !== undefined && (end === nextEnd || /^[.。]$/.test(end))
  return isRepeated ? words.slice(0, words.length - end.length) : words
}
