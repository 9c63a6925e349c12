import picomatch from 'picomatch'

/** Tells whether a path, relative to the worktree and with `/`, is meant. */
export type PathMatcher = (path: string) => boolean

// `./src`, `/src` and `src/` are how people also write what is meant from the worktree's root.
const rooted = (glob: string): string => {
  const path = glob.replace(/^(?:\.?\/)+/, '')
  return path === '' || path.endsWith('/') ? `${path}**` : path
}

/**
 * A matcher for a rule's globs: a path is meant if one of them matches and none that starts with `!` does. Where all
 * start with `!`, every other path is meant. Files and folders with a leading dot match only where a glob names
 * them.
 */
export const matcherOf = (globs: Array<string>): PathMatcher => {
  const wanted = globs.filter((glob) => !isNegation(glob))
  const isWanted = matcherOfAny(wanted.length > 0 ? wanted : ['**'], false)
  const isUnwanted = matcherOfAny(globs.filter(isNegation).map((glob) => glob.slice(1)), true)
  return (path) => isWanted(path) && !isUnwanted(path)
}

// The library's own matcher makes an object for each path, which costs more than the match.
const matcherOfAny = (globs: Array<string>, dot: boolean): PathMatcher => {
  const tests = globs.map(rooted).map((glob) => ({
    glob,
    match: picomatch.makeRe(glob, { nonegate: true, dot }),
  }))
  // A path may hold what means something in a glob, as in `app/[id]/page.tsx`: then it means itself too.
  return (path) => tests.some(({ glob, match }) => glob === path || match.test(path))
}

// `!(a|b)` is an extended glob, no negation.
const isNegation = (glob: string): boolean => glob.startsWith('!') && !glob.startsWith('!(')
