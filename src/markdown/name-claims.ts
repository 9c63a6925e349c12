/**
 * Whether a text claims that the name in a code span exists, by the words around it and by its form. No claim is made
 * by an example, a plan, a placeholder or a denial, or where it is the name of a branch, a route or a package.
 */
import { COMMENT } from './block-context.ts'
import type { CodeSpan } from './markdown.ts'
import {
  NOT_CLAIMED_WORDS,
  OTHER_KIND_WORDS,
  SAID_BEHIND_WORDS,
  TO_BE_MADE_WORDS,
} from './words-of-english.ts'
import { OF_OTHER_LANGUAGES, WITHOUT_BLANKS } from './words-of-languages.ts'

/** Makes a pattern for any of these words or patterns that is no part of a longer word, in any script. */
const anyWord = (words: Array<string>): RegExp =>
  new RegExp(`(?<![\\p{L}\\p{N}_])(?:${words.join('|')})(?![\\p{L}\\p{N}_])`, 'iu')

// A mark of a placeholder: `<name>`, `$DIR`, `{id}`, `[id]`, `…`, `:id`, `%s`, a backslash; or of a regular expression.
const PLACEHOLDER_MARK = /[<>$…\\]|\.\.\.|\{[^,}]*\}|\[[^\]]*[a-z]{2}|(?:^|\/):|%[sd]|\/\.[*+]/i
// A name that is a placeholder: `ComponentName`, `feature-name`, `0001-title`, `MyThing`, `SomeThing`, `NNNN_auto`,
// `src/FEATURE/x.ts`, `useFoo`, `foo_test`, one letter as in `src/a/b.ts`, `feature-a`, `featureA`.
const PLACEHOLDER_NAME = new RegExp(
  [
    '(?<=[/_.-])(?:[nN]ame|NAME|[tT]itle|[sS]lug|[xX]{2,}|N{2,}|Y{4})(?![a-z])',
    '(?<=[a-z])(?:Name|Something)(?![a-z])',
    '\\/(?:[Mm]y|[Ss]ome|[Yy]our|[Ee]xample)[A-Z_]',
    '(?:(?<![A-Za-z])(?:foo|baz|qux)|Foo|Baz|Qux)(?![a-z])',
    '(?<=\\/)[A-Z]{3,}(?=\\/)',
    '(?:\\/[A-Za-z]|(?<=[a-z])(?:[-_][a-z]|[A-Z]))(?=[/.]|$)',
  ].join('|'),
)
// A part of a path that is a placeholder.
const PLACEHOLDER_PART = anyWord([
  'bar',
  'xyz',
  'abc',
  'something',
  'example',
  'sample',
  'some',
  'your',
  'my',
  'xxx?',
  'yyyy',
  'path/to',
  '[xyzn]',
])

const NOT_CLAIMED = anyWord([...NOT_CLAIMED_WORDS, ...OF_OTHER_LANGUAGES])
const TO_BE_MADE = anyWord(TO_BE_MADE_WORDS)
// Words and marks right before a name that do either.
const JUST_BEFORE =
  /(?:\badd(?: an?)?|\bneeds? an?|\bover|\b(?:format|convention|template|sample):|\bplan:|\blater|\bwas|\bwere|~~|<!--[^>]*)\s*$/i
