/** Generates texts and rules for property tests. */
import fc from 'fast-check'

/** Generates rules, none of them blank. */
export const rulesArbitrary = fc.array(
  fc.string({ unit: 'grapheme', minLength: 1 }).filter((rule) => rule.trim() !== ''),
  { minLength: 1, maxLength: 5 },
)

/** Generates texts of files with all line endings, frontmatter and byte-order marks. */
export const textArbitrary = fc.array(
  fc.oneof(
    fc.string({ unit: 'grapheme' }),
    // A single NUL byte: at every third place, it would make the text UTF-16, which is refused.
    fc.constantFrom('\n', '\r\n', '\n\n', '---\n', 'a: 1\n', '\uFEFF', 'a \0 in words'),
  ),
).map((pieces) => pieces.join(''))
