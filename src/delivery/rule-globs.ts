/** Compiles the globs of a rule into a function that tells whether they match a path. */
import { braceExpand, Minimatch } from 'minimatch'
import { type Budget, NO_ROOM, NO_TIME, sessionBudget, spend } from '../checks/budget.ts'
import { fail, ok, type Result, safe } from '../safe.ts'
import { excerpt } from '../text/quoted-name.ts'

/** Whether a path relative to the worktree, with `/`, matches. An `é` may be one character or, as on macOS, two. */
export type PathMatcher = (path: string) => boolean

const MAX_LENGTH = 1_000
const MAX_ALTERNATIVES = 1_000

const OF_GIT = /(?:^|\/)\.git(?:\/|$)/

/** Replaces the separators of Windows with `/`: `src\*.ts` → `src/*.ts`. Unescapes stars: `src/\*.ts`, `\*.ts`. */
const normalizeBackslashes = (glob: string): string => {
  // If a glob starts with `\` or has a `/`, a Markdown formatter escaped its stars. Else, the `\` of `\*` separates.
  const hasEscapedStars = /^\\|\//.test(glob)
  const unescaped = hasEscapedStars ? glob.replace(/\\(?=\*)/g, '') : glob
  // A `\` before a bracket or another sign of globs is an escape, and stays.
  return unescaped.replace(/\\+(?![[\]{}()!?+@\\])/g, '/')
}

/** Converts a glob, as people and editors write it, into one for paths relative to the worktree. */
const toWorktreeGlob = (written: string): string => {
  const slashed = normalizeBackslashes(written.normalize())
  const path = slashed.replace(/^(?:\.?\/)+/, '')
  // `src/` and `./src/` → `src/**`, `/` → `**`.
  if (path === '' || path.endsWith('/')) return `${path}**`
  // A last name without wildcard and extension may be a file or a folder: `/src` and `./src` → `src{,/**}`.
  const mayEndInFolder = /(?:^|\/)[.@]?[^./*?[\]{}()!+@\\]+$/.test(path)
  // A glob without a slash is a name in any folder: `src` → `**/src{,/**}`, `*.ts` → `**/*.ts`.
  return (slashed.includes('/') ? path : `**/${path}`) + (mayEndInFolder ? '{,/**}' : '')
}

// `!(a|b)` is an extended glob, not a negation.
const isNegation = (glob: string): boolean => glob.startsWith('!') && !glob.startsWith('!(')

const unclosedBracketOf = (glob: string): string | undefined => {
  const unescaped = glob.replace(/\\./g, '')
  const countOf = (sign: string) => unescaped.split(sign).length
  return ['[]', '{}'].find(([open, close]) => countOf(open!) > countOf(close!))?.[0]
}

/** How many more patterns the globs of the current rule (`rule`) and of all rules (`session`) may expand to. */
type GlobBudget = { rule: number; session: number }

const matcherOf = (glob: string, remaining: GlobBudget): Result<PathMatcher> => {
  if (glob.length > MAX_LENGTH) {
    return fail(`a pattern has at most ${MAX_LENGTH} characters, this one has ${glob.length}`)
  }
  const unclosed = unclosedBracketOf(glob)
  if (unclosed) return fail(`the ${unclosed} in ${excerpt(glob)} is not closed`)
  const worktreeGlob = toWorktreeGlob(glob)
  // In `app/[id]/**`, `[id]` may be one of two characters or the name of a folder, so the glob has two forms.
  const escaped = worktreeGlob.replace(/(?<!\\)[[\]]/g, '\\$&')
  const forms = [...new Set([worktreeGlob, escaped])]
  const options = { dot: true, nonegate: true, nocomment: true, braceExpandMax: MAX_ALTERNATIVES + 1 }
  const count = forms.reduce((sum, form) => sum + braceExpand(form, options).length, 0)
  remaining.rule -= count
  remaining.session -= count
  if (remaining.rule < 0) {
    return fail(`the globs up to ${excerpt(glob)} expand to more than ${MAX_ALTERNATIVES} patterns`)
  }
  if (remaining.session < 0) return fail(NO_ROOM)
  const { data: patterns, error } = safe(() => forms.map((form) => new Minimatch(form, options)))
  if (error !== null) return fail(`${excerpt(glob)} is not a valid pattern: ${excerpt(error)}`)
  // A rule is matched with every file of a session. Comparing the fixed start of the glob excludes most files cheaply.
  const fixedStart = /^[^*?[\]{}()!+@\\]*/.exec(worktreeGlob)?.[0] ?? ''
  // Files in `.git` match only a glob that names that folder.
  const mayMatch = (path: string) => path.startsWith(fixedStart) && (OF_GIT.test(glob) || !OF_GIT.test(path))
  return ok((path) => mayMatch(path) && patterns.some((pattern) => pattern.match(path)))
}

const compileGlobs = (globs: Array<string>, budget: Budget): Result<PathMatcher> => {
  const remaining: GlobBudget = { rule: MAX_ALTERNATIVES, session: budget.globs }
  const included: Array<PathMatcher> = []
  const excluded: Array<PathMatcher> = []
  for (const glob of globs.every(isNegation) ? ['**', ...globs] : globs) {
    const matcher = matcherOf(isNegation(glob) ? glob.slice(1) : glob, remaining)
    if (matcher.error !== null) return matcher
    ;(isNegation(glob) ? excluded : included).push(matcher.data)
  }
  budget.globs = remaining.session
  return ok((path) => {
    const normal = path.normalize()
    return included.some((matches) => matches(normal)) && !excluded.some((matches) => matches(normal))
  })
}

/**
 * Compiles globs into one matcher. A path must match one of the globs without `!`, if there are any, and none of those
 * with `!`. Wildcards match names with a leading dot, as in VS Code and Cline.
 */
export const matcherOfGlobs = (globs: Array<string>, budget = sessionBudget()): Result<PathMatcher> =>
  budget.ms > 0 ? spend(budget, () => compileGlobs(globs, budget)) : fail(NO_TIME)

/** Returns the folder with which a glob begins: `src` for `src/**`; undefined if there is none, or for a `!` glob. */
export const firstFolderOf = (glob: string): string | undefined =>
  isNegation(glob) ? undefined : /^(?!\.\.\/)([^*?[\]{}()!+@/]+)\//.exec(toWorktreeGlob(glob))?.[1]
