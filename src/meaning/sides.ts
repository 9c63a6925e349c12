import { type Compared, contentOf, orderOf, type Plain } from './words.ts'

/** "A over B", "A, not B" and the like, A being what is wanted. */
export const OVER =
  / (?:over|instead of|rather than|in place of|statt|au lieu de|en lugar de|in plaats van|, (?:not|never))(?= )|而不是|而非/

// "Never B over A" wants A: the sides after one of these are not compared.
const DENIED = / (?:never|not|no|avoid) /

/** Gives the stems of the words on either side. */
const sidesOf = (plain: Plain): { wanted: Array<string>; unwanted: Array<string> } | undefined => {
  const text = orderOf(plain)
  const over = OVER.exec(text)
  if (over === null || DENIED.test(text.slice(0, over.index + 1))) return undefined
  const [unwanted = ''] = text.slice(over.index + over[0].length).split(/ [,;.:()] /, 1)
  return { wanted: contentOf(text.slice(0, over.index)), unwanted: contentOf(unwanted) }
}

/** Whether the sides of "over", "instead of" or "rather than" have changed places. */
export const areSidesTurned = ({ parsed, said }: Compared): boolean => {
  const [meant, got] = [sidesOf(parsed), sidesOf(said)]
  if (meant === undefined || got === undefined) return false
  // A word on both sides proves nothing.
  return meant.wanted.some((word) => !meant.unwanted.includes(word) && got.unwanted.includes(word))
    && meant.unwanted.some((word) => !meant.wanted.includes(word) && got.wanted.includes(word))
}
