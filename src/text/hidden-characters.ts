/** Hidden characters are found and marked here; `rule-schema.ts` refuses rules that hold some. */

/** A character that a person does not see and a model does: `index` counts UTF-16 units from 0, `line` lines from 1. */
type HiddenCharacter = { index: number; line: number; codePoint: string; length: number }

// By Unicode's properties: characters that are drawn as nothing, that change the reading direction, that are unassigned
// or halves, and control characters but tabs and line breaks. By code point: signs that are drawn as nothing, such as
// the Braille blank, the headless note, the Khitan filler, the joiners of hieroglyphs.
const HIDDEN = String
  .raw`[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\p{Noncharacter_Code_Point}\p{Cs}\p{Zl}\p{Zp}\u2800\uFFF9-\uFFFB\u{1D159}\u{13430}-\u{13440}\u{16FE4}]|(?![\t\n\r])\p{Cc}`

const scripts = (names: string): string => names.split(' ').map((name) => `\\p{Script=${name}}`).join('')

const JOINING = scripts(
  'Arabic Syriac Mandaic Nko Mongolian Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada Malayalam Sinhala Khmer Tibetan Myanmar',
)
// One of the marks is itself of the Arabic script.
const RIGHT_TO_LEFT = `(?!\\u061C)[${scripts('Hebrew Arabic Syriac Thaana Nko Adlam')}]`

/** What a script or an emoji is written with, by what stands right before it and after it, and near it in its line. */
type Needed = { character: RegExp; before: RegExp; after?: RegExp; near?: RegExp }

// Nothing looks behind in a text: there the host's engine finds no emoji.
const NEEDED: Array<Needed> = [
  // A joiner makes one emoji of two pictographs.
  {
    character: /\u200D/,
    before: /[\p{Extended_Pictographic}\p{Emoji_Modifier}]\uFE0F?$/u,
    after: /^\p{Extended_Pictographic}/u,
  },
  // A selector shows an emoji in colour or as text; GitHub leaves it in an anchor: `#️-installation`.
  {
    character: /[\uFE0E\uFE0F]/,
    before: /[#\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}]$/u,
  },
  { character: /\uFE0F/, before: /[\d*]$/, after: /^\u20E3/ },
  // Letters of these scripts change their form by a joiner or non-joiner after them.
  { character: /[\u200C\u200D]/, before: new RegExp(`[${JOINING}]$`, 'u') },
  // A mark says on which side a sign belongs, near letters that are read from right to left.
  {
    character: /[\u200E\u200F\u061C]/,
    before: /(?:^|[^\u200E\u200F\u061C])$/,
    near: new RegExp(RIGHT_TO_LEFT, 'u'),
  },
  // Standardised variants: of letters, and of operators.
  { character: /[\u180B-\u180F]/, before: /\p{Script=Mongolian}$/u },
  {
    character: /\uFE00/,
    before: /[\p{Script=Myanmar}\p{Script=Phags_Pa}\u2200-\u22FF\u2A00-\u2AFF]$/u,
  },
]

// An ideograph with a selector is how some names are written; the register of variants goes up to 32 for one.
const VARIANT: Needed = {
  character: /[\uFE00-\uFE02\u{E0100}-\u{E011F}]/u,
  before: /\p{Unified_Ideograph}$/u,
}

const ANY_NEEDED = new RegExp([...NEEDED, VARIANT].map(({ character }) => character.source).join('|'), 'u')

/** How many kinds of selectors the names in a text need. More could hide a text of their own. */
const MAX_SELECTORS = 3

const EACH_SELECTOR = /\p{Unified_Ideograph}([\uFE00-\uFE0F\u{E0100}-\u{E01EF}])/gu

const neededIn = (text: string): Array<Needed> => {
  const kinds = new Set(Array.from(text.matchAll(EACH_SELECTOR), ([, selector]) => selector))
  return kinds.size <= MAX_SELECTORS ? [...NEEDED, VARIANT] : NEEDED
}

// How many UTF-16 units are near.
const NEAR = 33
const LINES_BEFORE = /^.*[\n\r\u2028\u2029]/s
const LINES_AFTER = /[\n\r\u2028\u2029].*$/s

const isNeeded = (text: string, index: number, found: string, needed: Array<Needed>): boolean => {
  if (!ANY_NEEDED.test(found)) return false
  const end = index + found.length
  const [head, tail] = [text.slice(Math.max(0, index - NEAR), index), text.slice(end, end + NEAR)]
  return needed.some(({ character, before, after, near }) =>
    character.test(found) && before.test(head) && after?.test(tail) !== false
    && near?.test(head.replace(LINES_BEFORE, '') + tail.replace(LINES_AFTER, '')) !== false
  )
}

const tags = (letters: string): string =>
  [...letters].map((letter) => String.fromCodePoint(0xe0000 + (letter.codePointAt(0) ?? 0))).join('')

// The flags of England, Scotland and Wales are the only emoji that are written with tags.
const FLAG = `\u{1F3F4}(?:${['gbeng', 'gbsct', 'gbwls'].map(tags).join('|')})\u{E007F}`
const EACH = new RegExp(`${FLAG}|${HIDDEN}`, 'gu')

const toCodePoint = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`

/**
 * Finds every hidden character of a text, in order. One that an emoji or a script is written with does not count, nor
 * does the byte-order mark at the start of a file.
 */
export const hiddenCharacters = (text: string, of: 'file' | 'rule' = 'file'): Array<HiddenCharacter> => {
  const found: Array<HiddenCharacter> = []
  const needed = neededIn(text)
  let [line, from] = [1, 0]
  for (const { 0: character, index } of text.matchAll(EACH)) {
    const isMark = of === 'file' && index === 0 && character === '\uFEFF'
    const isFlag = character.startsWith('\u{1F3F4}')
    if (isMark || isFlag || isNeeded(text, index, character, needed)) continue
    line += text.slice(from, index).split('\n').length - 1
    from = index
    found.push({ index, line, codePoint: toCodePoint(character), length: character.length })
  }
  return found
}

/** Marks every hidden character of a text, as `⟦U+200B⟧`. */
export const markHidden = (text: string, hidden: Array<HiddenCharacter> = hiddenCharacters(text)): string => {
  let marked = ''
  let from = 0
  for (const { index, length, codePoint } of hidden) {
    marked += `${text.slice(from, index)}⟦${codePoint}⟧`
    from = index + length
  }
  return marked + text.slice(from)
}

/** Marks what is hidden in a name, such as a path, and what would end its line: a model must not read it as words. */
export const markName = (name: string): string =>
  markHidden(name, hiddenCharacters(name, 'rule'))
    .replace(/[\t\n\r]/g, (character) => `⟦${toCodePoint(character)}⟧`)
