/** Finds details that every wording must keep: numbers, names in backticks, link targets. */

/** The maximum number of UTF-16 units that are compared. */
export const MAX_LENGTH = 4_000

const NUMBER_WORDS = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ')
const NUMBER = new RegExp(`\\d+(?:\\.\\d+)*|(?<![a-z])(?:${NUMBER_WORDS.join('|')})(?![a-z])`, 'g')

/** Lists the numbers of a text in digits: "three" as 3, "1,000" as 1000. */
const numbersIn = (text: string): Array<string> => {
  const plain = text.normalize('NFKC').toLowerCase().replace(/(?<=\d)[,_'](?=\d{3}(?!\d))/g, '')
  const digitsOf = (word: string) => NUMBER_WORDS.includes(word) ? `${NUMBER_WORDS.indexOf(word)}` : word
  return (plain.match(NUMBER) ?? []).map(digitsOf)
}

/** Lists the names that a text has in backticks. */
export const namesInBackticks = (text: string): Array<string> =>
  [...text.matchAll(/`([^`\n]+)`/g)].map(([, name = '']) => name)

const lettersAndDigits = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '')

// Captures `target` in `[text](target)`, and `[reference]` in `[text][reference]`. Also captures all of `[^footnote]`,
// `<a id="anchor">` and `https://a.b/c`.
const LINK =
  /\]\(\s*<?([^\s)>]+)|\](\[[^[\]\n]+\])|(\[\^[^[\]\s]+\])|(<a\s+(?:id|name)=[^<>]+>)|(https?:\/\/[^\s)>`"']*[^\s)>`"'.,;:!?])/g

// Matches list markers, names in backticks and links, which are not searched for numbers.
const NOT_SEARCHED = /^\s*\(?\d+[.)]\s|`[^`\n]*`|\]\([^)\n]*\)|https?:\/\/\S+/gm
// Matches `100` and `1,000` (which `numbersIn` then reads as 1000), but not `v2` or `a-3`.
const DIGITS = /(?<![\p{Script=Latin}\p{N}_.,/#-])\d+(?:[.,]\d+)*/gu

/**
 * Returns the first detail of a text that another text lacks. Looks for names in backticks, then for link targets, then
 * for numbers in digits. The other text may have the number as a word.
 */
export const lostDetail = (text: string, other: string): string | undefined => {
  const compared = text.slice(0, MAX_LENGTH)
  const letters = lettersAndDigits(other)
  // The parts of a name are compared one by one, because `a-b` may be written `a/b`.
  const lostName = namesInBackticks(compared)
    .find((name) => name.split(/[^\p{L}\p{N}]+/u).some((part) => !letters.includes(lettersAndDigits(part))))
  if (lostName !== undefined) return `\`${lostName}\``
  const links = [...compared.matchAll(LINK)].map(([, ...targets]) => targets.find(Boolean) ?? '')
  const lostLink = links.find((target) => !other.includes(target))
  if (lostLink !== undefined) return lostLink
  const otherNumbers = numbersIn(other)
  const digits = compared.replace(NOT_SEARCHED, ' ').match(DIGITS) ?? []
  return numbersIn(digits.join(' ')).find((number) => !otherNumbers.includes(number))
}
