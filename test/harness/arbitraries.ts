/** Texts and rules of every kind, for properties. */
import fc from 'fast-check'

/** Some rules, none of them blank. */
export const rulesArbitrary = fc.array(
  fc.string({ unit: 'grapheme', minLength: 1 }).filter((rule) => rule.trim() !== ''),
  { minLength: 1, maxLength: 5 },
)

/** What a file may say: line ends, frontmatter, marks. */
export const textArbitrary = fc.array(
  fc.oneof(
    fc.string({ unit: 'grapheme' }),
    // A NUL byte in every third place is no text, and refused.
    fc.constantFrom('\n', '\r\n', '\n\n', '---\n', 'a: 1\n', '\uFEFF', 'a \0 in words'),
  ),
).map((pieces) => pieces.join(''))
