import { expect } from 'bun:test'
import { edit, write } from '../formatting/session.ts'
import { type Project, type ProjectOptions, type Session, sharedHost } from '../harness/host.ts'
import { story } from '../harness/story.ts'
import { patch, read, shownOf } from './delivered.ts'

const rule = (...lines: Array<string>): string =>
  `---\n${lines.slice(0, -1).join('\n')}\n---\n${lines.at(-1)}\n`

export const NO_ANY = rule(
  'globs: src/**/*.ts',
  String.raw`forbid: ':\s*any\b|\bas any\b'`,
  "bad: 'const x: any = 1'",
  "good: 'const many: Company = 1'",
  'Never use `any`; use `unknown` and narrow it.\n\nMore about it.',
)
const NO_LOG = rule(
  String.raw`forbid: '\bconsole\.log\('`,
  'Do not leave `console.log` in the code.',
)
const OLD = 'export const old: any = 1\n'

const FILES = {
  '.opencode/rules/no-any.md': NO_ANY,
  '.opencode/rules/no-log.md': NO_LOG,
  'src/old.ts': OLD,
}

export const started = async (
  options: ProjectOptions = {},
): Promise<{ project: Project; session: Session }> => {
  const project = (await sharedHost()).project({ ...options, files: { ...FILES, ...options.files } })
  return { project, session: await project.session() }
}

/** What the person sees of lines that break a rule. */
export const marked = async (session: Session): Promise<Array<string>> =>
  (await shownOf(session)).broken.map(({ rule, path, line }) =>
    `${rule} ${path}${line === undefined ? '' : `:${line}`}`
  )

const BREAKS = 'breaks rules'
const TOLD = `What was just written to src/a.ts breaks rules. Mend it before you go on:
no-any: Never use \`any\`; use \`unknown\` and narrow it.
  2: const x: any = 1`

story(
  'an added line that a rule forbids is told in the answer of the call that wrote it, and marked until it is gone',
  async () => {
    const { project, session } = await started()
    const { requests, tools } = await session.turn(
      'go',
      read('src/old.ts'),
      write(project, 'src/a.ts', 'const many: Company = 1\nconst x: any = 1\n'),
      async () => {
        expect(await marked(session)).toEqual(['no-any src/a.ts:2'])
        return edit(project, 'src/a.ts', 'x: any', 'x: unknown')
      },
      'the end',
    )
    expect(tools[1]!.state.output).toContain(TOLD)
    expect(tools[1]!.state.output).not.toContain('More about it')
    expect(tools.filter(({ state }) => state.output?.includes(BREAKS))).toHaveLength(1)
    expect(JSON.stringify(requests[2]!.messages)).toContain('2: const x: any = 1')
    expect(await marked(session)).toEqual([])
  },
)

story('what was there before, what moved and what a shell wrote is not told', async () => {
  const { project, session } = await started()
  const { outputs } = await session.turn(
    'go',
    read('src/old.ts'),
    edit(project, 'src/old.ts', OLD, `export const one = 1\n  ${OLD}`),
    { tool: 'bash', args: { command: "echo 'let y: any' > src/shell.ts", description: 'writes' } },
    'the end',
  )
  expect(outputs.filter((output) => output.includes(BREAKS))).toEqual([])
  expect(await marked(session)).toEqual([])
})

story('a patch, several calls in one message and two files: each file is told in its last call', async () => {
  const { project, session } = await started()
  const { outputs } = await session.turn(
    'go',
    read('src/old.ts'),
    [
      write(project, 'src/b.ts', 'let a: any\n'),
      write(project, 'src/c.ts', 'let c = 1\n'),
    ],
    [
      edit(project, 'src/c.ts', 'let c = 1', 'let c: any = 1'),
      edit(project, 'src/b.ts', 'let a: any', 'let a: any\nlet b: any\nlet c: any\nlet d: any\nlet e: any'),
      edit(project, 'src/b.ts', 'let e: any', 'let e: number\nconsole.log(a)'),
    ],
    'the end',
  )
  expect(outputs.map((output) => output.includes(BREAKS))).toEqual([false, true, false, true, false, true])
  expect(outputs[1]).toContain('no-any: Never use `any`; use `unknown` and narrow it.\n  1: let a: any')
  expect(outputs[3]).toContain('narrow it.\n  1: let c: any = 1')
  expect(outputs[5]).toEndWith(`no-any:
  2: let b: any
  3: let c: any
  4: let d: any
no-log: Do not leave \`console.log\` in the code.
  6: console.log(a)`)
})

story('a patch is judged', async () => {
  const { session } = await started()
  const { outputs } = await session.turnAs(
    { model: 'gpt-5.2' },
    'go',
    read('src/old.ts'),
    patch(
      '*** Add File: src/p.ts\n+let p: any\n*** Update File: src/old.ts\n@@\n-export const old: any = 1\n+export const old: any = 1\n+console.log(old)',
    ),
    'the end',
  )
  expect(outputs[1]).toContain('written to src/p.ts breaks')
  expect(outputs[1]).toContain('  2: console.log(old)')
  expect(await marked(session)).toEqual(['no-any src/p.ts:1', 'no-log src/old.ts:2'])
})
