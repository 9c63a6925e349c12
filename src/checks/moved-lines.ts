/** Recognizes lines that only moved, possibly with another indentation: they are no new violations. */
import type { Pattern } from './patterns.ts'

/**
 * Whether a line only moved: a removed line equals it, apart from whitespace, and matches the pattern, too. So if a tab
 * replaced the spaces before a line, the line is new for the pattern `\t`.
 */
export type WasRemoved = (line: string, pattern: Pattern) => boolean

// The maximum number of indexed lines that differ from each other only in whitespace. A lookup may try each of them.
const MAX_VARIANTS = 10

/** Indexes removed lines. Whitespace is ignored, because moving a line into a block indents it. */
export const indexRemoved = (removed: Array<string>): WasRemoved => {
  const withoutBlanks = (text: string) => text.replace(/\s+/g, '')
  const textsByKey = new Map<string, Set<string>>()
  for (const text of removed) {
    const key = withoutBlanks(text)
    const texts = textsByKey.get(key) ?? new Set()
    if (texts.size < MAX_VARIANTS) textsByKey.set(key, texts.add(text))
  }
  return (text, { isIn }) => [...textsByKey.get(withoutBlanks(text)) ?? []].some(isIn)
}
