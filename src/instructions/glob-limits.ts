// A pattern becomes a regular expression, which tries each way in which its wildcards can share a path. Measured with
// these limits and the worst path: a quarter of a second; one more star takes fifty times as long.
const MAX_LENGTH = 1_000
const MAX_STARS = 4
const MAX_GLOBSTARS = 3
const MAX_ALTERNATIVES = 1_000

/**
 * A group in braces or parentheses while it is read: `stars` and `ways` are of the alternative that is being read,
 * `most` (stars) and `sum` (of ways) of those before it.
 */
type Group = { stars: number; ways: number; most: number; sum: number }

const newGroup = (): Group => ({ stars: 0, ways: 1, most: 0, sum: 0 })

/** Counts the stars between two slashes in the costliest alternative, and the patterns that all braces stand for. */
const costOf = (glob: string): { stars: number; ways: number } => {
  const open = [newGroup()]
  let stars = 0
  const close = (): void => {
    const { most, sum, ...last } = open.pop()!
    const outer = open.at(-1)!
    outer.stars += Math.max(most, last.stars)
    outer.ways *= sum + last.ways
  }
  for (let index = 0; index < glob.length; index++) {
    const character = glob[index]!
    const group = open.at(-1)!
    if (character === '*' && glob[index - 1] !== '*') group.stars++
    stars = Math.max(stars, open.reduce((all, one) => all + one.stars, 0))
    if (character === '/') group.stars = 0
    if (character === '{' || character === '(') open.push(newGroup())
    else if (open.length > 1 && (character === ',' || character === '|')) {
      Object.assign(group, {
        stars: 0,
        ways: 1,
        most: Math.max(group.most, group.stars),
        sum: group.sum + group.ways,
      })
    } else if (open.length > 1 && (character === '}' || character === ')')) close()
    stars = Math.max(stars, open.reduce((all, one) => all + one.stars, 0))
  }
  while (open.length > 1) close()
  return { stars, ways: open[0]!.ways }
}

/** Says why a pattern could take seconds to match; `null` where it cannot. */
export const whyCostly = (glob: string): string | null => {
  if (glob.length > MAX_LENGTH) {
    return `a pattern of ${glob.length} characters; at most ${MAX_LENGTH} are read`
  }
  // A `/**` at the end matches all that is left of a path, and costs nothing.
  const globstars = glob.replace(/\/\*\*$/, '').split('**').length - 1
  const { stars, ways } = costOf(glob)
  const name = glob.length > 80 ? `${glob.slice(0, 80)}…` : glob
  if (globstars > MAX_GLOBSTARS) return `${name} has ${globstars} times **; at most ${MAX_GLOBSTARS} are read`
  if (stars > MAX_STARS) {
    return `${name} has ${stars} stars between two slashes; at most ${MAX_STARS} are read`
  }
  if (ways > MAX_ALTERNATIVES) {
    return `the braces of ${name} stand for ${ways} patterns; at most ${MAX_ALTERNATIVES} are read`
  }
  return /[+*]\(/.test(glob) ? `${name} has a repeated group, +(…) or *(…); list what is meant` : null
}
