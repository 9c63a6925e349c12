import { codeName, plainName } from '../text/quoted-name.ts'
import type { Rule } from './rule-files.ts'

const INTRO = 'These rules apply to your work in this session. Follow them.'

const OFFER =
  'These rules apply to some work only. When one fits what you are about to do, read its file first:'

const OFFER_CHANGED =
  'These rules apply to some work only. Go by these new descriptions: when one fits what you are about to do, read its file first:'

const section = ({ name, body }: Rule): string => `## ${plainName(name)}\n\n${body}`

const offer = ({ name, path, description = '' }: Rule): string =>
  `- ${codeName(name)} (${codeName(path)}): ${plainName(description)}`

const isOffered = ({ kind }: Rule): boolean => kind === 'offered'

/** Puts each rule under its name, and each that is offered into one line; gives no paragraph where there is none. */
const paragraphs = (intro: string, rules: Array<Rule>, offering = OFFER): Array<string> => {
  const sent = rules.filter((rule) => !isOffered(rule))
  const offered = rules.filter(isOffered)
  return [
    ...(sent.length > 0 ? [intro, ...sent.map(section)] : []),
    ...(offered.length > 0 ? [`${offering}\n\n${offered.map(offer).join('\n')}`] : []),
  ]
}

/** Writes the text that tells a session its rules, each under its name; empty where there is none. */
export const formatRules = (rules: Array<Rule>): string => paragraphs(INTRO, rules).join('\n\n')

/** Writes the text that tells a session the rules which join because of a file. */
export const formatJoiningRules = (rules: Array<Rule>, file: string): string =>
  paragraphs(`These rules apply from here on, because of ${codeName(file)}. Follow them.`, rules).join('\n\n')

/** What changed in the rules of a session since it was told; `removed` are the names of those that are gone. */
type ChangedRules = { changed: Array<Rule>; added: Array<Rule>; removed: Array<string> }

/** Writes the text that tells a session what changed in its rules; empty where nothing did. */
export const formatChanges = ({ changed, added, removed }: ChangedRules): string =>
  [
    ...(removed.length > 0
      ? [`These rules were taken back and no longer apply: ${removed.map(codeName).join(', ')}.`]
      : []),
    ...paragraphs(
      'These rules changed. Follow them as they now stand, not as they stood before.',
      changed,
      OFFER_CHANGED,
    ),
    ...paragraphs('These rules are new. Follow them from here on.', added),
  ].join('\n\n')
