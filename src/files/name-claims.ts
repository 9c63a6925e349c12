/**
 * Whether a text claims that the name in a code span exists, by the words around it and by its form. No claim is made
 * by an example, a plan, a placeholder or a denial, or where it is the name of a branch, a route or a package.
 */
import type { CodeSpan } from './markdown.ts'

/** Makes a pattern for any of these words or patterns that is no part of a longer word, in any script. */
const anyWord = (words: Array<string>): RegExp =>
  new RegExp(`(?<![\\p{L}\\p{N}_])(?:${words.join('|')})(?![\\p{L}\\p{N}_])`, 'iu')

// A mark of a placeholder: `<name>`, `$DIR`, `{id}`, `[id]`, `…`, `:id`, `%s`, a backslash.
const PLACEHOLDER_MARK = /[<>$…\\]|\.\.\.|\{[^,}]*\}|\[[^\]]*[a-z]{2}|(?:^|\/):|%[sd]/i
// A name that is a placeholder: `ComponentName`, `feature-name`, `MyThing`, `NNNN_auto`, one letter as in `src/a/b.ts`.
const PLACEHOLDER_NAME =
  /(?<=[/_.-])(?:[nN]ame|NAME|[xX]{2,}|N{2,}|Y{4})(?![a-z])|(?<=[a-z])Name(?![a-z])|\/[Mm]y[A-Z]|\/[A-Za-z](?=[/.]|$)/
// A part of a path that is a placeholder.
const PLACEHOLDER_PART = anyWord([
  'foo',
  'bar',
  'baz',
  'qux',
  'example',
  'sample',
  'your',
  'my',
  'xxx?',
  'yyyy',
  'path/to',
  '[xyzn]',
])

// Words around a name that make it an example, something yet to be made, denied, or gone on purpose.
const NOT_CLAIMED = anyWord([
  // examples
  'assum\\p{L}*',
  'suppos\\p{L}*',
  'imagin\\p{L}*',
  'e\\.?g',
  'examples?',
  'such as',
  'like',
  'z\\.\\s?b',
  'zum beispiel',
  'par exemple',
  'por ejemplo',
  'per esempio',
  'например',
  // made by somebody or something
  'creat\\p{L}*',
  'generat\\p{L}*',
  'emit\\p{L}*',
  'outputs?',
  'produc\\p{L}*',
  'named',
  'writ\\p{L}+ to',
  'ignored?',
  'gitignored',
  // denied or gone
  'not?',
  'avoid\\p{L}*',
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
  "don[’']t",
  'never',
  'instead of',
  'rather than',
  'remov\\p{L}*',
  'delet\\p{L}*',
  'renam\\p{L}*',
  'moved',
  'gone',
  'former\\p{L}*',
  'old',
  'legacy',
  'deprecated',
  'obsolete',
  'used to',
  // perhaps
  'if',
  'may',
  'might',
  'could',
  'optional\\p{L}*',
  'will',
  'would',
  'planned',
])
// The same in scripts that put no blanks between words, and the signs for wrong.
const NOT_CLAIMED_IN_OTHER_SCRIPTS = /例|たとえば|예를|不要|不得|勿|禁|避|しない|하지|нельзя|[❌✗✘🚫]/u

// Words around a name without an extension that make it none of a file or a folder.
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
])
// Words that do so only right beside the name: "pages are in `src/pages`" names a folder, "the page `app/cart`" does not.
const KIND =
  '(?:page|key|event|topic|queue|channel|permission|role|bucket|feature|flag|name|alias|class)(?:e?s)?'
const KIND_BEFORE = new RegExp(`\\b${KIND}:?\\s*$`, 'i')
const KIND_AFTER = new RegExp(`^\\s*${KIND}\\b`, 'i')
// The first part of a route or a media type, which look like paths without an extension.
const ROUTE_OR_MEDIA_TYPE =
  /^(?:api|apis|v\d+|rest|graphql|trpc|rpc|text|application|image|audio|video|font|multipart)$/i

// A clause ends at a dash, or at a mark with white space behind it, but for that of `e.g.` and the like. Behind a name
// it also ends at the next code span.
const lastClause = (text: string): string =>
  text.split(/(?<!\be\.g|\bi\.e|\bz\.\s?B)[.;!?]\s|[–—]/).at(-1) ?? ''
const firstClause = (text: string): string => text.split(/[.;!?](?:\s|$)|[–—`]/)[0] ?? ''

const clausesAround = ({ before, after }: CodeSpan): string => `${lastClause(before)} ${firstClause(after)}`

// The rest of a link whose words are the name, and which leads out of the project.
const LINK_ELSEWHERE = /^\]\(https?:/

/** Whether a name is claimed to exist, by the marks in it and the clauses around it. */
export const isClaimed = (span: CodeSpan): boolean => {
  if (PLACEHOLDER_MARK.test(span.text) || LINK_ELSEWHERE.test(span.after)) return false
  const around = clausesAround(span)
  return !NOT_CLAIMED.test(around) && !NOT_CLAIMED_IN_OTHER_SCRIPTS.test(around)
}

/** Whether a path has a part that is a placeholder. */
export const isPlaceholder = (path: string): boolean =>
  PLACEHOLDER_PART.test(path) || PLACEHOLDER_NAME.test(path)

/** Whether a path without an extension is the name of something else: a branch, a route, a media type. */
export const isOfOtherKind = (path: string, span: CodeSpan): boolean =>
  OTHER_KIND.test(clausesAround(span)) || KIND_BEFORE.test(span.before) || KIND_AFTER.test(span.after)
  || ROUTE_OR_MEDIA_TYPE.test(path.split('/')[0]!)
