/** Normalizes a text, so that words are found in it even if a model copied them inexactly. */
import { hasWords } from '../text/words.ts'
import { SPACELESS } from './lines.ts'

/** From the strictest comparison to the loosest. */
export const COMPARISONS = [
  // Ignores hidden characters, and differences in whitespace, `>` marks of quotations and the encoding of accents.
  'exact',
  // Also ignores case, spaces in Chinese or Japanese text, and the kind of each quotation mark, dash or ellipsis.
  'folded',
  // Also ignores emphasis marks.
  'unmarked',
] as const
export type Comparison = (typeof COMPARISONS)[number]

/**
 * A text as it is compared, and where each of its UTF-16 units starts and ends in the original:
 * `'a  b'` → `{ units: 'a b', starts: [0, 1, 3], ends: [1, 3, 4] }`
 */
export type NormalizedText = { units: string; starts: Array<number>; ends: Array<number> }

export const normalize = (text: string, comparison: Comparison): NormalizedText => {
  const normalized: NormalizedText = { units: '', starts: [], ends: [] }
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    const end = index + token.length
    const units = unitsOf(token, text[index - 1] ?? '', text[end] ?? '', comparison)
    normalized.units += units
    const hasSameLength = units.length === token.length
    for (let unit = 0; unit < units.length; unit++) {
      normalized.starts.push(hasSameLength ? index + unit : index)
      normalized.ends.push(hasSameLength ? index + unit + 1 : end)
    }
  }
  return normalized
}

const TOKEN = new RegExp(
  [
    // A line break, with the `>` marks (but no `>=`) that continue a quotation on the next line
    String.raw`\s*[\r\n](?:\s|>(?!=))*`,
    String.raw`\s+`,
    // A mark such as `⟦U+200B⟧`, which SAT shows instead of a hidden character
    String.raw`⟦U\+[0-9A-F]+⟧`,
    '[*_~]+',
    String.raw`\.{3,}`,
    String.raw`\p{Cf}|\uFE0F`,
    String.raw`\P{M}\p{M}+`,
    '[^]',
  ].join('|'),
  'gu',
)

const HIDDEN = /^(?:⟦.*⟧|\p{Cf}|\uFE0F)$/u
const SPACELESS_ONLY = new RegExp(`^[${SPACELESS}。、，；：！？]+$`, 'u')

const unitsOf = (token: string, before: string, after: string, comparison: Comparison): string => {
  if (HIDDEN.test(token)) return ''
  if (/^\s/.test(token)) {
    return comparison !== 'exact' && SPACELESS_ONLY.test(before + after) ? '' : ' '
  }
  if (comparison === 'unmarked' && isEmphasis(token, before, after)) return ''
  // In Unicode, U+FE0F, which makes a sign an emoji (⚠ → ⚠️), counts as an accent.
  const composed = token.length > 1 ? token.replace('\uFE0F', '').normalize('NFC') : token
  return comparison === 'exact' ? composed : fold(composed)
}

const isEmphasis = (token: string, before: string, after: string): boolean => {
  const isBetweenSpaces = (before + after).trim() === ''
  const isInName = token.startsWith('_') && hasWords(before) && hasWords(after)
  return /^[*_~]+$/.test(token) && !isBetweenSpaces && !isInName
}

const fold = (token: string): string =>
  token.replace(/["“”„‟‘’‚‛«»‹›「」『』〝〞＂＇`´]/g, "'").replace(/[‐-―−]/g, '-').replace(/^\.{3,}$/, '…')
    // Makes `STRASSE` equal to `straße`, and `Σ` to `σ` and `ς`.
    .toUpperCase().toLowerCase()
