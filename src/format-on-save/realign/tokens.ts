/** A word or one sign of a text, white space left out. `key` is what it is compared by. */
export type Token = { start: number; end: number; key: string }

// A word, or one other character: what a formatter moves but does not split.
const TOKEN = /[\p{L}\p{N}_$]+|[^\s]/gu

const keyOf = (text: string): string => text === "'" ? '"' : text

/** The tokens of a stretch of a text, with offsets in the whole text. Both kinds of quotes count as the same sign. */
export const tokenize = (text: string, start: number, end: number): Array<Token> =>
  Array.from(text.slice(start, end).matchAll(TOKEN), ({ 0: word, index }) => ({
    start: start + index,
    end: start + index + word.length,
    key: keyOf(word),
  }))

const OPENING = '([{'
const CLOSING = ')]}'

/** Whether a sign that a formatter put in belongs to what stands after it. */
export const opens = ({ key }: Token): boolean => OPENING.includes(key)

/** Whether a sign that a formatter put in belongs to what stands before it. */
export const closes = ({ key }: Token): boolean => CLOSING.includes(key)

/** Whether a token ends a statement or an item of a list. */
export const separates = ({ key }: Token): boolean => key === ';' || key === ','

/** How many brackets stay open in a run of tokens; negative where more are closed. */
export const depthOf = (tokens: Array<Token>): number =>
  tokens.reduce((depth, token) => depth + (opens(token) ? 1 : closes(token) ? -1 : 0), 0)

/**
 * Whether a formatted run of tokens leaves as many brackets open as the run that it came from; of round ones fewer,
 * where a pair was dropped of which the run had but one half.
 */
export const keepsDepths = (own: Array<Token>, now: Array<Token>): boolean => {
  const depths = (pair: string) =>
    [own, now].map((tokens) => depthOf(tokens.filter(({ key }) => pair.includes(key)))) as [number, number]
  const [round, roundNow] = depths('()')
  return (round === roundNow || Math.abs(roundNow) < Math.abs(round))
    && ['[]', '{}'].every((pair) => new Set(depths(pair)).size === 1)
}

const countKeys = (tokens: Array<Token>): Map<string, number> => {
  const counts = new Map<string, number>()
  for (const { key } of tokens) counts.set(key, (counts.get(key) ?? 0) + 1)
  return counts
}

/** How often each word occurs, signs left out. */
export const wordCounts = (tokens: Array<Token>): Map<string, number> =>
  countKeys(tokens.filter(({ key }) => /[\p{L}\p{N}_$]/u.test(key)))

/** How often each word and each sign occurs, but for brackets and quotes. */
export const tokenCounts = (tokens: Array<Token>): Map<string, number> =>
  countKeys(tokens.filter((token) => !opens(token) && !closes(token) && token.key !== '"'))
