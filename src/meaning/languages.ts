import { OVER } from './sides.ts'
import { DENIAL_OR_LIMIT } from './strength.ts'
import { type Compared, contentOf, type Plain, shareOf, UNSPACED } from './words.ts'

const ENGLISH = `
  the of for with by and are it that not never only if is before unless about always use add run avoid to be should can
  must each every write keep make prefer follow read
`.trim().split(/\s+/)

const proseOf = (plain: Plain): Plain => plain.replace(/`[^ ]*/g, '')

/** Whether a text is in English: a quarter of its words are small English ones, in other languages next to none. */
export const isEnglish = (plain: Plain): boolean => {
  const words = proseOf(plain).match(/\p{L}+/gu) ?? []
  return words.length > 0 && shareOf(words, ENGLISH) > 0.12
}

/** Whether a text has a letter that English has not. */
export const isForeign = (plain: Plain): boolean => /[^\P{L}a-z]/u.test(proseOf(plain))

// What may stand between the words of a ban and denies nothing; in a text without spaces between the letters.
const MORE_WORDS = 'use always immer siempre toujours . , ; : ! 。'.split(' ')
const PARTICLES = /^(?:[をにがではとのも的将把在到]|必ず)*$/

/** Whether a ban has only the words of what it bans, and none of these could deny it, in any language. */
export const isBareBan = ({ rule, action, target, parsed, said }: Compared): boolean => {
  const [verb, banned] = [action, parsed].map((plain) => plain.replace(/ avoid(?= )/, '')) as [Plain, Plain]
  const words = banned.trim().split(' ')
  const isKnown = (word: string): boolean =>
    words.includes(word) || MORE_WORDS.includes(word)
    || UNSPACED.test(word) && PARTICLES.test(words.reduce((rest, one) => rest.replace(one, ''), word))
  const isBan = (rule.strength === 'forbidden') !== (verb !== action)
  if (!isBan || !said.trim().split(' ').every(isKnown)) return false
  // "Non usare", an action of two words, may hold its denial.
  const mayDeny = verb.trim().includes(' ') || banned.search(DENIAL_OR_LIMIT) !== -1
    || banned.search(OVER) !== -1
  return !mayDeny && shareOf(contentOf(target), contentOf(said)) === 1
}
