import { expect, test } from 'bun:test'
import { realign } from './realign.ts'

/** Parses a text in which `⟦` and `⟧` enclose a range. */
const parse = (marked: string) => {
  const range = { from: marked.indexOf('⟦'), to: marked.indexOf('⟧') - 1 }
  return { text: marked.replace(/[⟦⟧]/g, ''), range }
}

test.each<[change: string, before: string, after: string]>([
  ['changed text around the range', 'a=1\n⟦b = 2⟧\nc=3', 'a = 1;\n⟦b = 2⟧\nc = 3'],
  ['a range that begins in a string', 'f("a ⟦b" + c⟧)', "f('a ⟦b' + c⟧)"],
  ['brackets added around the range', 'return ⟦a && b⟧\n', 'return ⟦(\n  a && b\n);⟧\n'],
  ['brackets added around more than the range', 'x = a || ⟦b⟧;', 'x = (a || ⟦b⟧);'],
  ['brackets added on each line', 'x=>1\n⟦a=>a⟧\ny=>2\n', '(x) => 1;\n⟦(a) => a;⟧\n(y) => 2;\n'],
  ['a bracket added after the line end', 'x=>1\n⟦a=>a\n⟧y=>2\n', '(x) => 1;\n⟦(a) => a;\n⟧(y) => 2;\n'],
  ['a range with one bracket of a removed pair', 'x = ⟦(a⟧ + b)', 'x = ⟦a⟧ + b'],
  ['a bracket that moves up from the next line', 'f(a, ⟦b⟧\n)\n', 'f(a, ⟦b⟧)\n'],
  ['a removed separator before a changed line ending', 'x\n⟦a;⟧\nb', 'X\r\n⟦a⟧\r\nb'],
  ['a separator added before a range that starts with line ends', 'x\na()⟦\n\n\n\nb()⟧', 'X\na();⟦\n\nb();⟧'],
  ['a separator added in a range that contains all changes', 'a()⟦\n\n\n\nb()⟧', 'a()⟦;\n\nb();⟧'],
  ['a list that is joined', 'f(\n  ⟦a,\n  b,⟧\n)', 'f(⟦a, b⟧)'],
  ['a line that was moved', "⟦import 'z'⟧\nimport 'a'\n", "import 'a';\n⟦import 'z';⟧\n"],
  ['a word in a moved line', "import ⟦q⟧ from 'zoo'\nimport a\n", "import a;\nimport ⟦q⟧ from 'zoo';\n"],
  ['one of several equal lines', 'f()\ng()\nf()\n⟦f()⟧\nh()\n', 'f();\ng();\nf();\n⟦f();⟧\nh();\n'],
  ['an operator that moves before a comment', 'a = ⟦b // c\n  +⟧ d;\n', 'a = ⟦b + // c\n ⟧ d;\n'],
  ['a comment next to an operator that moves', 'a = b ⟦// c⟧\n  + d;\n', 'a =\n  b + ⟦// c⟧\n  d;\n'],
  ['a keyword that is replaced', 'a()\n⟦var b = 1⟧\nc()', 'a();\n⟦const b = 1;⟧\nc();'],
])('a range is found again after formatting: %s', (_, before, after) => {
  const { text, range } = parse(before)
  const now = parse(after).text
  const found = realign(text, now)(range)
  expect(found && `${now.slice(0, found.from)}⟦${now.slice(found.from, found.to)}⟧${now.slice(found.to)}`)
    .toBe(after)
})

test.each<[range: string, before: string, after: string]>([
  ['text that was removed', "import a from 'a'\n⟦import b from 'b'⟧\nf(a)", "import a from 'a';\nf(a);"],
  ['two lines, between which another line moved', '⟦use a\nuse c⟧\nuse b\n', 'use a;\nuse b;\nuse c;\n'],
  ['whitespace alone', 'a⟦ ⟧b', 'A  B'],
  ['a comment that moves past a word', 'try {} ⟦// c\ncatch⟧ (e) {}\n', 'try {} catch (e) {\n  // c\n}\n'],
])('a range is not found again after formatting: %s', (_, before, after) => {
  const { text, range } = parse(before)
  expect(realign(text, after)(range)).toBeNull()
})
