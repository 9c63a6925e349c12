import type { ParsedRule } from '../rule-schema.ts'
import { directiveOf, hasNew, listOf, MAX_LENGTH, phrases, plainOf } from './words.ts'

// Each word for a number behind the number of entries before it.
const NUMBER_WORDS = new Map(
  listOf('zero, one, two couple twice, three, four, five, six, seven, eight, nine, ten, eleven, twelve dozen')
    .flatMap((words, value) => words.split(' ').map((word): [string, string] => [word, `${value}`])),
)

// Digits, or a word for a number.
const WORDS = [...NUMBER_WORDS.keys()].join('|')
const NUMBER = new RegExp(`\\d+(?:\\.\\d+)*|(?<![a-z])(?:${WORDS})(?![a-z])`, 'g')

const numbersIn = (text: string): Array<string> => {
  // "1,000" is 1000.
  const plain = text.normalize('NFKC').toLowerCase().replace(/(?<=\d)[,_'](?=\d{3}(?!\d))/g, '')
  return (plain.match(NUMBER) ?? []).map((word) => NUMBER_WORDS.get(word) ?? word)
}

// "At least 3" is "never 2 or fewer", and "one at a time" is "never two at once".
const BOUNDS = phrases(
  'fewer, less, more, over, under, below, above, least, most, exceed*, +, at once, never, no, not',
)

// "20 or newer" is "not 18 or older".
const VERSIONS = phrases('or older, and older, or earlier, and earlier')

/** Says so where a parsed number is gone and another one stands in its place. */
export const numberFault = (rule: ParsedRule, text: string): string | undefined => {
  const parsedText = `${rule.action} ${rule.target} ${rule.context ?? ''}`.slice(0, MAX_LENGTH)
  const parsed = numbersIn(parsedText)
  const kept = numbersIn(text)
  const gone = parsed.find((number) => !kept.includes(number))
  const found = numbersIn(directiveOf(text)).find((number) => !parsed.includes(number))
  if (gone === undefined || found === undefined) return undefined
  const [said, meant] = [plainOf(text), plainOf(parsedText)]
  const isNext = Math.abs(Number.parseFloat(gone) - Number.parseFloat(found)) === 1
  const isSame = isNext && hasNew(said, meant, BOUNDS) || hasNew(said, meant, VERSIONS)
  return isSame ? undefined : `says ${found} where ${gone} was parsed`
}

const namesIn = (text: string): Array<string> =>
  [...text.matchAll(/`([^`\n]+)`/g)].map(([, name = '']) => name)

/** A text's letters and digits in lower case and nothing else: what spelling and punctuation leave of a name. */
const squash = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '')

/** Whether a name, or a part of it, stands nowhere in a text, however either is spelt. */
const isMissing = (name: string, text: string): boolean => {
  const all = squash(text)
  return !all.includes(squash(name))
    && name.split(/[^\p{L}\p{N}]+/u).some((part) => !all.includes(squash(part)))
}

/** Says so where a name in backticks was parsed, is gone, and another one stands in its place. */
export const nameFault = (rule: ParsedRule, text: string): string | undefined => {
  const parsed = `${rule.action} ${rule.target} ${rule.context ?? ''} ${rule.reason ?? ''}`.slice(
    0,
    MAX_LENGTH,
  )
  const gone = namesIn(parsed).find((name) => isMissing(name, text))
  const found = namesIn(directiveOf(text)).find((name) => isMissing(name, parsed))
  if (gone === undefined || found === undefined) return undefined
  return `says \`${found}\` where \`${gone}\` was parsed`
}
