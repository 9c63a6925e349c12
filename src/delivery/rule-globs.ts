/** Compiles the globs of a rule into a function that tells whether they match a path. */
import { braceExpand, Minimatch } from 'minimatch'
import { posix } from 'node:path'
import { type Budget, NO_ROOM, NO_TIME, sessionBudget, spend } from '../checks/budget.ts'
import { fail, ok, type Result, safe } from '../safe.ts'
import { excerpt } from '../text/quoted-name.ts'

/** Takes all paths of a file (several if links lead to it), relative to the worktree and with `/` as separator. */
export type PathMatcher = (...paths: Array<string>) => boolean

const MAX_LENGTH = 1_000
const MAX_ALTERNATIVES = 1_000

const IN_GIT_FOLDER = /(?:^|\/)\.git(?:\/|$)/

/** Replaces Windows separators (`src\*.ts`), and removes escapes of Markdown formatters (`src/\*.ts`). */
const normalizeBackslashes = (glob: string): string => {
  // In `src\*.ts`, which has no slash, the backslash is a separator.
  const hasEscapedStars = /^\\|\//.test(glob)
  const unescaped = hasEscapedStars ? glob.replace(/\\(?=\*)/g, '') : glob
  // A `\` before a bracket or another sign of globs is an escape.
  return unescaped.replace(/\\+(?![[\]{}()!?+@\\])/g, '/')
}

// Matches `src` in `./src`, `(shop)` in `app/(shop)`, and `[[...slug]]`.
const PLAIN_NAME_AT_END = /(?:^|\/)\.?(?:[^./*?!]|\.{3})+$/

const toWorktreeGlob = (written: string): string => {
  const slashed = normalizeBackslashes(written.normalize())
  // `./src/*` and `lib/../src/*` → `src/*`, `/*.ts` → `*.ts`, `.` → ``.
  const path = posix.normalize(slashed).replace(/^\.?(?:\/|$)/, '')
  if (path === '' || path.endsWith('/')) return `${path}**`
  // Without a slash, a glob matches in any folder.
  return slashed.includes('/') ? path : `**/${path}`
}

// One more than allowed, so that an excess is noticed.
const EXPANSION = { braceExpandMax: MAX_ALTERNATIVES + 1 }

/** Also matches the files in a named folder: `lib` becomes `lib{,/**}`, and for `{a.*,lib}`, `lib/**` is added. */
const withContents = (glob: string): Array<string> => {
  const alternatives = braceExpand(glob, EXPANSION)
  const plainNames = alternatives.filter((each) => PLAIN_NAME_AT_END.test(each))
  const areAllPlain = plainNames.length === alternatives.length
  return areAllPlain ? [`${glob}{,/**}`] : [glob, ...plainNames.map((name) => `${name}/**`)]
}

// VS Code reads `*.{ts}` as `*.ts`, but `minimatch` reads these braces as plain text.
const withoutSingleBraces = (glob: string): string => glob.replace(/(?<!\\)\{((?:(?!\.\.)[^{},])+)\}/g, '$1')

const isNegation = (glob: string): boolean => glob.startsWith('!') && !glob.startsWith('!(')

const unclosedBracketOf = (glob: string): string | undefined => {
  const unescaped = glob.replace(/\\./g, '')
  const countOf = (sign: string) => unescaped.split(sign).length
  return ['[]', '{}'].find(([open, close]) => countOf(open!) > countOf(close!))?.[0]
}

const matcherOf = (
  glob: string,
  spent: { patterns: number },
  budget: Budget,
  matchesContents: boolean,
): Result<(path: string) => boolean> => {
  if (glob.length > MAX_LENGTH) {
    return fail(`a pattern has at most ${MAX_LENGTH} characters, this one has ${glob.length}`)
  }
  const unclosed = unclosedBracketOf(glob)
  if (unclosed) return fail(`the ${unclosed} in ${excerpt(glob)} is not closed`)
  const worktreeGlob = toWorktreeGlob(glob)
  // `[id]` and `{x}` may also be names of folders, so all readings are tried.
  const readings = [worktreeGlob, toWorktreeGlob(withoutSingleBraces(glob))]
    .flatMap((form) => [form, form.replace(/(?<!\\)[[\]]/g, '\\$&')])
    .flatMap((form) => matchesContents ? withContents(form) : form)
  const forms = [...new Set(readings)]
  const options = { dot: true, nonegate: true, nocomment: true, ...EXPANSION }
  for (const form of forms) spent.patterns += braceExpand(form, options).length
  if (spent.patterns > MAX_ALTERNATIVES) {
    return fail(`the globs up to ${excerpt(glob)} expand to more than ${MAX_ALTERNATIVES} patterns`)
  }
  if (spent.patterns > budget.globs) return fail(NO_ROOM)
  const { data: patterns, error } = safe(() => forms.map((form) => new Minimatch(form, options)))
  if (error !== null) return fail(`${excerpt(glob)} is not a valid pattern: ${excerpt(error)}`)
  // Comparing the fixed start of the glob excludes most files cheaply.
  const fixedStart = /^[^*?[\]{}()!+@\\]*/.exec(worktreeGlob)?.[0] ?? ''
  const namesGitFolder = IN_GIT_FOLDER.test(glob)
  return ok((path) =>
    path.startsWith(fixedStart) && (namesGitFolder || !IN_GIT_FOLDER.test(path))
    && patterns.some((pattern) => pattern.match(path))
  )
}

const compileGlobs = (
  globs: Array<string>,
  budget: Budget,
  matchesContents: boolean,
): Result<PathMatcher> => {
  const spent = { patterns: 0 }
  const included: Array<(path: string) => boolean> = []
  const excluded: typeof included = []
  const withInclusion = globs.every(isNegation) ? ['**', ...globs] : globs
  for (const glob of withInclusion) {
    const matcher = matcherOf(isNegation(glob) ? glob.slice(1) : glob, spent, budget, matchesContents)
    if (matcher.error !== null) return matcher
    ;(isNegation(glob) ? excluded : included).push(matcher.data)
  }
  budget.globs -= spent.patterns
  return ok((...paths) => {
    const normal = paths.map((path) => path.normalize())
    return included.some((matches) => normal.some(matches))
      && !excluded.some((matches) => normal.some(matches))
  })
}

/**
 * Fails if a glob is invalid or the budget is spent.
 * Unless `matchesContents` is false, `src` also matches all files in a folder `src`.
 */
export const matcherOfGlobs = (
  globs: Array<string>,
  budget = sessionBudget(),
  matchesContents = true,
): Result<PathMatcher> =>
  budget.ms > 0 ? spend(budget, () => compileGlobs(globs, budget, matchesContents)) : fail(NO_TIME)

/** Returns `src` for `src/**`, but undefined for `*.ts`, `../*` and `!src/**`. */
export const firstFolderOf = (glob: string): string | undefined =>
  isNegation(glob)
    ? undefined
    : /^(?!\.\.\/)((?:[^*?[\]{}!+@/\\]|[!+@](?!\())+)\//.exec(toWorktreeGlob(glob))?.[1]
