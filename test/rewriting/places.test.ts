/** Rules come where their sentences stood, to the byte, in files of this and of other tools; a backup brings them back. */
import { expect } from 'bun:test'
import { readFileSync } from 'node:fs'
import { sharedHost } from '../harness/host.ts'
import { story } from '../harness/story.ts'
import { discover, format, parse, restore, write } from './writer-calls.ts'

// The name of each file and the mode of its rules, its text, its rules, the text after: ↵ is a line end, ␍ one of Windows.
// All other forms that a text may have are in `src/in-place/in-place.test.ts`.
const FORMS = `
.cursorrules
  - Crate names begin with \`x-\`. For example, \`x-core\`.↵
  Crate names begin with \`x-\`. => Rule: Prefix crate names with \`x-\`.
  - Prefix crate names with \`x-\`. For example, \`x-core\`.↵
.cursor/rules/x.mdc
  ---↵globs: ["*.ts"]↵---↵↵> Ann owns the numbers. Ask Ann, would you? Call Bob too, mostly.↵>↵> Thanks.↵
  Ask Ann, would you? => Rule: Ask Ann. ¦ Call Bob too, mostly. => Rule: Call Bob.
  ---↵globs: ["*.ts"]↵---↵↵> Ann owns the numbers.↵>↵> - Ask Ann.↵> - Call Bob.↵>↵> Thanks.↵
.github/copilot-instructions.md
  \uFEFF1. use tabs pls␍2. Fork. Run it, ok?␍␍| a |␍| - |
  use tabs pls => Rule: Use tabs. ¦ Fork. => Rule: Fork it. ¦ Run it, ok? => Rule: Run it.↵Reason: It is fast.
  \uFEFF1. Use tabs.␍2. Fork it.␍   - Run it. It is fast.␍␍| a |␍| - |
nested.md
  - Tests:↵    * Run them all, please. They take 3 s.↵    * Name them after the bug. No mocks!↵- Ship.↵
  Run them all, please. => Rule: Run all tests. ¦ Name them … bug. => Rule: Name tests after the bug. ¦ No mocks! => Rule: Do not use mocks.
  - Tests:↵    * Run all tests. They take 3 s.↵    * Name tests after the bug.↵    * Do not use mocks.↵- Ship.↵
clear.md
  - Keep it small. Never log names.↵- dont shout at Bob!↵
  Keep it small. => Rule: Keep it small. ¦ Never log names. => Rule: Never log names. ¦ dont shout at Bob! => Rule: Do not shout at Bob.
  - Keep it small. Never log names.↵- Do not shout at Bob.↵
verbose.md verbose
  - tabs!↵↵ask Ann pls↵
  tabs! => Rule: Use tabs.↵Reason: They are wide. ¦ ask Ann pls => Rule: Ask Ann.↵Reason: She knows.
  - Use tabs.↵  Reason: They are wide.↵↵Ask Ann.↵Reason: She knows.↵`

const LINES = FORMS.slice(1).split('\n').map((line) => line.replaceAll('␍', '\r\n').replaceAll('↵', '\n'))

const FILES = LINES.flatMap((line, index) => {
  const [name = '', mode] = line.split(' ')
  const [before = '', rules = '', after = ''] = LINES.slice(index + 1, index + 4).map((text) => text.slice(2))
  return index % 4 === 0 ? [{ name, mode, before, rules: rules.split(' ¦ '), after }] : []
})

/** Gives what parse-rules takes of a rule, written as `source => sentence`. */
const parsedOf = (rule: string): object => {
  const [, source, not, action, target, reason] =
    /^(.*) => Rule: (Never |Do not )?(\S+) (.*?)\.?(?:\nReason: (.*))?$/.exec(rule)!
  return { strength: not === undefined ? 'obligatory' : 'forbidden', action, target, reason, source }
}

story('files of each tool and form keep it, with the rules where their sentences stood', async () => {
  const project = (await sharedHost()).project({
    files: {
      'AGENTS.md': 'Be nice.\n',
      ...Object.fromEntries(FILES.map(({ name, before }) => [name, before])),
    },
    git: true,
  })
  const session = await project.session()
  const names = FILES.map(({ name }) => name)
  const { outputs } = await session.turn(
    'go',
    discover(names),
    FILES.flatMap(({ rules, mode }) => [
      parse(...rules.map(parsedOf)),
      format(rules.map((rule) => rule.split(' => ')[1]), mode),
    ]),
    write(),
  )
  const textsNow = () => names.map((name) => [name, readFileSync(project.path(name), 'utf8')])
  expect(textsNow()).toEqual(FILES.map(({ name, after }) => [name, after]))
  expect(outputs.at(-1)).toContain(
    '```diff\n--- .cursorrules\n+++ .cursorrules\n@@ -1,1 +1,1 @@\n-- Crate names begin with `x-`. For example, `x-core`.\n+- Prefix crate names with `x-`. For example',
  )
  await session.turn('back', restore(names))
  expect(textsNow()).toEqual(FILES.map(({ name, before }) => [name, before]))
  expect(await project.read('AGENTS.md')).toBe('Be nice.\n')
})
