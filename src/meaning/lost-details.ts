/** Finds details that every wording must keep: numbers, names in backticks, link targets. */

/** The maximum length of the compared texts in UTF-16 units. */
export const MAX_LENGTH = 4_000

const WORDS = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ')
const NUMBER = new RegExp(`\\d+(?:\\.\\d+)*|(?<![a-z])(?:${WORDS.join('|')})(?![a-z])`, 'g')

/** Lists the numbers of a text, in digits: "three" as 3, "1,000" as 1000. */
const numbersIn = (text: string): Array<string> => {
  const plain = text.normalize('NFKC').toLowerCase().replace(/(?<=\d)[,_'](?=\d{3}(?!\d))/g, '')
  return (plain.match(NUMBER) ?? []).map((word) => WORDS.includes(word) ? `${WORDS.indexOf(word)}` : word)
}

/** Lists the names in backticks of a text. */
export const namesInBackticks = (text: string): Array<string> =>
  [...text.matchAll(/`([^`\n]+)`/g)].map(([, name = '']) => name)

const lettersOf = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '')

// The targets of `[text](target)`, `[text][reference]` and `[^footnote]`; `<a id="anchor">`; `https://a.b/c`.
const LINK =
  /\]\(\s*<?([^\s)>]+)|\](\[[^[\]\n]+\])|(\[\^[^[\]\s]+\])|(<a\s+(?:id|name)=[^<>]+>)|(https?:\/\/[^\s)>`]*[^\s)>`.,;:!?])/g

// Numbers that are not compared by themselves: of list items (`1. `), and in names and links, which are compared whole.
const NO_NUMBERS = /^\s*\(?\d+[.)]\s|`[^`\n]*`|\]\([^)\n]*\)|https?:\/\/\S+/gm
// A number that is no part of a word or path: `100` and `1,000`, but not `v2` or `a-3`.
const DIGITS = /(?<![\p{Script=Latin}\p{N}_.,/#-])\d+(?:[.,]\d+)*/gu

/** Returns the first name in backticks, link target or number in digits that a text has and another text lacks. */
export const lostDetail = (text: string, other: string): string | undefined => {
  const original = text.slice(0, MAX_LENGTH)
  const letters = lettersOf(other)
  const name = namesInBackticks(original).find((name) =>
    name.split(/[^\p{L}\p{N}]+/u).some((part) => !letters.includes(lettersOf(part)))
  )
  if (name !== undefined) return `\`${name}\``
  const links = [...original.matchAll(LINK)].map(([, ...targets]) => targets.find(Boolean) ?? '')
  const link = links.find((target) => !other.includes(target))
  if (link !== undefined) return link
  const otherNumbers = numbersIn(other)
  const digits = original.replace(NO_NUMBERS, ' ').match(DIGITS) ?? []
  return numbersIn(digits.join(' ')).find((number) => !otherNumbers.includes(number))
}
