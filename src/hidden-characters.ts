/** A character that a reader does not see and a model does: `index` counts UTF-16 units, `line` from 1. */
export type HiddenCharacter = { index: number; line: number; codePoint: string; length: number }

// Default_Ignorable_Code_Point holds what is drawn as nothing (zero widths, fillers, variation selectors, tags),
// Bidi_Control what turns the reading order, Cc the control characters (line breaks and tabs are seen), Cs halves of
// characters, which UTF-8 cannot say. The blank of Braille and the headless note are drawn as nothing, too.
const HIDDEN =
  /[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\p{Cs}\u2028\u2029\u2800\uFFF9-\uFFFB\u{1D159}]|(?![\t\n\r])\p{Cc}/gu

// The flags of England, Scotland and Wales are the only emoji that are written with tags.
const TAG_FLAGS = ['gbeng', 'gbsct', 'gbwls'].map((region) =>
  [...region].map((letter) => String.fromCodePoint(0xe0000 + (letter.codePointAt(0) ?? 0))).join('')
  + '\u{E007F}'
)

const PICTOGRAPH_BEFORE = /(?:\p{Extended_Pictographic}|\p{Emoji_Modifier})\uFE0F?$/u
const PICTOGRAPH_AFTER = /^\p{Extended_Pictographic}/u
const EMOJI_BEFORE = /\p{Emoji}$/u
const KEY_BEFORE = /[\d#*]$/
const KEYCAP_AFTER = /^\u20E3/
const IDEOGRAPH_BEFORE = /\p{Unified_Ideograph}$/u
const MONGOLIAN_BEFORE = /\p{Script=Mongolian}$/u

// Scripts whose letters change their form by a joiner or non-joiner between them.
const JOINING_BEFORE =
  /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mandaic}\p{Script=Nko}\p{Script=Mongolian}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Tibetan}\p{Script=Myanmar}]$/u

/** As many UTF-16 units as a decision about one character needs to see on each side. */
const CONTEXT = 16

/** Whether a hidden character is part of how its script or its emoji is written. */
const isNeeded = (character: string, before: string, after: string): boolean => {
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
  if (codePoint >= 0xe0100 && codePoint <= 0xe01ef) return IDEOGRAPH_BEFORE.test(before)
  return false
}

const isInTagFlag = (text: string, index: number): boolean => {
  // Only the window is searched: a search through all that comes before would make many tags quadratic.
  const window = Math.max(0, index - CONTEXT)
  const found = text.slice(window, index).lastIndexOf('\u{1F3F4}')
  if (found < 0) return false
  const start = window + found + 2
  const flag = TAG_FLAGS.find((tags) => text.startsWith(tags, start))
  return flag !== undefined && index < start + flag.length
}

const toCodePoint = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`

/**
 * Every hidden character of a text, in order; what emoji and scripts need is none, and neither is the byte-order
 * mark that a whole file may start with.
 */
export const hiddenCharacters = (text: string, of: 'file' | 'rule' = 'file'): Array<HiddenCharacter> => {
  const found: Array<HiddenCharacter> = []
  let line = 1
  let counted = 0
  for (const { 0: character, index } of text.matchAll(HIDDEN)) {
    if (of === 'file' && index === 0 && character === '\uFEFF') continue
    const end = index + character.length
    const before = text.slice(Math.max(0, index - CONTEXT), index)
    if (isNeeded(character, before, text.slice(end, end + CONTEXT)) || isInTagFlag(text, index)) continue
    for (let at = text.indexOf('\n', counted); at >= 0 && at < index; at = text.indexOf('\n', counted)) {
      line++
      counted = at + 1
    }
    found.push({ index, line, codePoint: toCodePoint(character), length: character.length })
  }
  return found
}

/** A text with every hidden character put into sight, as `⟦U+200B⟧`. */
export const markHidden = (text: string, hidden: Array<HiddenCharacter> = hiddenCharacters(text)): string => {
  let marked = ''
  let from = 0
  for (const { index, length, codePoint } of hidden) {
    marked += `${text.slice(from, index)}⟦${codePoint}⟧`
    from = index + length
  }
  return marked + text.slice(from)
}
