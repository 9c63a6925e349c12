/** Defines, counts and groups violations of rules in files. */
import { pluralize } from '../text/pluralize.ts'
import { truncate } from '../text/quoted-name.ts'

/** A violation of a rule: one line (`line`), unlisted lines (`more`) or, if neither is set, a missing required text. */
export type Violation = {
  rule: string
  path: string
  line?: number | undefined
  /** How many lines of the file violate the rule, in addition to the listed lines. */
  more?: number | undefined
  /**
   * How many old lines of the file violate the rule. If `line` is set, counts only lines that equal this line (see
   * `lineKeyOf`). If `more` is set, counts only lines whose text was in no report. Missing if the count is 0.
   */
  tolerated?: number | undefined
  /**
   * The shown text: the line (`shownLine`), `and 3 more lines`, `3 lines not listed before` or `the file lacks what the
   * rule requires`.
   */
  text: string
}

/** How many lines of a file are listed for a rule. Further lines are only counted. */
export const MAX_LINES = 20

/** Returns a line as reports show it. */
export const shownLine = (text: string): string => truncate(text.trim(), 120)

/** Whether a violation is a missing required text. */
export const isLacking = ({ line, more }: Pick<Violation, 'line' | 'more'>): boolean =>
  line === undefined && more === undefined

/** Returns the number of violations, including the lines that are not listed (`more`). */
export const countViolations = (violations: Array<Pick<Violation, 'more'>>): number =>
  violations.reduce((sum, { more = 1 }) => sum + more, 0)

/**
 * Creates a violation for `more` unlisted lines. Returns `[]` if `more` is 0.
 *
 * @param hasListed whether the report also lists lines of this rule and file
 */
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

/** Groups items, such as violations, by their key parts. */
export const groupBy = <Item>(
  items: Array<Item>,
  keyPartsOf: (item: Item) => Array<string>,
): Array<Array<Item>> => {
  const groups = new Map<string, Array<Item>>()
  for (const item of items) {
    const key = JSON.stringify(keyPartsOf(item))
    groups.set(key, groups.get(key) ?? [])
    groups.get(key)!.push(item)
  }
  return [...groups.values()]
}

/** Removes the characters that formatters insert, to compare lines without them: `'x': string;` → `x:string`. */
export const lineKeyOf = (text: string): string => text.replace(/[\s;,()'"`]+/g, '')
