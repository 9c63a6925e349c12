/** Compiles the globs of a rule into a function that tells whether they match a path. */
import { braceExpand, Minimatch } from 'minimatch'
import { posix } from 'node:path'
import { type Budget, NO_ROOM, NO_TIME, sessionBudget, spend } from '../checks/budget.ts'
import { fail, ok, type Result, safe } from '../safe.ts'
import { excerpt } from '../text/quoted-name.ts'

/**
 * Whether one of the paths of a file matches, and no path is excluded. Because of links, a file may have several paths.
 * Paths are relative to the worktree and use `/`. An `é` may be one character or, as on macOS, two.
 */
export type PathMatcher = (...paths: Array<string>) => boolean

const MAX_LENGTH = 1_000
const MAX_ALTERNATIVES = 1_000

const IN_GIT_FOLDER = /(?:^|\/)\.git(?:\/|$)/

/** Replaces the separators of Windows (`src\*.ts`), and removes the escapes of a Markdown formatter (`src/\*.ts`). */
const normalizeBackslashes = (glob: string): string => {
  // If a glob contains `/` or starts with `\`, `\*` is an escaped star. In `src\*.ts`, it is a separator and a star.
  const hasEscapedStars = /^\\|\//.test(glob)
  const unescaped = hasEscapedStars ? glob.replace(/\\(?=\*)/g, '') : glob
  // A `\` before a bracket or another sign of globs is an escape, and stays.
  return unescaped.replace(/\\+(?![[\]{}()!?+@\\])/g, '/')
}

