/** Rule files as people write them: for dot files, for files behind symbolic links, and with keys of other tools. */
import { expect } from 'bun:test'
import { mkdirSync, symlinkSync } from 'node:fs'
import { write } from '../formatting/session.ts'
import { sharedHost } from '../harness/host.ts'
import { story } from '../harness/story.ts'
import { toastsOf } from '../harness/toasts.ts'
import { expectCounts, panelRules, read, ruleFile, startSession } from './session-rules.ts'

/** Creates rule files from their headers, by name; the text of each file is `RULE-` and its name. */
const rulesOf = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, header]) => [
      `.opencode/rules/${name}.md`,
      ruleFile(header, `RULE-${name}`),
    ]),
  )

story('a rule applies to dot files, and to files that are reached through symbolic links', async () => {
  const { project, session } = await startSession({
    files: {
      ...rulesOf({
        ui: 'globs: packages/ui/**\nforbid: \\bvar\\b',
        keys: 'globs: "**"\nforbid: SECRET=',
        dot: 'globs: *.yml',
        css: 'globs: packages/theme.css',
        text: 'globs: packages/*.txt',
        other: 'globs: packages/other/**',
      }),
      'packages/ui/a.ts': 'x\n',
      'packages/theme.css': 'x\n',
      'packages/x.txt': 'x\n',
      '.github/workflows/ci.yml': 'x\n',
    },
  })
  mkdirSync(project.path('pkg'))
  symlinkSync('../packages/ui', project.path('pkg/ui'))
  symlinkSync('packages/theme.css', project.path('linked.css'))
  symlinkSync('packages', project.path('outside'))
  const create = write(project, 'pkg/ui/new.ts', 'var a = 1\n')
  const { outputs } = await session.turn(
    'go',
    create,
    create,
    write(project, '.env.local', 'SECRET=1\n'),
    'the end',
  )
  expect(outputs[0]).toMatch(/^Rules come first: `pkg\/ui\/new\.ts` is not written yet.*`ui`/)
  expect(outputs[1]).toMatch(/new\.ts breaks rules[^]*var a = 1/)
  expect(outputs[2]).toMatch(/\.env\.local breaks rules[^]*SECRET/)
  expect((await panelRules(session)).broken.map(({ path }) => path)).toEqual(['pkg/ui/new.ts', '.env.local'])

  const reading = await project.session()
  const reads = ['.github/workflows/ci.yml', 'linked.css', 'outside/x.txt'].map(read)
  const { requests } = await reading.turn('Look at pkg/ui/a.ts, please.', reads)
  expectCounts(requests, {
    'RULE-ui': [1, 1],
    'RULE-dot': [0, 1],
    'RULE-css': [0, 1],
    'RULE-text': [0, 1],
    'RULE-other': [0, 0],
  })
})

story(
  "a rule that another tool's key limits is only offered, and a toast says why; unknown keys are noted",
  async () => {
    const { project, session } = await startSession({
      files: rulesOf({ command: 'command: plan', tags: 'tags: [a]\nauthor: me' }),
    })
    const toasts = await toastsOf(project, (await sharedHost()).url)
    const { requests } = await session.turn('go')
    await toasts.waitFor(/Only offered:\s+\.opencode\/rules\/command\.md:2:\s+command\s+limits/)
    await toasts.stop()
    expectCounts(requests, { 'RULE-tags': [1] })
    const { leftOut, offered, inForce } = await panelRules(session)
    expect(leftOut).toMatchObject([{ path: '.opencode/rules/command.md', line: 2, isOffered: true }])
    expect(offered).toMatchObject([{ name: 'command' }])
    expect(inForce).toMatchObject([{ name: 'tags', note: 'not read: tags (line 2), author (line 3)' }])
  },
)
