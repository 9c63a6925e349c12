import fc from 'fast-check'

export const rulesArbitrary = fc.array(
  fc.string({ unit: 'grapheme', minLength: 1 }).filter((rule) => rule.trim() !== ''),
  { minLength: 1, maxLength: 5 },
)

/** Generates texts of files, some with CRLF, frontmatter, byte-order marks or NUL bytes. */
export const textArbitrary = fc.array(
  fc.oneof(
    fc.string({ unit: 'grapheme' }),
    // Next to a line break, the NUL byte would make the file count as UTF-16, which is refused.
    fc.constantFrom('\n', '\r\n', '\n\n', '---\n', 'a: 1\n', '\uFEFF', 'a \0 in words'),
  ),
).map((pieces) => pieces.join(''))
