/** What stays the same in any wording: numbers, names in backticks, link targets. */

/** How many UTF-16 units of a text are compared. */
export const MAX_LENGTH = 4_000

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

const lettersOf = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '')

// What a link leads to: `[text](target)`, `[text][reference]`, `[^footnote]`, an address; and an anchor.
const LINK =
  /\]\(\s*<?([^\s)>]+)|\](\[[^[\]\n]+\])|(\[\^[^[\]\s]+\])|(<a\s+(?:id|name)=[^<>]+>)|(https?:\/\/[^\s)>`]*[^\s)>`.,;:!?])/g

// Digits in names and links are compared as a part of these; the number of a list item is not compared.
const NO_NUMBERS = /^\s*\(?\d+[.)]\s|`[^`\n]*`|\]\([^)\n]*\)|https?:\/\/\S+/gm
const DIGITS = /(?<![\p{Script=Latin}\p{N}_.,/#-])\d+(?:[.,]\d+)*/gu

/** Finds the first name in backticks, link target or number in digits of a text that another text does not say. */
export const lostDetail = (text: string, said: string): string | undefined => {
  const cut = text.slice(0, MAX_LENGTH)
  const letters = lettersOf(said)
  const name = namesIn(cut).find((one) =>
    one.split(/[^\p{L}\p{N}]+/u).some((part) => !letters.includes(lettersOf(part)))
  )
  if (name !== undefined) return `\`${name}\``
  const links = [...cut.matchAll(LINK)].map(([, ...targets]) => targets.find(Boolean) ?? '')
  const link = links.find((one) => !said.includes(one))
  if (link !== undefined) return link
  const known = numbersIn(said)
  const digits = cut.replace(NO_NUMBERS, ' ').match(DIGITS) ?? []
  return numbersIn(digits.join(' ')).find((number) => !known.includes(number))
}
