import { expect, test } from 'bun:test'
import { wrapToast } from './wrap-toast.ts'

const PATH = '.opencode/rules/frontend/components.md:2:'
const LONG = '/home/me/projects/shop/packages/frontend/.opencode/rules/a.md'

test.each([
  [`in the rule ${PATH} no key as ${PATH} no keys ab`, `in the rule\n${PATH} no key as\n${PATH} no keys\nab`],
  [`two or\nthree lines ${LONG} x`, `two or\nthree lines\n${LONG}\nx`],
  ['clears\u001b[2Jthe\nscreen', 'clears⟦U+001B⟧[2Jthe\nscreen'],
])('the lines of a toast break between words, and hidden characters are marked: %j', (text, lines) => {
  expect(wrapToast(text)).toBe(lines)
})
