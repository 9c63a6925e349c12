/** Defines, counts and groups violations of rules in files. */
import { pluralize } from '../text/pluralize.ts'
import { truncate } from '../text/quoted-name.ts'

/** A violation of a rule: one line (`line`), unlisted lines (`more`) or, if neither is set, a missing required text. */
export type Violation = {
  rule: string
  path: string
  line?: number | undefined
  /** How many lines violate the rule, in addition to the listed lines. */
  more?: number | undefined
  /** If `line` is set: how many older lines equal it. If `more` is set: how many older violations were never reported. */
  tolerated?: number | undefined
  /**
   * The shown text: the line (`shownLine`), `and 3 more lines`, `3 lines not listed before` or `the file lacks what the
   * rule requires`.
   */
  text: string
}

/** How many lines of a file are listed for a rule. */
export const MAX_LINES = 20

export const shownLine = (text: string): string => truncate(text.trim(), 120)

/** Whether a violation is a missing required text. */
export const isLacking = ({ line, more }: Pick<Violation, 'line' | 'more'>): boolean =>
  line === undefined && more === undefined

export const countViolations = (violations: Array<Pick<Violation, 'more'>>): number =>
  violations.reduce((sum, { more = 1 }) => sum + more, 0)

/** Returns one violation for all `more` unlisted lines, or `[]` if `more` is 0. */
export const unlistedLines = (
  more: number,
  { rule, path, tolerated }: Pick<Violation, 'rule' | 'path' | 'tolerated'>,
  hasListed = true,
): Array<Violation> => {
  const text = hasListed
    ? `and ${pluralize(more, 'more line')}`
    : `${pluralize(more, 'line')} not listed before`
  return more > 0 ? [{ rule, path, text, more, tolerated }] : []
}

export const groupBy = <Item, Key>(items: Array<Item>, keyOf: (item: Item) => Key): Map<Key, Array<Item>> => {
  const groups = new Map<Key, Array<Item>>()
  for (const item of items) {
    const key = keyOf(item)
    groups.set(key, groups.get(key) ?? [])
    groups.get(key)!.push(item)
  }
  return groups
}

/** Creates a filter that drops an item once for each copy in `others`: with `['a']`, it turns `a, a, b` into `a, b`. */
export const dropCopiesOf = <Item>(others: Array<Item>): (item: Item) => boolean => {
  const copiesLeft = new Map<Item, number>()
  for (const item of others) copiesLeft.set(item, (copiesLeft.get(item) ?? 0) + 1)
  return (item) => {
    const left = copiesLeft.get(item) ?? 0
    copiesLeft.set(item, Math.max(0, left - 1))
    return left === 0
  }
}

/** Removes the characters that formatters insert: `'x': string;` → `x:string`. */
export const lineKeyOf = (text: string): string => text.replace(/[\s;,()'"`]+/g, '')
