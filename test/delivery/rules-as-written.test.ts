/** Rules apply to dot files, and to files that a call or a message names by a path through a symbolic link. */
import { expect } from 'bun:test'
import { mkdirSync, symlinkSync } from 'node:fs'
import { write } from '../formatting/session.ts'
import { story } from '../harness/story.ts'
import { expectCounts, panelRules, read, ruleFile, startSession } from './session-rules.ts'

/** The header of each rule, by the name of the rule. The text of the rule `ui` is `RULE-ui`. */
const HEADERS = {
  ui: 'globs: packages/ui/**\nforbid: \\bvar\\b',
  keys: 'globs: "**"\nforbid: SECRET=',
  dot: 'globs: *.yml',
  css: 'globs: packages/theme.css',
  text: 'globs: packages/*.txt',
  other: 'globs: packages/other/**',
}
const FILES = ['packages/ui/a.ts', 'packages/theme.css', 'packages/x.txt', '.github/workflows/ci.yml']

story('a rule applies to dot files, and to files that are reached through symbolic links', async () => {
  const { project, session } = await startSession({})
  for (const path of FILES) project.write(path, 'x\n')
  for (const [name, header] of Object.entries(HEADERS)) {
    project.write(`.opencode/rules/${name}.md`, ruleFile(header, `RULE-${name}`))
  }
  mkdirSync(project.path('pkg'))
  symlinkSync('../packages/ui', project.path('pkg/ui'))
  symlinkSync('packages/theme.css', project.path('linked.css'))
  symlinkSync('packages', project.path('linked'))
  const create = write(project, 'pkg/ui/new.ts', 'var a = 1\n')
  const writeSecret = write(project, '.env.local', 'SECRET=1\n')
  const { outputs } = await session.turn('go', create, create, writeSecret, 'the end')
  expect(outputs[0]).toMatch(/^Rules come first: `pkg\/ui\/new\.ts` is not written yet.*`ui`/)
  expect(outputs[1]).toMatch(/new\.ts breaks rules[^]*var a = 1/)
  expect(outputs[2]).toMatch(/\.env\.local breaks rules[^]*SECRET/)
  expect((await panelRules(session)).broken.map(({ path }) => path)).toEqual(['pkg/ui/new.ts', '.env.local'])

  const reading = await project.session()
  const reads = ['.github/workflows/ci.yml', 'linked.css', 'linked/x.txt'].map(read)
  const { requests } = await reading.turn('Look at pkg/ui/a.ts, please.', reads)
  expectCounts(requests, {
    'RULE-ui': [1, 1],
    'RULE-dot': [0, 1],
    'RULE-css': [0, 1],
    'RULE-text': [0, 1],
    'RULE-other': [0, 0],
  })
})
