import { expect, test } from 'bun:test'
import { expectNoHang } from '../../test/harness/processor-time.ts'
import { isGlob, parseGlob } from './glob.ts'

test.each([
  ['*.md', '/w'],
  ['{rules/deep,docs}/*.md', '/w/rules/deep,/w/docs'],
  ['{../../..,x}/etc/*', '/etc,/w/x/etc'],
  ['{/etc,x}/*.conf', '/etc,/w/x'],
  // In `rules/**/../*.md`, `**` may match no folder, and then `..` leads out of `rules`.
  ['**/../../x.md', '/'],
  ['rules/**/../*.md', '/w'],
  ['rules/*/../*.md', '/w/rules'],
])('relative to /w, the search for %s starts in %s', async (pattern, folders) => {
  expect((await parseGlob(pattern, { directory: '/w', dot: true })).data?.folders.join()).toBe(folders)
})

test.each([
  ['a long name', `${'a'.repeat(1_000)}*`],
  ['many stars once braces are expanded', '*a{*a,b}*a{*a,c}*a'],
  ['a long sequence of numbers', '{1..9999}.md'],
  ['groups that repeat choices', '+(a|aa).md'],
  ['groups in groups', '*(a+(b))'],
  ['many parentheses', '('.repeat(900)],
])(
  'a pattern that could block the host is quickly refused, or quickly finds no file: %s',
  (danger, pattern) =>
    expectNoHang(danger, async () => {
      const glob = await parseGlob(pattern, { directory: '/nowhere', dot: true })
      if (glob.error === null) expect(await glob.data.files()).toEqual([])
      else expect(glob.error).toMatch(/pattern/)
      isGlob(pattern) // must not hang, either
    }),
)
