import { expect, test } from 'bun:test'
import { expectWithinASecond } from '../../test/harness/within-a-second.ts'
import { isGlob, parseGlob } from './glob.ts'

const FOLDERS: Array<[pattern: string, folders: Array<string>]> = [
  ['*.md', ['/w']],
  ['{rules/deep,docs}/*.md', ['/w/rules/deep', '/w/docs']],
  ['{../../..,x}/etc/*', ['/etc', '/w/x/etc']],
  ['{/etc,x}/*.conf', ['/etc', '/w/x']],
  ['/*/x.md', ['/']],
  ['**/../../x.md', ['/']],
  ['rules/**/../*.md', ['/w']],
  ['rules/*/../*.md', ['/w/rules']],
]

test.each(FOLDERS)(
  'a pattern is looked up in the folders that its braces expand to: %s',
  async (pattern, folders) => {
    expect((await parseGlob(pattern, { directory: '/w', dot: true })).data?.folders).toEqual(folders)
  },
)

// `test/rewriting/hostile-input.test.ts` has a thousand stars, braces and levels.
const HOSTILE: Array<[reason: string, pattern: string]> = [
  ['its length', `${'a'.repeat(1_000)}*`],
  ['stars that braces join', '*a{*a,b}*a{*a,c}*a'],
  ['a sequence', '{1..9999}.md'],
  ['groups that repeat choices', '+(a|aa).md'],
  ['groups in groups', '*(a+(b))'],
  ['brackets', '('.repeat(900)],
]

test.each(HOSTILE)(
  'a pattern that could block the host fails or ends at once: %s',
  (reason, pattern) =>
    expectWithinASecond(reason, async () => {
      const opened = await parseGlob(pattern, { directory: '/nowhere', dot: true })
      if (opened.error === null) expect(await opened.data.files()).toEqual([])
      else expect(opened.error).toMatch(/pattern/)
      await isGlob(pattern)
    }),
)
