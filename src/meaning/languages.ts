import { OVER } from './sides.ts'
import { DENIAL_OR_LIMIT } from './strength.ts'
import { type Compared, contentOf, listOf, type Plain, shareOf, UNSPACED } from './words.ts'

const ENGLISH = new Set(listOf(`
  the, of, for, with, by, and, are, it, that, not, never, only, if, is, before, unless, about, always, use, add, run, avoid
`))

const proseOf = (plain: Plain): Plain => plain.replace(/`[^ ]*/g, '')

/** Tells whether a text is in English: a quarter of its words are small English ones, in other languages next to none. */
export const isEnglish = (plain: Plain): boolean => {
  const words = proseOf(plain).match(/\p{L}+/gu) ?? []
  return words.length > 0 && shareOf(words, ENGLISH) > 0.12
}

/** Tells whether a text has a letter that English has not. */
export const isForeign = (plain: Plain): boolean => /[^\P{L}a-z]/u.test(proseOf(plain))

const AVOID = / avoid(?= )/

// What may stand between the words of a text without spaces, and denies nothing.
const PARTICLES = /^(?:[をにがではとのも的将把在到]|必ず)*$/

/** Tells whether a ban has no word but those of what it bans, and none of these could deny it, in any language. */
export const isBareBan = ({ rule, action, target, parsed, said }: Compared): boolean => {
  const verb = action.replace(AVOID, '')
  const isBan = (rule.strength === 'forbidden') !== (verb !== action)
  const banned = parsed.replace(AVOID, '')
  const words = banned.trim().split(' ')
  const known = new Set([...words, ...'use always immer siempre toujours . , ; : ! 。'.split(' ')])
  const isKnown = (word: string): boolean =>
    known.has(word)
    || UNSPACED.test(word) && PARTICLES.test(words.reduce((rest, one) => rest.replace(one, ''), word))
  if (!isBan || !said.trim().split(' ').every(isKnown)) return false
  // "Non usare", an action of two words, may hold its denial.
  const mayDeny = verb.trim().includes(' ') || banned.search(DENIAL_OR_LIMIT) !== -1
    || banned.search(OVER) !== -1
  return !mayDeny && shareOf(contentOf(target), new Set(contentOf(said))) === 1
}
