import { type Compared, contentOf, phrases, type Plain, shareOf } from './words.ts'

// "A over B" and the like, A being what is wanted.
const OVER = phrases(`
  over, instead of, rather than, in place of, as opposed to, and not, but not, beats, beat, statt, anstatt, anstelle von,
  plutôt que, au lieu de, en lugar de, en vez de, em vez de, invece di, in plaats van, вместо
`)
const NOT = / , (?:not|never)(?= )|而不是|而非/

// "Never B over A" wants A: the sides behind one of these are not compared.
const TURNED = / (?:never|not|no|avoid) /

/** The stems of the words on either side. */
type Sides = { wanted: Set<string>; unwanted: Set<string> }

const sidesOf = (text: Plain): Sides | undefined => {
  const [over = NOT.exec(text)] = text.matchAll(OVER)
  const before = text.slice(0, over?.index)
  if (over === null || TURNED.test(`${before} `)) return undefined
  const [unwanted = '', rest = ''] = text.slice(over.index + over[0].length).split(/ [,;.:()] /, 2)
  // "Instead of B, A"
  const wanted = contentOf(before).length === 0 ? rest : before
  return { wanted: new Set(contentOf(wanted)), unwanted: new Set(contentOf(unwanted)) }
}

/** Tells whether the sides of "over", "instead of" or "rather than" have changed places. */
export const areSidesTurned = ({ parsed, said }: Compared): boolean => {
  const [meant, got] = [sidesOf(parsed), sidesOf(said)]
  if (meant === undefined || got === undefined) return false
  // A word of both sides tells neither.
  const isWantedGone = [...meant.wanted].some((word) => !meant.unwanted.has(word) && got.unwanted.has(word))
  return isWantedGone && [...meant.unwanted].some((word) => !meant.wanted.has(word) && got.wanted.has(word))
}

/** Tells whether a text wants just what is forbidden: "use A instead of B" where A is. */
export const isForbiddenWanted = ({ target, parsed, said }: Compared): boolean => {
  const { wanted, unwanted } = sidesOf(said) ?? { wanted: new Set<string>(), unwanted: new Set<string>() }
  const banned = contentOf(target)
  const isWanted = banned.length > 0 && shareOf(banned, wanted) === 1
    && shareOf([...wanted], new Set(contentOf(parsed))) === 1
  return isWanted && unwanted.size > 0 && !banned.some((word) => unwanted.has(word))
}
