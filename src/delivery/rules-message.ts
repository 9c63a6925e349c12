import { codeName, plainName } from '../text/quoted-name.ts'
import type { Rule } from './rule-files.ts'

const INTRO = 'These rules apply to your work in this session. Follow them.'

const OFFER =
  'These rules apply to some work only. When one fits what you are about to do, read its file first:'

const sections = new WeakMap<Rule, string>()

/** Gives a rule under its name. One that begins with a heading has that alone. */
const section = (rule: Rule): string => {
  const known = sections.get(rule)
  if (known !== undefined) return known
  const { name, body } = rule
  const text = /^#{1,6}\s/.test(body) ? body : `## ${plainName(name)}\n\n${body}`
  sections.set(rule, text)
  return text
}

type PathOf = (rule: Rule) => string

const offer = (rule: Rule, pathOf: PathOf): string =>
  `- ${codeName(rule.name)} (${codeName(pathOf(rule))}): ${plainName(rule.description ?? '')}`

/**
 * Writes the text that tells a model its rules, each under its name or its own heading, and each that is offered in one
 * line; empty where there is none.
 *
 * @param pathOf the path that an offered rule is named by
 */
export const formatRules = (
  rules: Array<Rule>,
  pathOf: PathOf = ({ path }) => path,
  intro = INTRO,
): string => {
  const sent = rules.filter(({ kind }) => kind !== 'offered')
  const offered = rules.filter(({ kind }) => kind === 'offered')
  return [
    ...(sent.length > 0 ? [intro, ...sent.map(section)] : []),
    ...(offered.length > 0 ? [`${OFFER}\n\n${offered.map((rule) => offer(rule, pathOf)).join('\n')}`] : []),
  ].join('\n\n')
}

/** Writes the text that tells a model the rules that join at one place, with one sentence for all of them. */
export const formatJoiningRules = (joined: Array<{ rule: Rule; file?: string }>): string => {
  const files = new Set(joined.flatMap(({ file }) => (file === undefined ? [] : [codeName(file)])))
  const intro = `These rules apply from here on, because of ${[...files].join(', ')}. Follow them.`
  return formatRules(joined.map(({ rule }) => rule), undefined, intro)
}
