import { stemOf } from './directive.ts'

const stems = (words: string): Array<string> => words.split(' ').map(stemOf)

/** Verbs that say one thing in a rule: a ban on one is a ban on the others. */
export const SYNONYMS = new Map(
  ['swallow ignore suppress silence hide discard', 'edit modify change touch alter', 'guess invent fabricate']
    .map(stems)
    .flatMap((group) => group.map((stem) => [stem, new Set(group)])),
)

const OPPOSITES: Array<[string, string]> = [
  ['small short', 'large big long grow'],
  ['close', 'open'],
  ['keep stable', 'change break'],
  ['spell', 'abbreviate shorten'],
  ['remove delete', 'keep retain leave'],
  ['validate verify check', 'trust'],
  ['expose show', 'hide'],
]

/** What an order is the same as a ban on: `close files` says `do not leave files open`. */
export const ANTONYMS = new Map(
  OPPOSITES.map(([one, other]) => [stems(one), stems(other)])
    .flatMap(([one = [], other = []]) => [[one, other], [other, one]])
    .flatMap(([one = [], other = []]) => one.map((stem): [string, Array<string>] => [stem, other])),
)
