import { expect } from 'bun:test'
import { symlinkSync } from 'node:fs'
import { edit, write } from '../formatting/session.ts'
import { story } from '../harness/story.ts'
import { expectCounts, panelRules, read, ruleFile, satWith, startSession } from './session-rules.ts'

const FILES = {
  '.opencode/rules/ui.md': ruleFile('globs: packages/ui/**\nforbid: \\bvar\\b', 'RULE-UI'),
  '.opencode/rules/keys.md': ruleFile('globs: "**"\nforbid: SECRET=', 'RULE-KEYS'),
  '.opencode/rules/dot.md': ruleFile('globs: *.yml', 'RULE-DOT'),
  '.opencode/rules/css.md': ruleFile('globs: packages/theme.css', 'RULE-CSS'),
  '.opencode/rules/text.md': ruleFile('globs: packages/*.txt', 'RULE-TEXT'),
  '.opencode/rules/other.md': ruleFile('globs: packages/other/**', 'RULE-OTHER'),
  'packages/ui/a.ts': 'x\n',
  'packages/theme.css': 'x\n',
  'packages/x.txt': 'x\n',
  '.github/workflows/ci.yml': 'x\n',
}

const LINK_TARGETS = { 'pkg/ui': '../packages/ui', 'linked.css': 'packages/theme.css', 'linked': 'packages' }

story('rules apply to dot files, and to files that a message or a call names through a link', async () => {
  const { project, session } = await startSession({ files: { ...FILES, 'pkg/a': '' } })
  for (const [link, target] of Object.entries(LINK_TARGETS)) symlinkSync(target, project.path(link))
  const reads = ['.github/workflows/ci.yml', 'linked.css', 'linked/x.txt'].map(read)
  const { requests } = await (await project.session()).turn('Look at pkg/ui/a.ts, please.', reads)
  const afterReads = { 'RULE-DOT': [0, 1], 'RULE-CSS': [0, 1], 'RULE-TEXT': [0, 1] }
  expectCounts(requests, { 'RULE-UI': [1, 1], ...afterReads, 'RULE-OTHER': [0, 0] })

  const create = write(project, 'pkg/ui/new.ts', 'var a = 1\n')
  const writeSecret = write(project, '.env.local', 'SECRET=1\n')
  // The first `create` is refused, because the model sees the rules `ui` and `keys` only in the next request.
  const { outputs } = await session.turn('go', create, create, writeSecret)
  expect(outputs[0]).toMatch(/^Rules come first: `pkg\/ui\/new\.ts` is not written yet.*`ui`/)
  expect(outputs[1]).toMatch(/new\.ts breaks rules[^]*var a = 1/)
  expect(outputs[2]).toMatch(/\.env\.local breaks rules[^]*SECRET/)
  expect((await panelRules(session)).broken.map(({ path }) => path)).toEqual(['pkg/ui/new.ts', '.env.local'])
  // SAT quotes a reported line again only if an edit changed it.
  const real = 'packages/ui/new.ts'
  const edits = [edit(project, real, 'var', '// new\nvar'), edit(project, real, 'var a', 'var a2')]
  const next = await session.turn('go on', read(real), ...edits)
  expect(next.outputs[1]).toEndWith(`Still broken in ${real}: line 2 (ui)`)
  expect(next.outputs[2]).toContain('2: var a2 = 1')
})

story('rules and formatters apply if a call names a file through a link outside the project', async () => {
  const options = { format_on_save: { 'packages/**/*.ts': "sed -i 's/=/ = /'" } }
  const config = { ...satWith(options), permission: { external_directory: 'allow' } }
  const { project, session } = await startSession({ files: FILES, config })
  const link = { ...project, path: (file: string) => `${project.directory}-link/${file}` }
  symlinkSync(project.directory, `${project.directory}-link`)
  const create = write(link, 'packages/ui/new.ts', 'var a=1\n')
  const change = edit(link, 'packages/ui/new.ts', 'var a = 1', 'var a=2')
  const steps = [read(link.path('packages/theme.css')), create, create, change]
  const { outputs, requests } = await session.turn('go', ...steps)
  expectCounts(requests, { 'RULE-CSS': [0, 1, 1, 1, 1], 'RULE-OTHER': [0, 0, 0, 0, 0] })
  expect(outputs[1]).toMatch(/^Rules come first: `packages\/ui\/new\.ts` is not written yet.*`ui`/)
  expect(outputs[2]).toMatch(/new\.ts breaks rules[^]*var a = 1/)
  expect(outputs[3]).toMatch(/new\.ts breaks rules[^]*var a = 2/)
  expect(await project.read('packages/ui/new.ts')).toBe('var a = 2\n')
  expect((await panelRules(session)).broken.map(({ path }) => path)).toEqual(['packages/ui/new.ts'])
})

story(
  'if a call writes a rule file, faults of the rule are reported, but bad examples are no violations',
  async () => {
    const { project, session } = await startSession({
      files: { '.opencode/rules/a.md': ruleFile('forbid: FOO'), 'docs/rules/b.md': 'RULE-B' },
    })
    symlinkSync('../../docs/rules', project.path('.opencode/rules/docs'))
    const { outputs } = await session.turn(
      'go',
      write(project, 'docs/rules/real.md', ruleFile('forbid: QUX\nbad: QUX FOO')),
      write(project, 'docs/rules/faulty.md', ruleFile('glob: FOO')),
      write(project, 'docs/rules/example.md', ruleFile("forbid: '(?!FOO)'")),
      write(project, '.opencode/rules/docs/linked.md', ruleFile('forbid: BAR\nbad: BAR FOO')),
    )
    expect(outputs[0]).toEndWith('is in force for every file; its examples hold; no existing line matches.')
    expect(outputs[1]).toEndWith('did you mean globs? Fix it; until then it is not used.')
    expect(outputs[2]).toEndWith(
      'a pattern cannot look ahead or behind: for (?<!x)y write (?:^|[^x])y, and for y(?!x) write y(?:[^x]|$). Fix it; until then its text is sent, but its patterns are not checked.',
    )
    expect(outputs[3]).toEndWith('is in force for every file; its examples hold; no existing line matches.')
    expect((await panelRules(session)).broken).toEqual([])
  },
)
