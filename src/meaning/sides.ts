import { type Compared, contentOf, orderOf, phrases, type Plain } from './words.ts'

// "A over B" and the like, A being what is wanted.
export const OVER = phrases(
  'over, instead of, rather than, in place of, statt, au lieu de, en lugar de, in plaats van',
)
const NOT = / , (?:not|never)(?= )|而不是|而非/

// "Never B over A" wants A: the sides behind one of these are not compared.
const TURNED = / (?:never|not|no|avoid) /

/** The stems of the words on either side. */
type Sides = { wanted: Set<string>; unwanted: Set<string> }

const sidesOf = (text: Plain): Sides | undefined => {
  const [over = NOT.exec(text)] = text.matchAll(OVER)
  const before = text.slice(0, over?.index)
  if (over === null || TURNED.test(`${before} `)) return undefined
  const [unwanted = ''] = text.slice(over.index + over[0].length).split(/ [,;.:()] /, 1)
  return { wanted: new Set(contentOf(before)), unwanted: new Set(contentOf(unwanted)) }
}

/** Tells whether the sides of "over", "instead of" or "rather than" have changed places. */
export const areSidesTurned = ({ parsed, said }: Compared): boolean => {
  const [meant, got] = [sidesOf(orderOf(parsed)), sidesOf(orderOf(said))]
  if (meant === undefined || got === undefined) return false
  // A word of both sides tells neither.
  const isWantedGone = [...meant.wanted].some((word) => !meant.unwanted.has(word) && got.unwanted.has(word))
  return isWantedGone && [...meant.unwanted].some((word) => !meant.wanted.has(word) && got.wanted.has(word))
}
