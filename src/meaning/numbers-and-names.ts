/** What stays the same in any wording: numbers, names in backticks, link targets. */
import { type Compared, directiveOf, MAX_LENGTH, parsedTextOf } from './words.ts'

const WORDS = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ')
const NUMBER = new RegExp(`\\d+(?:\\.\\d+)*|(?<![a-z])(?:${WORDS.join('|')})(?![a-z])`, 'g')

/** Lists the numbers of a text as digits, words for small ones and "1,000" included. */
const numbersIn = (text: string): Array<string> => {
  const plain = text.normalize('NFKC').toLowerCase().replace(/(?<=\d)[,_'](?=\d{3}(?!\d))/g, '')
  return (plain.match(NUMBER) ?? []).map((word) => WORDS.includes(word) ? `${WORDS.indexOf(word)}` : word)
}

/** Lists the names in backticks of a text. */
export const namesIn = (text: string): Array<string> =>
  [...text.matchAll(/`([^`\n]+)`/g)].map(([, name = '']) => name)

/** Finds the first number of a text that another one does not have. */
const lostNumber = (text: string, other: string): string | undefined => {
  const numbers = numbersIn(other)
  return numbersIn(text).find((number) => !numbers.includes(number))
}

/** Finds the first name in backticks of a text with a part that is not among the letters of another one. */
const lostName = (text: string, other: string): string | undefined => {
  const letters = other.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '')
  const isLost = (part: string) => !letters.includes(part)
  return namesIn(text).find((name) => name.toLowerCase().split(/[^\p{L}\p{N}]+/u).some(isLost))
}

// What a link leads to: `[text](target)`, `[text][reference]`, `[^footnote]`, an address; and an anchor.
const LINK =
  /\]\(\s*<?([^\s)>]+)|\](\[[^[\]\n]+\])|(\[\^[^[\]\s]+\])|(<a\s+(?:id|name)=[^<>]+>)|(https?:\/\/[^\s)>`]*[^\s)>`.,;:!?])/g

// What holds digits and is looked for as a whole, and the number of a list item.
const NO_NUMBERS = /^\s*\(?\d+[.)]\s|`[^`\n]*`|\]\([^)\n]*\)|https?:\/\/\S+/gm
const DIGITS = /(?<![\p{Script=Latin}\p{N}_.,/#-])\d+(?:[.,]\d+)*/gu

/** Finds the first name in backticks, link target or number in digits of a text that its rules do not say. */
export const lostIn = (text: string, said: string): string | undefined => {
  const name = lostName(text, said)
  if (name !== undefined) return `\`${name}\``
  const links = [...text.matchAll(LINK)].map(([, ...targets]) => targets.find(Boolean) ?? '')
  const digits = text.replace(NO_NUMBERS, ' ').match(DIGITS) ?? []
  return links.find((link) => !said.includes(link)) ?? lostNumber(digits.join(' '), said)
}

/** Gives the fault of a sentence that has another number or name in place of a parsed one. */
export const replacedFault = ({ rule, text }: Compared): string | undefined => {
  const [meant, all, order] = [parsedTextOf(rule), text.slice(0, MAX_LENGTH), directiveOf(text)]
  const [number, otherNumber] = [lostNumber(meant, all), lostNumber(order, meant)]
  if (number && otherNumber) return `says ${otherNumber} where ${number} was parsed`
  // Among names alone: the separate words "test" and "ts" do not stand for `*.test.ts`.
  const [name, otherName] = [lostName(meant, all), lostName(order, namesIn(meant).join())]
  return name && otherName && `says \`${otherName}\` where \`${name}\` was parsed`
}
