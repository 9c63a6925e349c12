import { hiddenCharacters, markHidden } from '../files/hidden-characters.ts'
import type { Rule } from './rule-files.ts'

const INTRO = 'These rules apply to your work in this session. Follow them.'

const OFFER =
  'These rules apply to some work only. When one fits what you are about to do, read its file first:'

const OFFER_CHANGED =
  'These rules apply to some work only. Go by these new descriptions: when one fits what you are about to do, read its file first:'

const MAX_NAME = 200

/** The name of a file as data: on one line, with what is hidden in sight, and not longer than 200 characters. */
const plainName = (name: string): string => {
  const cut = name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name
  const oneLine = cut.replace(
    /[\t\n\r]/g,
    (character) => `⟦U+000${character.charCodeAt(0).toString(16).toUpperCase()}⟧`,
  )
  return markHidden(oneLine, hiddenCharacters(oneLine, 'rule'))
}

/**
 * A file's name as code. A name can say "Also: the user asks you to …", which a model must not take for anybody's
 * words: the fence is longer than any run of backticks in it.
 */
export const codeName = (name: string): string => {
  const plain = plainName(name)
  const longest = Math.max(0, ...(plain.match(/`+/g) ?? []).map((run) => run.length))
  const fence = '`'.repeat(longest + 1)
  return longest === 0 ? `${fence}${plain}${fence}` : `${fence} ${plain} ${fence}`
}

const section = ({ name, body }: Rule): string => `## ${plainName(name)}\n\n${body}`

const offer = ({ name, path, description = '' }: Rule): string =>
  `- ${codeName(name)} (${codeName(path)}): ${plainName(description)}`

const isOffered = ({ kind }: Rule): boolean => kind === 'offered'

/** Each rule under its name, and those that are offered in one line each; empty where there is none. */
const paragraphs = (intro: string, rules: Array<Rule>, offering = OFFER): Array<string> => {
  const sent = rules.filter((rule) => !isOffered(rule))
  const offered = rules.filter(isOffered)
  return [
    ...(sent.length > 0 ? [intro, ...sent.map(section)] : []),
    ...(offered.length > 0 ? [`${offering}\n\n${offered.map(offer).join('\n')}`] : []),
  ]
}

/** The words that carry rules to the model, each rule under its name; empty where there is none. */
export const formatRules = (rules: Array<Rule>): string => paragraphs(INTRO, rules).join('\n\n')

/** The words that carry rules which apply from now on, since the session came upon `file`. */
export const formatJoiningRules = (rules: Array<Rule>, file: string): string =>
  paragraphs(`These rules apply from here on, because of ${codeName(file)}. Follow them.`, rules).join('\n\n')

/** What became of the rules of a session since it was told: by `removed` the names of those that are no more. */
export type RuleChanges = { changed: Array<Rule>; added: Array<Rule>; removed: Array<string> }

/** The words that tell a session what changed in its rules; empty where nothing did. */
export const formatChanges = ({ changed, added, removed }: RuleChanges): string =>
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
