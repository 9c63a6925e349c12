import { type Compared, directiveOf, hasNew, listOf, MAX_LENGTH, parsedTextOf, phrases } from './words.ts'

// Each word for a number behind the number of entries before it.
const NUMBER_WORDS = new Map(
  listOf('zero, one, two couple twice, three, four, five, six, seven, eight, nine, ten, eleven, twelve dozen')
    .flatMap((words, value) => words.split(' ').map((word): [string, string] => [word, `${value}`])),
)

// Digits, or a word for a number.
const WORDS = [...NUMBER_WORDS.keys()].join('|')
const NUMBER = new RegExp(`\\d+(?:\\.\\d+)*|(?<![a-z])(?:${WORDS})(?![a-z])`, 'g')

/** Lists the numbers of a text, words for small ones included, as digits. */
export const numbersIn = (text: string): Array<string> => {
  // "1,000" is 1000.
  const plain = text.normalize('NFKC').toLowerCase().replace(/(?<=\d)[,_'](?=\d{3}(?!\d))/g, '')
  return (plain.match(NUMBER) ?? []).map((word) => NUMBER_WORDS.get(word) ?? word)
}

/** Lists the names in backticks of a text. */
export const namesIn = (text: string): Array<string> =>
  [...text.matchAll(/`([^`\n]+)`/g)].map(([, name = '']) => name)

const lettersOf = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '')

/** Tells whether a part of a name stands nowhere in a text, whatever the case and the signs between its letters. */
export const isNameMissing = (name: string, text: string): boolean => {
  const letters = lettersOf(text)
  return name.toLowerCase().split(/[^\p{L}\p{N}]+/u).some((part) => !letters.includes(part))
}

/** Tells whether a name stands nowhere in a text as a whole: "test" and "ts" apart are no `*.test.ts`. */
const isNameNew = (name: string, text: string): boolean => !lettersOf(text).includes(lettersOf(name))

/** Finds something that was parsed and is gone, and something else that was not parsed and may stand in its place. */
const replacementIn = (
  { rule, text }: Compared,
  itemsIn: (text: string) => Array<string>,
  isMissing: (item: string, text: string) => boolean,
  isNew = isMissing,
): [gone?: string, found?: string] => {
  const parsed = parsedTextOf(rule)
  const all = `${parsed} ${rule.reason ?? ''}`.slice(0, MAX_LENGTH)
  const gone = itemsIn(parsed).find((item) => isMissing(item, text.slice(0, MAX_LENGTH)))
  // Most rules have lost nothing.
  return gone === undefined ? [] : [gone, itemsIn(directiveOf(text)).find((item) => isNew(item, all))]
}

// "At least 3" is "never 2 or fewer", "one at a time" is "never two at once".
const BOUNDS = phrases(
  'fewer, less, more, over, under, below, least, most, exceed*, +, never, no, not',
)

/** Tells where a parsed number is gone and another one stands in its place. */
export const numberFault = (compared: Compared): string | undefined => {
  const isMissing = (number: string, text: string) => !numbersIn(text).includes(number)
  const [gone, found] = replacementIn(compared, numbersIn, isMissing)
  if (gone === undefined || found === undefined) return undefined
  const [one, other] = [Number.parseFloat(gone), Number.parseFloat(found)]
  // 5000 ms is 5 s, 60 minutes are one hour.
  const isInOtherUnit = [24, 60, 1_000, 3_600].includes(Math.max(one, other) / Math.min(one, other))
  const isNext = Math.abs(one - other) === 1
  return isInOtherUnit || isNext && hasNew(compared.said, compared.parsed, BOUNDS)
    ? undefined
    : `says ${found} where ${gone} was parsed`
}

/** Tells where a name in backticks was parsed, is gone, and another one stands in its place. */
export const nameFault = (compared: Compared): string | undefined => {
  const [gone, found] = replacementIn(compared, namesIn, isNameMissing, isNameNew)
  return found === undefined ? undefined : `says \`${found}\` where \`${gone}\` was parsed`
}
