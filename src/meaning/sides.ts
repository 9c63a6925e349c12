import { type Compared, contentOf, orderOf, type Plain } from './words.ts'

/** "A over B", "A, not B" and the like, A being what is wanted. */
export const OVER =
  / (?:over|instead of|rather than|in place of|statt|au lieu de|en lugar de|in plaats van|, (?:not|never))(?= )|而不是|而非/

// "Never B over A" wants A: the sides after one of these are not compared.
const DENIED = / (?:never|not|no|avoid) /

/** Gives the stems of the words that are on one side alone: one on both proves nothing. */
const sidesOf = (plain: Plain): [wanted: Array<string>, unwanted: Array<string>] => {
  const [before = '', after] = orderOf(plain).split(OVER, 2)
  if (after === undefined || DENIED.test(`${before} `)) return [[], []]
  const [wanted, unwanted] = [contentOf(before), contentOf(after)]
  return [
    wanted.filter((word) => !unwanted.includes(word)),
    unwanted.filter((word) => !wanted.includes(word)),
  ]
}

/** Whether the sides of "over", "instead of" or "rather than" have changed places. */
export const areSidesTurned = ({ parsed, said }: Compared): boolean => {
  const [[wanted, unwanted], got] = [sidesOf(parsed), sidesOf(said)]
  return wanted.some((word) => got[1].includes(word)) && unwanted.some((word) => got[0].includes(word))
}
