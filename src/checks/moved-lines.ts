/** Recognizes lines that only moved, possibly with another indentation: they are not reported again. */
import type { Pattern } from './patterns.ts'

/**
 * Whether a line only moved: a removed line equals it, apart from whitespace, and matches the pattern, too. For the
 * pattern `\t`, a line did not only move if a tab replaced the spaces of its indentation.
 */
export type WasRemoved = (line: string, pattern: Pattern) => boolean

// How many removed lines that differ only in whitespace are indexed. A lookup may try each of them.
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
