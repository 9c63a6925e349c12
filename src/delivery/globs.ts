import picomatch from 'picomatch'

/** Tells whether a path, relative to the worktree and with `/`, is meant. */
export type PathMatcher = (path: string) => boolean

const CLOSES: Record<string, string> = { '{': '}', '[': ']', '(': ')' }

const QUOTES: Record<string, string> = { '"': '"', "'": "'" }

/**
 * The globs of a comma-separated string: `*.{ts,tsx}, *.js` are two. A comma parts nothing inside of brackets that
 * are closed, nor in a glob that starts with a quote, which it keeps.
 */
export const splitGlobs = (list: string): Array<string> => {
  const globs: Array<string> = []
  let start = 0
  let index = 0
  for (; index < list.length; index++) {
    const quote = QUOTES[list[index]!]
    const isStart = quote !== undefined && list.slice(start, index).trim() === ''
    const closer = isStart ? quote : CLOSES[list[index]!]
    const end = closer === undefined ? -1 : closingIndex(list, index, closer)
    if (end > index) index = end
    else if (list[index] === ',') {
      globs.push(list.slice(start, index))
      start = index + 1
    }
  }
  globs.push(list.slice(start))
  return globs.map((glob) => glob.trim()).filter((glob) => glob !== '')
}

const closingIndex = (list: string, open: number, closer: string): number => {
  let depth = 1
  for (let index = open + 1; index < list.length; index++) {
    if (list[index] === closer && --depth === 0) return index
    if (list[index] === list[open]) depth++
  }
  return -1
}

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
