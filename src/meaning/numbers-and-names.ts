import type { ParsedRule } from '../rule-schema.ts'
import { type Compared, directiveOf, MAX_LENGTH, parsedTextOf } from './words.ts'

const WORDS = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ')
const NUMBER = new RegExp(`\\d+(?:\\.\\d+)*|(?<![a-z])(?:${WORDS.join('|')})(?![a-z])`, 'g')

/** Lists the numbers of a text as digits, words for small ones and "1,000" included. */
export const numbersIn = (text: string): Array<string> => {
  const plain = text.normalize('NFKC').toLowerCase().replace(/(?<=\d)[,_'](?=\d{3}(?!\d))/g, '')
  return (plain.match(NUMBER) ?? []).map((word) => WORDS.includes(word) ? `${WORDS.indexOf(word)}` : word)
}

/** Lists the names in backticks of a text. */
export const namesIn = (text: string): Array<string> =>
  [...text.matchAll(/`([^`\n]+)`/g)].map(([, name = '']) => name)

/** Gives the letters and digits of a text, in lower case. */
export const lettersOf = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '')

/** Whether a part of a name is not among the letters of a text. */
export const isNameMissing = (name: string, letters: string): boolean =>
  name.toLowerCase().split(/[^\p{L}\p{N}]+/u).some((part) => !letters.includes(part))

/** Joins all that was parsed of a rule, its reason included. */
const knownOf = ({ reason = '', ...rule }: ParsedRule): string =>
  `${parsedTextOf(rule)} ${reason}`.slice(0, MAX_LENGTH)

// "At least 3" is "never 2 or fewer", "one at a time" is "never two at once".
const BOUND = / (?:fewer|less|more|over|under|below|least|most|never|no|not) /

/** Gives the fault of a sentence that has another number in place of a parsed one. */
export const numberFault = ({ rule, text, said }: Compared): string | undefined => {
  const [all, known] = [numbersIn(text.slice(0, MAX_LENGTH)), numbersIn(knownOf(rule))]
  const gone = numbersIn(parsedTextOf(rule)).find((number) => !all.includes(number))
  const found = numbersIn(directiveOf(text)).find((number) => !known.includes(number))
  if (gone === undefined || found === undefined) return undefined
  const isBound = Math.abs(Number.parseFloat(gone) - Number.parseFloat(found)) === 1 && BOUND.test(said)
  return isBound ? undefined : `says ${found} where ${gone} was parsed`
}

/** Gives the fault of a sentence that has another name in place of a parsed name in backticks. */
export const nameFault = ({ rule, text }: Compared): string | undefined => {
  const letters = lettersOf(text.slice(0, MAX_LENGTH))
  const gone = namesIn(parsedTextOf(rule)).find((name) => isNameMissing(name, letters))
  if (gone === undefined) return undefined
  // The separate words "test" and "ts" do not stand for `*.test.ts`.
  const known = lettersOf(knownOf(rule))
  const found = namesIn(directiveOf(text)).find((name) => !known.includes(lettersOf(name)))
  return found === undefined ? undefined : `says \`${found}\` where \`${gone}\` was parsed`
}
