/** Finds and marks hidden characters, which a model reads but a person does not see. */

/** `index` and `length` count UTF-16 units, and `line` counts from 1. */
type HiddenCharacter = { index: number; line: number; codePoint: string; length: number }

const BY_PROPERTY = String
  .raw`\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\p{Noncharacter_Code_Point}\p{Cs}\p{Zl}\p{Zp}`
// Invisible signs without these properties, such as the Braille blank.
const BY_CODE_POINT = String.raw`\u2800\uFFF9-\uFFFB\u{1D159}\u{13430}-\u{13440}\u{16FE4}`
const INVISIBLE = String.raw`[${BY_PROPERTY}${BY_CODE_POINT}]|(?![\t\n\r])\p{Cc}`

const scripts = (names: string): string => names.split(' ').map((name) => `\\p{Script=${name}}`).join('')

// In these scripts, a joiner (U+200D) or non-joiner (U+200C) changes the form of the letter before it.
const JOINING = scripts(
  'Arabic Syriac Mandaic Nko Mongolian Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada Malayalam Sinhala Khmer Tibetan Myanmar',
)

/** Returns the tags (invisible copies) of letters. */
const tags = (letters: string): string =>
  [...letters].map((letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join('')

// In these sequences, an invisible character belongs to a visible character, so it does not count as hidden. The
// patterns match both characters, because in the host's engine, a lookbehind would match no emoji.
const SEQUENCES = [
  // Only the flags of England, Scotland and Wales contain tags.
  `\u{1F3F4}(?:${['gbeng', 'gbsct', 'gbwls'].map(tags).join('|')})\u{E007F}`,
  // A joiner combines two pictographs into one emoji, and a selector shows an emoji in colour or as text.
  String
    .raw`[\p{Extended_Pictographic}\p{Emoji_Modifier}](?:\uFE0F?\u200D(?=\p{Extended_Pictographic})|[\uFE0E\uFE0F])`,
  // A selector may follow `#`, because GitHub's links to headings drop an emoji, but keep its invisible selector.
  String.raw`[#\p{Regional_Indicator}][\uFE0E\uFE0F]|[\d*]\uFE0F(?=\u20E3)`,
  `[${JOINING}][\\u200C\\u200D]`,
].join('|')

// Group 1 is an invisible character that is in no sequence.
const INVISIBLE_OR_SEQUENCE = new RegExp(`(${INVISIBLE})|${SEQUENCES}`, 'gu')

// U+061C belongs to the Arabic script, but is a direction mark, not a letter.
const RIGHT_TO_LEFT = new RegExp(`(?!\\u061C)[${scripts('Hebrew Arabic Syriac Thaana Nko Adlam')}]`, 'u')
const DIRECTION_MARK = /[\u200E\u200F\u061C]$/

const NEAR_UNITS = 33

const isAllowedMark = (text: string, index: number): boolean => {
  const before = text.slice(Math.max(0, index - NEAR_UNITS), index)
  const after = text.slice(index + 1, index + 1 + NEAR_UNITS)
  return !DIRECTION_MARK.test(before) && RIGHT_TO_LEFT.test(/.*$/.exec(before)![0] + /^.*/.exec(after)![0])
}

const toCodePoint = (character: string): string =>
  `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`

/** Lists the hidden characters of a text, except a byte-order mark at the start of a file. */
export const hiddenCharacters = (text: string, of: 'file' | 'rule' = 'file'): Array<HiddenCharacter> => {
  const characters: Array<HiddenCharacter> = []
  let [line, countedTo] = [1, 0]
  for (const { 1: invisible, index } of text.matchAll(INVISIBLE_OR_SEQUENCE)) {
    const isByteOrderMark = of === 'file' && index === 0 && invisible === '\uFEFF'
    if (invisible === undefined || isByteOrderMark) continue
    if (DIRECTION_MARK.test(invisible) && isAllowedMark(text, index)) continue
    line += text.slice(countedTo, index).split('\n').length - 1
    countedTo = index
    characters.push({ index, line, codePoint: toCodePoint(invisible), length: invisible.length })
  }
  return characters
}

/** Replaces each hidden character of a text with a visible mark, such as `⟦U+200B⟧`. */
export const markHidden = (text: string, hidden: Array<HiddenCharacter> = hiddenCharacters(text)): string => {
  let marked = ''
  let from = 0
  for (const { index, length, codePoint } of hidden) {
    marked += `${text.slice(from, index)}⟦${codePoint}⟧`
    from = index + length
  }
  return marked + text.slice(from)
}

/** Marks hidden characters, tabs and line breaks, so that the name stays on one line. */
export const markName = (name: string): string =>
  markHidden(name, hiddenCharacters(name, 'rule'))
    .replace(/[\t\n\r]/g, (character) => `⟦${toCodePoint(character)}⟧`)
