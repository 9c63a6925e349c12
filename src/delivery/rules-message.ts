import type { Rule } from './rule-files.ts'

const INTRO = 'These rules apply to your work in this session. Follow them.'

const sections = (rules: Array<Rule>): Array<string> => rules.map(({ name, body }) => `## ${name}\n\n${body}`)

/** The words that carry rules to the model, each rule under its name; empty where there is none. */
export const formatRules = (rules: Array<Rule>): string =>
  rules.length === 0 ? '' : [INTRO, ...sections(rules)].join('\n\n')

/** The words that carry rules which apply from now on, since the session came upon `file`. */
export const formatJoiningRules = (rules: Array<Rule>, file: string): string =>
  [`These rules apply from here on, because of ${file}. Follow them.`, ...sections(rules)].join('\n\n')
