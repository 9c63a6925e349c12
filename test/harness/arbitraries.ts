import fc from 'fast-check'

export const rulesArbitrary = fc.array(
  fc.string({ unit: 'grapheme', minLength: 1 }).filter((rule) => rule.trim() !== ''),
  { minLength: 1, maxLength: 5 },
)

/** Generates texts of files, also with both line endings, frontmatter, byte-order marks and NUL bytes. */
export const textArbitrary = fc.array(
  fc.oneof(
    fc.string({ unit: 'grapheme' }),
    // A file with a NUL byte next to a line break counts as UTF-16 and is refused.
    fc.constantFrom('\n', '\r\n', '\n\n', '---\n', 'a: 1\n', '\uFEFF', 'a \0 in words'),
  ),
).map((pieces) => pieces.join(''))
