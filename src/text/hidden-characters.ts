/**
 * Finds the hidden characters of a text, and replaces them with visible marks. `rule-schema.ts` refuses rules with any.
 */

/** A character that a model sees and a person does not. `index` is in UTF-16 units from 0; `line` counts from 1. */
type HiddenCharacter = { index: number; line: number; codePoint: string; length: number }

// By Unicode property: invisible characters, direction controls, noncharacters, lone surrogates, line and paragraph
// separators, and control characters except tabs and line breaks. By code point: invisible signs without such a
// property, such as the Braille blank and the joiners of hieroglyphs.
const HIDDEN = String
  .raw`[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\p{Noncharacter_Code_Point}\p{Cs}\p{Zl}\p{Zp}\u2800\uFFF9-\uFFFB\u{1D159}\u{13430}-\u{13440}\u{16FE4}]|(?![\t\n\r])\p{Cc}`

const scripts = (names: string): string => names.split(' ').map((name) => `\\p{Script=${name}}`).join('')

const JOINING = scripts(
  'Arabic Syriac Mandaic Nko Mongolian Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada Malayalam Sinhala Khmer Tibetan Myanmar',
)
// U+061C is a direction mark, though it belongs to the Arabic script.
const RIGHT_TO_LEFT = `(?!\\u061C)[${scripts('Hebrew Arabic Syriac Thaana Nko Adlam')}]`

/**
 * An invisible character that a script or an emoji requires, and the text that must stand before, after and near it.
 */
type AllowedCharacter = { character: RegExp; before: RegExp; after?: RegExp; near?: RegExp }

// No pattern uses a lookbehind, because the host's engine would then find no emoji.
const ALLOWED: Array<AllowedCharacter> = [
  // A joiner combines two pictographs into one emoji.
  {
    character: /\u200D/,
    before: /[\p{Extended_Pictographic}\p{Emoji_Modifier}]\uFE0F?$/u,
    after: /^\p{Extended_Pictographic}/u,
  },
  // A selector shows an emoji in colour or as text. GitHub leaves it in an anchor: `#️-installation`.
  {
    character: /[\uFE0E\uFE0F]/,
    before: /[#\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}]$/u,
  },
  { character: /\uFE0F/, before: /[\d*]$/, after: /^\u20E3/ },
  // In these scripts, a joiner or non-joiner changes the form of the letter before it.
  { character: /[\u200C\u200D]/, before: new RegExp(`[${JOINING}]$`, 'u') },
  // A direction mark places a sign next to right-to-left letters.
  {
    character: /[\u200E\u200F\u061C]/,
    before: /(?:^|[^\u200E\u200F\u061C])$/,
    near: new RegExp(RIGHT_TO_LEFT, 'u'),
  },
]

const ANY_ALLOWED = new RegExp(ALLOWED.map(({ character }) => character.source).join('|'))

// How many UTF-16 units before and after a character are near it.
const NEAR = 33
const LINES_BEFORE = /^.*[\n\r\u2028\u2029]/s
const LINES_AFTER = /[\n\r\u2028\u2029].*$/s

const isAllowed = (text: string, index: number, hidden: string): boolean => {
  if (!ANY_ALLOWED.test(hidden)) return false
  const end = index + hidden.length
  const [head, tail] = [text.slice(Math.max(0, index - NEAR), index), text.slice(end, end + NEAR)]
  return ALLOWED.some(({ character, before, after, near }) =>
    character.test(hidden) && before.test(head) && after?.test(tail) !== false
    && near?.test(head.replace(LINES_BEFORE, '') + tail.replace(LINES_AFTER, '')) !== false
  )
}

const tags = (letters: string): string =>
  [...letters].map((letter) => String.fromCodePoint(0xe0000 + (letter.codePointAt(0) ?? 0))).join('')

// Only the flags of England, Scotland and Wales are written with tags.
const FLAG = `\u{1F3F4}(?:${['gbeng', 'gbsct', 'gbwls'].map(tags).join('|')})\u{E007F}`
const FLAG_OR_HIDDEN = new RegExp(`${FLAG}|${HIDDEN}`, 'gu')

const toCodePoint = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`

/**
 * Finds the hidden characters of a text, in order. Excludes those that an emoji or a script requires and, in a file, a
 * byte-order mark at the start.
 */
export const hiddenCharacters = (text: string, of: 'file' | 'rule' = 'file'): Array<HiddenCharacter> => {
  const characters: Array<HiddenCharacter> = []
  let [line, countedTo] = [1, 0]
  for (const { 0: character, index } of text.matchAll(FLAG_OR_HIDDEN)) {
    const isByteOrderMark = of === 'file' && index === 0 && character === '\uFEFF'
    const isFlag = character.startsWith('\u{1F3F4}')
    if (isByteOrderMark || isFlag || isAllowed(text, index, character)) continue
    line += text.slice(countedTo, index).split('\n').length - 1
    countedTo = index
    characters.push({ index, line, codePoint: toCodePoint(character), length: character.length })
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

/**
 * Marks the hidden characters, tabs and line breaks of a name, such as a path: no model can read it as text of its own.
 */
export const markName = (name: string): string =>
  markHidden(name, hiddenCharacters(name, 'rule'))
    .replace(/[\t\n\r]/g, (character) => `⟦${toCodePoint(character)}⟧`)
