import { expect, test } from 'bun:test'
import { wrapToast } from './wrap-toast.ts'

const PATH = '.opencode/rules/frontend/components.md:2:'
const LONG = '/home/me/projects/shop/packages/frontend/.opencode/rules/a.md'

test.each([
  ['short', 'short'],
  [`Left out the rule file ${PATH} no key glob`, `Left out the rule file\n${PATH} no key\nglob`],
  [`two\nlines ${LONG} x`, `two\nlines\n${LONG}\nx`],
  [`${LONG} x`, `${LONG}\nx`],
  ['clears\u001b[2Jthe\nscreen', 'clears⟦U+001B⟧[2Jthe\nscreen'],
])('a toast breaks between words, and shows hidden characters: %j', (text, lines) => {
  expect(wrapToast(text)).toBe(lines)
})
