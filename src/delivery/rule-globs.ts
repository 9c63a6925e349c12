import { braceExpand, Minimatch } from 'minimatch'
import { type Budget, NO_ROOM, NO_TIME, sessionBudget, spend } from '../checks/budget.ts'
import { fail, ok, type Result, safe } from '../safe.ts'
import { excerpt } from '../text/quoted-name.ts'

/** Whether a path, relative to the worktree and with `/`, matches. `é` may be one character or two, as macOS writes it. */
export type PathMatcher = (path: string) => boolean

const MAX_LENGTH = 1_000
const MAX_ALTERNATIVES = 1_000

// What is in it is meant only where a pattern names it.
const OF_GIT = /(?:^|\/)\.git(?:\/|$)/

// No one escapes a letter, and a star only by a formatter of Markdown.
const WINDOWS_SEPARATOR = /\\+(?![[\]{}()!?+@\\])/g
const ESCAPED_STAR = /\\(?=\*)/g

// People also write `./src`, `/src` and `src/` for what is in a folder of the worktree's root, and `*.ts` for all files
// with that ending: without a slash, a pattern is one for names, in any folder. A name without an ending may be a folder's, too.
const rooted = (written: string): string => {
  const glob = written.normalize()
  const given = (/^\\|\//.test(glob) ? glob.replace(ESCAPED_STAR, '') : glob).replace(WINDOWS_SEPARATOR, '/')
  const path = given.replace(/^(?:\.?\/)+/, '')
  if (path === '' || path.endsWith('/')) return `${path}**`
  const below = /(?:^|\/)[.@]?[^./*?[\]{}()!+@\\]+$/.test(path) ? '{,/**}' : ''
  return (given.includes('/') ? path : `**/${path}`) + below
}

// `!(a|b)` is an extended glob, not a negation.
const isNegation = (glob: string): boolean => glob.startsWith('!') && !glob.startsWith('!(')

/** Says which bracket of a glob is not closed; undefined where all are. */
const openBracketOf = (glob: string): string | undefined => {
  const plain = glob.replace(/\\./g, '')
  return ['[]', '{}'].find(([open, close]) => plain.split(open!).length > plain.split(close!).length)?.[0]
}

/** How many patterns a rule, and all rules, may still stand for. */
type Room = { rule: number } & Pick<Budget, 'globs'>

const matcherOf = (glob: string, room: Room): Result<PathMatcher> => {
  if (glob.length > MAX_LENGTH) {
    return fail(`a pattern of ${glob.length} characters; at most ${MAX_LENGTH} are read`)
  }
  const open = openBracketOf(glob)
  if (open) return fail(`the ${open} in ${excerpt(glob)} is not closed`)
  const plain = rooted(glob)
  // In `app/[id]/**` the brackets may be of the folder's name.
  const asNames = plain.replace(/(?<!\\)[[\]]/g, '\\$&')
  const options = { dot: true, nonegate: true, nocomment: true, braceExpandMax: MAX_ALTERNATIVES + 1 }
  const forms = [...new Set([plain, asNames])]
  const count = forms.reduce((sum, one) => sum + braceExpand(one, options).length, 0)
  room.rule -= count
  room.globs -= count
  if (room.rule < 0) {
    return fail(`with ${excerpt(glob)} its globs stand for more than ${MAX_ALTERNATIVES} patterns`)
  }
  if (room.globs < 0) return fail(NO_ROOM)
  const made = safe(() => forms.map((one) => new Minimatch(one, options)))
  if (made.error !== null) return fail(`${excerpt(glob)} is no pattern: ${excerpt(made.error)}`)
  const patterns = made.data
  // Most files are ruled out by how a glob begins: a rule is tried with each file of a session.
  const start = /^[^*?[\]{}()!+@\\]*/.exec(plain)?.[0] ?? ''
  const isMeant = (path: string) => OF_GIT.test(glob) || !OF_GIT.test(path)
  return ok((path) => path.startsWith(start) && isMeant(path) && patterns.some((one) => one.match(path)))
}

const compileGlobs = (globs: Array<string>, budget: Budget): Result<PathMatcher> => {
  const room: Room = { rule: MAX_ALTERNATIVES, globs: budget.globs }
  const wanted: Array<PathMatcher> = []
  const unwanted: Array<PathMatcher> = []
  for (const glob of globs.every(isNegation) ? ['**', ...globs] : globs) {
    const matcher = isNegation(glob)
      ? matcherOf(glob.slice(1), room)
      : matcherOf(glob, room)
    if (matcher.error !== null) return matcher
    ;(isNegation(glob) ? unwanted : wanted).push(matcher.data)
  }
  budget.globs = room.globs
  return ok((path) => {
    const normal = path.normalize()
    return wanted.some((matches) => matches(normal)) && !unwanted.some((matches) => matches(normal))
  })
}

/**
 * Makes the matcher of a rule's globs: a path must match one of them, and none that starts with `!`. Where all start
 * with `!`, all other paths match. Wildcards match names with a leading dot, as those of VS Code and Cline do.
 */
export const matcherOfAll = (globs: Array<string>, budget = sessionBudget()): Result<PathMatcher> =>
  budget.ms > 0 ? spend(budget, () => compileGlobs(globs, budget)) : fail(NO_TIME)

/** Gives the first folder that a glob can match in, if it names one below the worktree: `src` for `src/**`. */
export const firstFolderOf = (glob: string): string | undefined =>
  isNegation(glob) ? undefined : /^(?!\.\.\/)([^*?[\]{}()!+@/]+)\//.exec(rooted(glob))?.[1]
