import { expect, test } from 'bun:test'
import { linesAfterFormatting } from './lines-after-formatting.ts'

// Lines count from 1.
const ROWS: Array<[name: string, text: string, formatted: string, line: number, lines: Array<number>]> = [
  ['a line below an inserted one', 'a\nb\n', '// head\na\nb\n', 2, [3]],
  ['a line that begins with a bracket', 'f(\n  (a) =>\n    b,\n)\n', 'f((a) =>\n  b\n)\n', 2, [1]],
  ['a split line', 'a\nlet value = other\n', 'a;\nlet value =\n  other;\n', 2, [2, 3]],
  ['joined lines', 'call(\n  one,\n  two,\n)\n', 'call(one, two)\n', 3, [1]],
  ['a moved line', "import b from 'b'\nimport a\n", "import a;\nimport b from 'b';\n", 1, [2]],
  ['a removed line', 'import a\nimport b\nf(a)\nf(c)\n', 'import a;\nf(a);\n\nf(c);\n', 2, []],
  ['the second of three equal lines', 'q\nab\nab\nab\nr\n', 'Q\n ab;\n ab;\n ab;\nR\n', 3, [3]],
  ['one of two equal lines, if only one is left', 'q\nab\nq\nab\nr\n', 'q;\nab;\nq;\nr;\n', 4, []],
  ['a line in CRLF', 'a\r\n b\r\nc\r\n', 'a;\r\nb;\r\nc;\r\n', 2, [2]],
  ['a line between lone carriage returns', 'a\rb\rc', 'a;\rb;\rc;', 2, [2]],
  ['a blank line', 'a\n\nb\n', 'a\n\nb\n', 2, [2]],
]

test.each(ROWS)('a line maps to its lines in the formatted text: %s', (_, text, formatted, line, lines) => {
  const now = linesAfterFormatting(text, formatted)(line)
  expect(now.map((found) => found.line)).toEqual(lines)
  const formattedLines = formatted.split(/\r\n|\r|\n/)
  expect(now.map((found) => found.text)).toEqual(lines.map((number) => formattedLines[number - 1]!))
})
