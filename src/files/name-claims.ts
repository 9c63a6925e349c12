/**
 * Whether a text claims that the name in a code span is there: by the words of the clauses around it, and by its form.
 * An example, a plan, a placeholder, what is denied and what is of another kind is not claimed.
 */
import type { CodeSpan } from './markdown.ts'

/** One of these words or patterns, not within a longer word of any script. */
const anyWord = (words: Array<string>): RegExp =>
  new RegExp(`(?<![\\p{L}\\p{N}_])(?:${words.join('|')})(?![\\p{L}\\p{N}_])`, 'iu')

// Marks of a name that stands for others: `<name>`, `$DIR`, `{id}`, `[id]`, `…`, `:id`, `%s`, a backslash.
const PLACEHOLDER_MARK = /[<>$…\\]|\.\.\.|\{[^,}]*\}|\[[^\]]*[a-z]{2}|(?:^|\/):|%[sd]/i
// `ComponentName`, `feature-name`, `0001-title`, `MyThing`, `NNNN_auto`, `src/FEATURE/x.ts`, and parts of one letter, as
// in `src/a/b.ts`.
const PLACEHOLDER_NAME =
  /(?<=[/_.-])(?:[nN]ame|NAME|[tT]itle|[sS]lug|[xX]{2,}|N{2,}|Y{4})(?![a-z])|(?<=[a-z])Name(?![a-z])|\/[Mm]y[A-Z_]|(?<=\/)[A-Z]{3,}(?=\/)|\/[A-Za-z](?=[/.]|$)/