const SAID_BEHIND = anyWord(SAID_BEHIND_WORDS)
const MARK_BEHIND =
  /^\s*(?:→|⇒|↔|[-=]>|\(new\b|[(:|–—-]?\s*(?:auto-?)?(?:generated|compiled|bundled|emitted|produced)\b)/i
// The second of two names of which one follows from the other.
const MARK_BEFORE = /`\s*(?:→|⇒|↔|[-=]>)\s*$/
const SIGN_FOR_WRONG = /[❌✗✘✖🚫⛔👎]/u

const OTHER_KIND = anyWord(OTHER_KIND_WORDS)
// Words that do so only right beside the name: "pages are in `src/pages`" names a folder, "the page `app/cart`" does not.
const KIND =
  '(?:page|key|table|check|rule|job|workflow|query|mutation|procedure|event|topic|queue|channel|permission|role|bucket|feature|flag|name|alias|class|model|provider|plugin|action|skill|agent)(?:e?s)?'
const KIND_BEFORE = new RegExp(`\\b${KIND}:?\\s*$`, 'i')
const KIND_AFTER = new RegExp(`^\\s*${KIND}\\b`, 'i')
// A method in capitals, before a route.
const METHOD_BEFORE = /\b(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS|t?RPC)\b[^`]*$/
// The last part of an action's or a package's name with a version, of an API or a release, of a route to one thing.
const VERSION_OR_NUMBER = /[^/]@|\/v?\d+(?:\.[\dx]+)*(?:(?:alpha|beta)\d+)?$/
// A build target or an image's tag: `src/main:app`.
const LABEL = /[^:]:[a-z_][\w.-]*$/i
// The first part of a route or a media type, which look like paths without an extension.
const ROUTE_OR_MEDIA_TYPE =
  /^(?:api|apis|v\d+|rest|graphql|trpc|rpc|text|application|image|audio|video|font|multipart)$/i

// A clause ends at a dash, or at a mark with white space behind it, but for that of `e.g.` and the like. Behind a name
// it also ends at the next code span.
const lastClause = (text: string): string =>
  text.split(/(?<!\be\.g|\bi\.e|\bz\.\s?B)[.;!?]\s|[–—。！？；]/).at(-1) ?? ''
// More names behind one, of which the same is said: "`a`, `b` and `c` were removed".
const MORE_NAMES = /^(?:\s?[,&/、]?\s?(?:and|or|und|oder|et|ou|y|o|e|en|och|og|и|和|と)?\s?`[^`]*`)+/
const firstClause = (text: string): string =>
  text.replace(MORE_NAMES, '').split(/[.;!?](?:\s|$)|[–—。！？；`]/)[0] ?? ''

/** Takes the names in backticks out of the text before one: it may begin within a name, and never ends in one. */
const withoutNames = (before: string): string =>
  before.split('`').toReversed().filter((_, at) => at % 2 === 0).toReversed().join('`')

const clausesAround = ({ before, after }: CodeSpan): string =>
  `${lastClause(withoutNames(before))} ${firstClause(after)}`

// The rest of a link whose words are the name, and which leads out of the project.
const LINK_ELSEWHERE = /^\]\(https?:/

const isDenied = (words: string): boolean =>
  NOT_CLAIMED.test(words) || WITHOUT_BLANKS.test(words) || SIGN_FOR_WRONG.test(words)

/** Whether a name is claimed to exist, by the marks in it, the clauses around it, and what leads up to it. */
export const isClaimed = (span: CodeSpan): boolean => {
  const { text, before, after, lead } = span
  if (PLACEHOLDER_MARK.test(text) || LINK_ELSEWHERE.test(after)) return false
  const leads = lead.split('\n')
  if (leads.includes(COMMENT)) return false
  const upTo = [lastClause(withoutNames(before)), ...leads]
  return !isDenied(clausesAround(span)) && !leads.some(isDenied)
    && !upTo.some((words) => TO_BE_MADE.test(words))
    && !JUST_BEFORE.test(before) && !MARK_BEFORE.test(before) && !SAID_BEHIND.test(firstClause(after))
    && !MARK_BEHIND.test(after)
}

/** Whether a path has a part that is a placeholder. */
export const isPlaceholder = (path: string): boolean =>
  PLACEHOLDER_PART.test(path) || PLACEHOLDER_NAME.test(path)

/** Whether a path or a pattern without an extension is the name of something else: a branch, a route, a media type. */
export const isOfOtherKind = (path: string, span: CodeSpan): boolean =>
  OTHER_KIND.test(clausesAround(span)) || KIND_BEFORE.test(span.before) || KIND_AFTER.test(span.after)
  || METHOD_BEFORE.test(span.before) || VERSION_OR_NUMBER.test(path)
  || LABEL.test(span.text)
  || ROUTE_OR_MEDIA_TYPE.test(path.split('/')[0]!)
