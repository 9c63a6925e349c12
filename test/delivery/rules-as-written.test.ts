/** Rule files as people write them: for files behind links, with keys of other tools, with a header below line 1. */
import { expect } from 'bun:test'
import { mkdirSync, symlinkSync } from 'node:fs'
import { write } from '../formatting/session.ts'
import { sharedHost } from '../harness/host.ts'
import { story } from '../harness/story.ts'
import { toastsOf } from '../harness/toasts.ts'
import { expectCounts, panelRules, read } from './session-rules.ts'

const rulesOf = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, header]) => [
      `.opencode/rules/${name}.md`,
      `---\n${header}\n---\nRULE-${name}\n`,
    ]),
  )

story('a rule applies to dot files, and to files that links lead to', async () => {
  const project = (await sharedHost()).project({
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
  const session = await project.session()
  const call = write(project, 'pkg/ui/new.ts', 'var a = 1\n')
  const { outputs } = await session.turn(
    'go',
    call,
    call,
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

const KEYS = {
  command: 'command: plan',
  include: 'include: ["src/**", "*.ts"]',
  words: 'triggers:\n  - yaml',
  augment: 'type: always_apply',
  kiro: 'inclusion: fileMatch\nfileMatchPattern: "*.vue"',
  tags: 'tags: [a]\nauthor: me',
}

const LATE = '---\nglobs: "*.md"\n---\nRULE-late\n'

story("a rule limited by another tool's key is offered; an ignored header is noted", async () => {
  const project = (await sharedHost()).project({
    files: {
      ...rulesOf(KEYS),
      '.opencode/rules/title.md': `# Title\n\n${LATE}`,
      '.opencode/rules/word.md': `# Title\n\n${LATE.replace('globs: "*.md"', 'keywords: [x]')}`,
      '.opencode/rules/branch.md': `# Title\n\n${LATE.replace('globs: "*.md"', 'branches: x')}`,
      '.opencode/rules/indented.md': `  ${LATE}`,
      '.opencode/rules/yaml.md': LATE.replace('---', '---yaml'),
    },
  })
  const toasts = await toastsOf(project, (await sharedHost()).url)
  const session = await project.session()
  const { requests: [request] } = await session.turn('go')
  await toasts.waitFor(/Only offered:\s+\.opencode\/rules\/command\.md:2:\s+command\s+limits/)
  await toasts.stop()
  expectCounts([request!], { 'RULE-tags': [1], 'RULE-augment': [1] })
  const shown = await panelRules(session)
  expect(shown.leftOut.map(({ path, line, isOffered }) => `${path.split('/').at(-1)}:${line} ${isOffered}`))
    .toEqual(['command.md:2 true', 'include.md:2 true', 'words.md:2 true'])
  const late = (line: number) => `a header must begin with --- on line 1; the one on line ${line} is not read`
  const notes = [...shown.inForce, ...shown.waiting].map(({ name, note }) => [name, note])
  expect(Object.fromEntries(notes)).toEqual({
    augment: undefined,
    kiro: undefined,
    tags: 'not read: tags (line 2), author (line 3)',
    title: late(3),
    word: late(3),
    branch: late(3),
    indented: late(1),
    yaml: late(1),
  })
})
