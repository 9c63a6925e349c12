/** A character that a person does not see and a model does: `index` counts UTF-16 units from 0, `line` lines from 1. */
export type HiddenCharacter = { index: number; line: number; codePoint: string; length: number }

// Hidden are, by Unicode's properties: Default_Ignorable_Code_Point, what is drawn as nothing (zero widths, fillers,
// variation selectors, tags); Noncharacter_Code_Point, what no text has; Bidi_Control, what turns the reading order;
// Cs, half of a character; Cc, the control characters but for tabs and line breaks. By their code points: the blank of
// Braille, the headless note, the filler of Khitan, the joiners of hieroglyphs and other marks that are drawn as
// nothing.
const HIDDEN =
  /[\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\p{Bidi_Control}\p{Cs}\u2028\u2029\u2800\uFFF9-\uFFFB\u{1D159}\u{13430}-\u{13440}\u{16FE4}]|(?![\t\n\r])\p{Cc}/gu

// The flags of England, Scotland and Wales are the only emoji that are written with tags.
const TAG_FLAGS = ['gbeng', 'gbsct', 'gbwls'].map((region) =>
  [...region].map((letter) => String.fromCodePoint(0xe0000 + (letter.codePointAt(0) ?? 0))).join('')
  + '\u{E007F}'
)

// A joiner between two pictographs makes one emoji of them, which may have a skin tone or a selector before it.
const PICTOGRAPH_BEFORE = /(?:\p{Extended_Pictographic}|\p{Emoji_Modifier})\uFE0F?$/u
const PICTOGRAPH_AFTER = /^\p{Extended_Pictographic}/u
// A selector shows an emoji in colour or as text; behind a digit only within a keycap.
const EMOJI_BEFORE = /\p{Emoji}$/u
const KEY_BEFORE = /[\d#*]$/
const KEYCAP_AFTER = /^\u20E3/
// Standardised variants: of operators, of Myanmar and Phags-pa letters.
const VARIANT_BEFORE = /(?:[\p{Script=Myanmar}\p{Script=Phags_Pa}]|(?![+<=>|~])\p{Sm})$/u
// An ideograph with a selector is how some names are written; the register of variants goes up to 32 for one.
const IDEOGRAPH_VARIANT = /\p{Unified_Ideograph}([\uFE00-\uFE02\u{E0100}-\u{E01EF}])/gu
const LAST_REGISTERED = 0xe011f
// The free variation selectors and the vowel separator belong to Mongolian alone.
const MONGOLIAN_BEFORE = /\p{Script=Mongolian}$/u

// Scripts whose letters change their form by a joiner or non-joiner between them.
const JOINING_BEFORE =
  /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mandaic}\p{Script=Nko}\p{Script=Mongolian}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Tibetan}\p{Script=Myanmar}]$/u

/** How many UTF-16 units on each side of a character decide whether it is needed. */
const CONTEXT = 16

// The hidden characters that some script or emoji is written with.
const MAY_BE_NEEDED = /^[\u200C\u200D\uFE00\uFE0E\uFE0F\u180B-\u180F\u{E0020}-\u{E007F}]$/u

/** How many kinds of selectors the names in a text need. With more, another text could be spelt in them. */
const MAX_SELECTORS = 3

/** Gives where selectors stand that names in ideographs need; nowhere where they are of more kinds than names need. */
const neededSelectors = (text: string): Set<number> => {
  const found = [...text.matchAll(IDEOGRAPH_VARIANT)]
  const kinds = [...new Set(found.map(([, selector = '']) => selector))]
  const isOfNames = kinds.length <= MAX_SELECTORS
    && kinds.every((kind) => (kind.codePointAt(0) ?? 0) <= LAST_REGISTERED)
  return new Set(
    isOfNames ? found.map(({ 0: both, 1: one = '', index }) => index + both.length - one.length) : [],
  )
}

const isNeededBetween = (character: string, before: string, after: string): boolean => {
  switch (character) {
    case '\u200D':
      return (PICTOGRAPH_BEFORE.test(before) && PICTOGRAPH_AFTER.test(after)) || JOINING_BEFORE.test(before)
    case '\u200C':
      return JOINING_BEFORE.test(before)
    case '\uFE0E':
    case '\uFE0F':
      return KEY_BEFORE.test(before) ? KEYCAP_AFTER.test(after) : EMOJI_BEFORE.test(before)
  }
  const codePoint = character.codePointAt(0) ?? 0
  if (codePoint >= 0x180b && codePoint <= 0x180f) return MONGOLIAN_BEFORE.test(before)
  return character === '\uFE00' && VARIANT_BEFORE.test(before)
}

const isInTagFlag = (text: string, index: number): boolean => {
  // To search all that comes before would take quadratic time in a text of many tags.
  const window = Math.max(0, index - CONTEXT)
  const found = text.slice(window, index).lastIndexOf('\u{1F3F4}')
  if (found < 0) return false
  const start = window + found + 2
  const flag = TAG_FLAGS.find((tags) => text.startsWith(tags, start))
  return flag !== undefined && index < start + flag.length
}

/** Whether the hidden character at `index` is part of how its script or its emoji is written. */
const isNeeded = (text: string, index: number, character: string): boolean => {
  if (!MAY_BE_NEEDED.test(character)) return false
  const end = index + character.length
  const before = text.slice(Math.max(0, index - CONTEXT), index)
  return isNeededBetween(character, before, text.slice(end, end + CONTEXT)) || isInTagFlag(text, index)
}

const codePoints = new Map<string, string>()

/** Names a character, such as `U+200B`. It is remembered, since a text may hold a million of one. */
const toCodePoint = (character: string): string => {
  const known = codePoints.get(character)
    ?? `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
  codePoints.set(character, known)
  return known
}

const nextLineEnd = (text: string, from: number): number => {
  const found = text.indexOf('\n', from)
  return found < 0 ? text.length : found
}

/**
 * Finds every hidden character of a text, in order. One that an emoji or a script is written with does not count, nor
 * does the byte-order mark at the start of a file.
 */
export const hiddenCharacters = (text: string, of: 'file' | 'rule' = 'file'): Array<HiddenCharacter> => {
  const found: Array<HiddenCharacter> = []
  const selectors = neededSelectors(text)
  let line = 1
  let lineEnd = nextLineEnd(text, 0)
  for (const { 0: character, index } of text.matchAll(HIDDEN)) {
    if ((of === 'file' && index === 0 && character === '\uFEFF') || selectors.has(index)) continue
    if (isNeeded(text, index, character)) continue
    for (; lineEnd < index; lineEnd = nextLineEnd(text, lineEnd + 1)) line++
    found.push({ index, line, codePoint: toCodePoint(character), length: character.length })
  }
  return found
}

/** Puts every hidden character of a text into sight, as `⟦U+200B⟧`. */
export const markHidden = (text: string, hidden: Array<HiddenCharacter> = hiddenCharacters(text)): string => {
  let marked = ''
  let from = 0
  for (const { index, length, codePoint } of hidden) {
    marked += `${text.slice(from, index)}⟦${codePoint}⟧`
    from = index + length
  }
  return marked + text.slice(from)
}

/** Puts all into sight that hides in a name, such as a path, or would end its line: a model may not read it as words. */
export const markName = (name: string): string =>
  markHidden(name, hiddenCharacters(name, 'rule')).replace(
    /[\t\n\r]/g,
    (character) => `⟦${toCodePoint(character)}⟧`,
  )
