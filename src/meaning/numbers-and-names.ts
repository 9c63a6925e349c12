import { type Compared, directiveOf, MAX_LENGTH, parsedTextOf } from './words.ts'

const NUMBER_WORDS = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ')
const VALUES = new Map([...NUMBER_WORDS.entries()].map(([value, word]) => [word, `${value}`]))

const NUMBER = new RegExp(`\\d+(?:\\.\\d+)*|(?<![a-z])(?:${NUMBER_WORDS.join('|')})(?![a-z])`, 'g')

/** Lists the numbers of a text, words for small ones included, as digits. */
export const numbersIn = (text: string): Array<string> => {
  // "1,000" is 1000.
  const plain = text.normalize('NFKC').toLowerCase().replace(/(?<=\d)[,_'](?=\d{3}(?!\d))/g, '')
  return (plain.match(NUMBER) ?? []).map((word) => VALUES.get(word) ?? word)
}

/** Lists the names in backticks of a text. */
export const namesIn = (text: string): Array<string> =>
  [...text.matchAll(/`([^`\n]+)`/g)].map(([, name = '']) => name)

const lettersOf = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '')

/** Tells whether a part of a name is nowhere in a text, whatever the case and the signs between its letters. */
export const isNameMissing = (name: string, text: string): boolean => {
  const letters = lettersOf(text)
  return name.toLowerCase().split(/[^\p{L}\p{N}]+/u).some((part) => !letters.includes(part))
}

/** Gives what a rule was parsed with, and its sentence, by what `itemsIn` finds in them. */
const itemsOf = ({ rule, text }: Compared, itemsIn: (text: string) => Array<string>) => ({
  parsed: itemsIn(parsedTextOf(rule)),
  said: itemsIn(directiveOf(text)),
  known: `${parsedTextOf(rule)} ${rule.reason ?? ''}`.slice(0, MAX_LENGTH),
})

// "At least 3" is "never 2 or fewer", "one at a time" is "never two at once".
const BOUND = / (?:fewer|less|more|over|under|below|least|most|never|no|not) /

/** Tells where a parsed number is gone and another one is in its place. */
export const numberFault = (compared: Compared): string | undefined => {
  const { parsed, said, known } = itemsOf(compared, numbersIn)
  const all = numbersIn(compared.text.slice(0, MAX_LENGTH))
  const gone = parsed.find((number) => !all.includes(number))
  const found = said.find((number) => !numbersIn(known).includes(number))
  if (gone === undefined || found === undefined) return undefined
  const isBound = Math.abs(Number.parseFloat(gone) - Number.parseFloat(found)) === 1
    && BOUND.test(compared.said)
  return isBound ? undefined : `says ${found} where ${gone} was parsed`
}

/** Tells where a name in backticks was parsed, is gone, and another one is in its place. */
export const nameFault = (compared: Compared): string | undefined => {
  const { parsed, said, known } = itemsOf(compared, namesIn)
  const gone = parsed.find((name) => isNameMissing(name, compared.text.slice(0, MAX_LENGTH)))
  // "test" and "ts" apart are no `*.test.ts`.
  const found = gone && said.find((name) => !lettersOf(known).includes(lettersOf(name)))
  return found === undefined ? undefined : `says \`${found}\` where \`${gone}\` was parsed`
}
