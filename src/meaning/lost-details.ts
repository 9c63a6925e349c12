/** Finds details that the new text of a rule must keep: numbers, names in backticks, link targets. */

export const MAX_LENGTH = 4_000

const NUMBER_WORDS = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ')
const NUMBER = new RegExp(`\\d+(?:\\.\\d+)*|(?<![a-z])(?:${NUMBER_WORDS.join('|')})(?![a-z])`, 'g')

/** Lists the numbers of a text in digits: 3 for "three", 1000 for "1,000". */
const numbersIn = (text: string): Array<string> => {
  const plain = text.normalize('NFKC').toLowerCase().replace(/(?<=\d)[,_'](?=\d{3}(?!\d))/g, '')
  const digitsOf = (word: string) => NUMBER_WORDS.includes(word) ? `${NUMBER_WORDS.indexOf(word)}` : word
  return (plain.match(NUMBER) ?? []).map(digitsOf)
}

export const namesInBackticks = (text: string): Array<string> =>
  [...text.matchAll(/`([^`\n]+)`/g)].map(([, name = '']) => name)

const lettersAndDigits = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '')

// Captures `target` in `[text](target)`, `[name]` in `[text][name]`, and all of `[^1]`, `<a id="x">` and `https://a.b`.
const LINK =
  /\]\(\s*<?([^\s)>]+)|\](\[[^[\]\n]+\])|(\[\^[^[\]\s]+\])|(<a\s+(?:id|name)=[^<>]+>)|(https?:\/\/[^\s)>`"']*[^\s)>`"'.,;:!?])/g

const LIST_MARKER_CODE_OR_LINK = /^\s*\(?\d+[.)]\s|`[^`\n]*`|\]\([^)\n]*\)|https?:\/\/\S+/gm
// Matches `100` and `1,000`, but not `v2` or `a-3`.
const DIGITS = /(?<![\p{Script=Latin}\p{N}_.,/#-])\d+(?:[.,]\d+)*/gu

/** Returns the first detail of `text` that is missing in `other`, or `undefined` if `other` has every detail. */
export const lostDetail = (text: string, other: string): string | undefined => {
  const compared = text.slice(0, MAX_LENGTH)
  const letters = lettersAndDigits(other)
  // Compares the parts of a name, so that `other` may write `a/b` for `a-b`.
  const lostName = namesInBackticks(compared)
    .find((name) => name.split(/[^\p{L}\p{N}]+/u).some((part) => !letters.includes(lettersAndDigits(part))))
  if (lostName !== undefined) return `\`${lostName}\``
  const links = [...compared.matchAll(LINK)].map(([, ...targets]) => targets.find(Boolean) ?? '')
  const lostLink = links.find((target) => !other.includes(target))
  if (lostLink !== undefined) return lostLink
  const otherNumbers = numbersIn(other)
  const digits = compared.replace(LIST_MARKER_CODE_OR_LINK, ' ').match(DIGITS) ?? []
  return numbersIn(digits.join(' ')).find((number) => !otherNumbers.includes(number))
}
