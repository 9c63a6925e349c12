import picomatch from 'picomatch'

/** Tells whether a path, relative to the worktree and with `/`, matches. */
export type PathMatcher = (path: string) => boolean

// People also write `./src`, `/src` and `src/` for what is in a folder of the worktree's root.
const rooted = (glob: string): string => {
  const path = glob.replace(/^(?:\.?\/)+/, '')
  return path === '' || path.endsWith('/') ? `${path}**` : path
}

/**
 * Makes the matcher of a rule's globs: a path must match one of them, and none that starts with `!`. Where all start
 * with `!`, all other paths match. A name with a leading dot matches only where a glob has the dot.
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
  // A glob such as `app/[id]/page.tsx` may be the very path of a file.
  return (path) => tests.some(({ glob, match }) => glob === path || match.test(path))
}

// `!(a|b)` is an extended glob, no negation.
const isNegation = (glob: string): boolean => glob.startsWith('!') && !glob.startsWith('!(')