// Matches a last path segment without wildcard or extension: `src` in `./src`, `(shop)` in `app/(shop)`, `[[...slug]]`.
const PLAIN_NAME_AT_END = /(?:^|\/)\.?(?:[^./*?!]|\.{3})+$/

/** Converts a glob, as people and editors write it, into one for paths relative to the worktree. */
const toWorktreeGlob = (written: string): string => {
  const slashed = normalizeBackslashes(written.normalize())
  // `./src/*` and `lib/../src/*` → `src/*`, `/*.ts` → `*.ts`, `.` → ``.
  const path = posix.normalize(slashed).replace(/^\.?(?:\/|$)/, '')
  // `src/` → `src/**`, `/` → `**`.
  if (path === '' || path.endsWith('/')) return `${path}**`
  // Without a slash, a glob matches in any folder: `*.ts` → `**/*.ts`.
  return slashed.includes('/') ? path : `**/${path}`
}

// One more than allowed, so that the count shows that there are too many.
const EXPANSION = { braceExpandMax: MAX_ALTERNATIVES + 1 }

/** Adds globs for the contents of names that may be folders: `lib` → `lib{,/**}`; `{a.*,lib}` → itself and `lib/**`. */
const withContents = (glob: string): Array<string> => {
  const alternatives = braceExpand(glob, EXPANSION)
  const plainNames = alternatives.filter((each) => PLAIN_NAME_AT_END.test(each))
  const areAllPlain = plainNames.length === alternatives.length
  return areAllPlain ? [`${glob}{,/**}`] : [glob, ...plainNames.map((name) => `${name}/**`)]
}

// In VS Code, `*.{ts}` is `*.ts`. In `minimatch`, braces around one alternative are plain text.
const withoutSingleBraces = (glob: string): string => glob.replace(/(?<!\\)\{((?:(?!\.\.)[^{},])+)\}/g, '$1')

// `!(a|b)` is an extended glob, not a negation.
const isNegation = (glob: string): boolean => glob.startsWith('!') && !glob.startsWith('!(')

const unclosedBracketOf = (glob: string): string | undefined => {
  const unescaped = glob.replace(/\\./g, '')
  const countOf = (sign: string) => unescaped.split(sign).length
  return ['[]', '{}'].find(([open, close]) => countOf(open!) > countOf(close!))?.[0]
}

/** How many more patterns the globs of the rule, and of the whole session, may expand to. */
type Remaining = { ofRule: number; ofSession: number }

const matcherOf = (
  glob: string,
  remaining: Remaining,
  matchesContents: boolean,
): Result<(path: string) => boolean> => {
  if (glob.length > MAX_LENGTH) {
    return fail(`a pattern has at most ${MAX_LENGTH} characters, this one has ${glob.length}`)
  }
  const unclosed = unclosedBracketOf(glob)
  if (unclosed) return fail(`the ${unclosed} in ${excerpt(glob)} is not closed`)
  const worktreeGlob = toWorktreeGlob(glob)
  // `[id]` may mean `i` or `d`, `{x}` may mean `x`, and both may be names of folders. So all forms are tried.
  const forms = [
    ...new Set(
      [worktreeGlob, toWorktreeGlob(withoutSingleBraces(glob))]
        .flatMap((form) => [form, form.replace(/(?<!\\)[[\]]/g, '\\$&')])
        .flatMap((form) => matchesContents ? withContents(form) : form),
    ),
  ]
  const options = { dot: true, nonegate: true, nocomment: true, ...EXPANSION }
  const count = forms.reduce((sum, form) => sum + braceExpand(form, options).length, 0)
  remaining.ofRule -= count
  remaining.ofSession -= count
  if (remaining.ofRule < 0) {
    return fail(`the globs up to ${excerpt(glob)} expand to more than ${MAX_ALTERNATIVES} patterns`)
  }
  if (remaining.ofSession < 0) return fail(NO_ROOM)
  const { data: patterns, error } = safe(() => forms.map((form) => new Minimatch(form, options)))
  if (error !== null) return fail(`${excerpt(glob)} is not a valid pattern: ${excerpt(error)}`)
  // A rule is matched with every file of a session. Comparing the fixed start of the glob excludes most files cheaply.
  const fixedStart = /^[^*?[\]{}()!+@\\]*/.exec(worktreeGlob)?.[0] ?? ''
  const namesGitFolder = IN_GIT_FOLDER.test(glob)
  return ok((path) => {
    if (!path.startsWith(fixedStart)) return false
    if (IN_GIT_FOLDER.test(path) && !namesGitFolder) return false
    return patterns.some((pattern) => pattern.match(path))
  })
}

const compileGlobs = (
  globs: Array<string>,
  budget: Budget,
  matchesContents: boolean,
): Result<PathMatcher> => {
  const remaining: Remaining = { ofRule: MAX_ALTERNATIVES, ofSession: budget.globs }
  const included: Array<(path: string) => boolean> = []
  const excluded: typeof included = []
  // `!a.ts` alone matches all other files.
  const withInclusion = globs.every(isNegation) ? ['**', ...globs] : globs
  for (const glob of withInclusion) {
    const matcher = matcherOf(isNegation(glob) ? glob.slice(1) : glob, remaining, matchesContents)
    if (matcher.error !== null) return matcher
    ;(isNegation(glob) ? excluded : included).push(matcher.data)
  }
  budget.globs = remaining.ofSession
  return ok((...paths) => {
    const normal = paths.map((path) => path.normalize())
    return included.some((matches) => normal.some(matches))
      && !excluded.some((matches) => normal.some(matches))
  })
}

/**
 * Compiles globs into one matcher: `*.ts, !*.d.ts` match `a.ts`, but not `a.d.ts`. Wildcards match names with a leading
 * dot, as in VS Code and Cline. Unless `matchesContents` is false, `src` also matches all in a folder of this name.
 */
export const matcherOfGlobs = (
  globs: Array<string>,
  budget = sessionBudget(),
  matchesContents = true,
): Result<PathMatcher> =>
  budget.ms > 0 ? spend(budget, () => compileGlobs(globs, budget, matchesContents)) : fail(NO_TIME)

/** Returns the folder with which a glob begins: `src` for `src/**`; undefined for `*.ts`, `../*` and `!src/**`. */
export const firstFolderOf = (glob: string): string | undefined =>
  isNegation(glob)
    ? undefined
    // `@(a|b)` is an alternative, but in `@types` and `(app)`, the signs are a part of the name.
    : /^(?!\.\.\/)((?:[^*?[\]{}!+@/\\]|[!+@](?!\())+)\//.exec(toWorktreeGlob(glob))?.[1]
