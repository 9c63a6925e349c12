import { expect, test } from 'bun:test'
import { wrapToast } from './wrap-toast.ts'

const PATH = '.opencode/rules/frontend/components.md:2:'
const LONG = '/home/me/projects/shop/packages/frontend/.opencode/rules/a.md'

test.each([
  ['short', 'short'],
  [`Left out the rule file ${PATH} no key glob`, `Left out the rule file\n${PATH} no key\nglob`],
  [`two\nlines ${LONG} x`, `two\nlines\n${LONG}\nx`],
  [`${LONG} x`, `${LONG}\nx`],
])(
  'a toast is broken between words, never within a path: %j',
  (text, lines) => expect(wrapToast(text)).toBe(lines),
)

test('hidden characters of a toast are marked', () => {
  expect(wrapToast('a\u001b[2Jb\nc')).toBe('a⟦U+001B⟧[2Jb\nc')
})
