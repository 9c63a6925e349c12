import type { ToldRule } from './rule-changes.ts'
import type { Told } from './told.ts'

const reasonFor = ({ name, why, file }: ToldRule): string =>
  why === 'file' ? `${name} (because of ${file})` : `${name} (${why})`

const lineOf = (rules: Array<ToldRule>, removed: Array<string>): string =>
  [
    rules.map(reasonFor).join(', '),
    removed.length > 0 ? `taken back: ${removed.join(', ')}` : '',
  ].filter((words) => words !== '').join('; ')

/**
 * Writes the debug lines on what a session is told now and was not told before, one a notice: which rules, and why.
 *
 * @param before what it was told until now; left out where all of it is told anew
 */
export const describeTold = (sessionID: string, before: Told | undefined, now: Told): Array<string> => {
  const isBegin = before?.front.text !== now.front.text
  const front = isBegin ? lineOf(now.front.rules, now.front.removed) : ''
  const known = new Set(before?.notices.map(({ text, at }) => JSON.stringify([text, at])))
  const notices = now.notices.filter(({ text, at }) => !known.has(JSON.stringify([text, at])))
    .map(({ rules, removed }) => lineOf(rules, removed))
  return [front, ...notices].filter((line) => line !== '').map((line) => `Rules for ${sessionID}: ${line}`)
}
