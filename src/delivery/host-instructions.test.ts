import { expect, test } from 'bun:test'
import { hostSends } from './host-instructions.ts'

const CASES: Array<[instructions: Array<string>, sent: Array<string>, others: Array<string>]> = [
  [['.opencode/rules/*.md'], ['/w/a/.opencode/rules/x.md', '/w/.opencode/rules/x.md'], [
    '/w/a/.opencode/rules/y/x.md',
    '/w/b/.opencode/rules/x.md',
    '/.opencode/rules/x.md',
  ]],
  [['.opencode/rules/**/*.md'], ['/w/.opencode/rules/y/x.md'], ['/w/.opencode/rules/x.mdc']],
  [['.opencode/rules/x.md'], ['/w/.opencode/rules/x.md'], ['/w/.opencode/rules/xx.md']],
  [['/r/*.md'], ['/r/x.md'], ['/r/.x.md', '/r/y/x.md']],
  [['/r/*/x.md'], [], ['/r/y/x.md']],
  [['~/r/x.md'], ['/home/me/r/x.md'], ['/w/r/x.md']],
  [['https://example.com/x.md'], [], ['/w/x.md']],
  [['', '/', '!x'], [], ['/w/x.md', '/w/y.md']],
  [[], ['/w/AGENTS.md', '/w/a/AGENTS.md'], ['/w/b/AGENTS.md', '/w/x.md']],
]

for (const [instructions, sent, others] of CASES) {
  test(`by ${JSON.stringify(instructions)}`, () => {
    const isSent = hostSends([{ directory: '/w/a', worktree: '/w' }], instructions, '/home/me')
    expect([...sent, ...others].filter(isSent)).toEqual(sent)
  })
}