// Parts of a path that people put where any name may stand.
const PLACEHOLDER_PART = anyWord([
  'foo',
  'bar',
  'baz',
  'qux',
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

// Words by which a name is an example, is denied, is gone on purpose, is another project's, or may be there.
const NOT_CLAIMED = anyWord([
  // examples
  'assum\\p{L}*',
  'suppos\\p{L}*',
  'imagin\\p{L}*',
  'hypothetical\\p{L}*',
  'placeholders?',
  'e\\.?g',
  'examples?',
  'for instance',
  'such as',
  'like',
  'z\\.\\s?b',
  'zum beispiel',
  'par exemple',
  'por ejemplo',
  'per esempio',
  'например',
  // denied or gone
  'not?',
  "\\p{L}+n[’']t",
  'cannot',
  'avoid\\p{L}*',
  'without',
  'unlike',
  'bad',
  'wrong',
  'incorrect',
  'nicht',
  'kein\\p{L}*',
  'nie(?:mals)?',
  'pas',
  'jamais',
  'nunca',
  'evit\\p{L}*',
  'vermeid\\p{L}*',
  'never',
  'instead of',
  'rather than',
  'remov\\p{L}*',
  'delet\\p{L}*',
  'dropped',
  'renam\\p{L}*',
  'moved',
  'migrated',
  'replaced',
  'superseded',
  'gone',
  'former\\p{L}*',
  'previous\\p{L}*',
  'old',
  'legacy',
  'deprecated',
  'obsolete',
  'used to',
  // perhaps
  'if',
  'unless',
  'whether',
  'in case',
  'may',
  'might',
  'could',
  'either',
  'any of',
  'whichever',
  'look for',
  'optional\\p{L}*',
  'ignored?',
  'gitignored',
  // later
  'will',
  'would',
  'planned',
  'todo',
  'soon',
  'future',
  // somebody else's
  'upstream',
  '(?:other|another|separate|sibling|different) (?:project|repo(?:sitory)?)',
])
// Words by which what they name is yet to be made.
const TO_BE_MADE = anyWord([
  'creat\\p{L}*',
  'generat\\p{L}*',
  'emit\\p{L}*',
  'outputs?',
  'produc\\p{L}*',
  'named',
  'writ\\p{L}+ (?:\\S+ ){0,4}(?:to|as)',
  '(?:save|saves|saving|copy|copies|export|exports|compil\\p{L}*|download\\p{L}*|append\\p{L}*|render\\p{L}*)'
  + ' (?:\\S+ ){0,4}(?:to|as|in|into|under)',
])
const JUST_BEFORE = /(?:\badd(?: an?)?|\bplan:|\blater|\bwas|\bwere|~~|<!--[^>]*)\s*$/i
// What is said of a name behind it: that it is made by something, is another's in the end, or is there at all.
const SAID_BEHIND = anyWord([
  '(?:is|are|gets?|be|been) (?:\\p{L}+ )?(?:created|generated|emitted|produced|written|built|downloaded)',
  '(?:has|have) been',
  'was',
  'were',
  'exists?',
])
const ARROW_BEHIND = /^\s*(?:→|⇒|[-=]>)/
const NOT_CLAIMED_IN_OTHER_SCRIPTS = /例|たとえば|예를|不要|不得|勿|禁|避|しない|하지|нельзя|[❌✗✘🚫]/u

// Words by which a name without an extension is none of a file or a folder.
const OTHER_KIND = anyWord([
  'branch(?:es)?',
  'commits?',
  'prefix(?:es|ed)?',
  'labels?',
  'tags?',
  'scopes?',
  'routes?',
  'endpoints?',
  'urls?',
  'packages?',
  'modules?',
  'imports?',
  'images?',
  'repo(?:s|sitory|sitories)?',
  'requests?',
  'rules?',
  'jobs?',
  'workflows?',
  'quer(?:y|ies)',
  'mutations?',
  'procedures?',
])
// Words that say so only right beside the name: "pages are in `src/pages`" speaks of a folder, "the page `app/cart`" does not.
const KIND =
  '(?:page|key|table|check|event|topic|queue|channel|permission|role|bucket|feature|flag|name|alias|class)(?:e?s)?'
const KIND_BEFORE = new RegExp(`\\b${KIND}:?\\s*$`, 'i')
const KIND_AFTER = new RegExp(`^\\s*${KIND}\\b`, 'i')
// The words of a protocol, in capitals, before a route.
const METHOD_BEFORE = /\b(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS|t?RPC)\b[^`]*$/
// How a route or a media type begins, which look like paths without an extension.
const ROUTE_OR_MEDIA_TYPE =
  /^(?:api|apis|v\d+|rest|graphql|trpc|rpc|text|application|image|audio|video|font|multipart)$/i

const lastClause = (text: string): string =>
  text.split(/(?<!\be\.g|\bi\.e|\bz\.\s?B)[.;!?]\s|[–—]/).at(-1) ?? ''
const firstClause = (text: string): string => text.split(/[.;!?](?:\s|$)|[–—`]/)[0] ?? ''

const clausesAround = ({ before, after }: CodeSpan): string => `${lastClause(before)} ${firstClause(after)}`

// The words of a link that leads out of the project.
const LINK_ELSEWHERE = /^\]\(https?:/

const isDenied = (words: string): boolean =>
  NOT_CLAIMED.test(words) || NOT_CLAIMED_IN_OTHER_SCRIPTS.test(words)

/** Whether the text around a name, what leads up to it, and the marks in it, leave it a claim. */
export const isClaimed = (span: CodeSpan): boolean => {
  const { text, before, after, lead } = span
  if (PLACEHOLDER_MARK.test(text) || LINK_ELSEWHERE.test(after)) return false
  const leads = lead.split('\n')
  const upTo = [lastClause(before), ...leads]
  return !isDenied(clausesAround(span)) && !leads.some(isDenied)
    && !upTo.some((words) => TO_BE_MADE.test(words))
    && !JUST_BEFORE.test(before) && !SAID_BEHIND.test(firstClause(after)) && !ARROW_BEHIND.test(after)
}

/** Whether a path has a part that people put where any name may stand. */
export const isPlaceholder = (path: string): boolean =>
  PLACEHOLDER_PART.test(path) || PLACEHOLDER_NAME.test(path)

/** Whether a path without an extension is the name of something else: a branch, a route, a media type. */
export const isOfOtherKind = (path: string, span: CodeSpan): boolean =>
  OTHER_KIND.test(clausesAround(span)) || KIND_BEFORE.test(span.before) || KIND_AFTER.test(span.after)
  || METHOD_BEFORE.test(span.before) || ROUTE_OR_MEDIA_TYPE.test(path.split('/')[0]!)
