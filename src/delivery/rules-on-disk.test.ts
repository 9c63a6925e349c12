import { expect, test } from 'bun:test'
import { mkdirSync, rmSync, symlinkSync, utimesSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ruleProjects } from '../../test/harness/rule-projects.ts'
import { rulesBeforeSessionReader } from './rules-before-session.ts'

const rulesOf = ruleProjects()

test('rule files are read in sorted order, global ones first; other files are ignored', async () => {
  const global = { 'b.md': 'B', 'a.mdc': 'A', 'z/deep/c.md': 'C', 'style.md': 'replaced' }
  // The host itself sends `sent.md`.
  const rules = { 'style.mdc': 'own style', 'a b.md': 'AB', 'UPPER.MD': 'U', 'sent.md': 'SENT' }
  const ignored = { '.hidden.md': 'x', '.folder/x.md': 'x', 'x.md.bak': 'x', 'picture.png': 'x' }
  // The folder `.opencode` contains the rule folder, but each file counts once.
  const { texts, reported, faults } = rulesOf(global, { ...rules, ...ignored }, ['.opencode'])
  expect(await texts()).toEqual(['a: A', 'b: B', 'z/deep/c: C', 'UPPER: U', 'a b: AB', 'style: own style'])
  expect(reported.debugLines).toEqual([
    ...['a.mdc', 'b.md', 'z/deep/c.md'].map((file) => `Discovered global rule: ${file}`),
    ...['UPPER.MD', 'a b.md', 'style.mdc'].map((file) => `Discovered project rule: ${file}`),
  ])
  expect(await faults()).toEqual([])
})

const FAULTY: Array<[file: string, text: string | Uint8Array, fault: string]> = [
  ['agent.md', '---\nagents: [build, "!plan"]\n---\nx', ':2 agents takes names, but !plan is a pattern'],
  ['broken.md', '---\nx: 1\nglobs: [a\n---\nA', ':3 the list of globs is not closed with ]'],
  ['bytes.md', new Uint8Array([0x61, 0xff]), ': it is not valid UTF-8'],
  ['condition.md', '---\nx: 1\nbranch: "[a"\n---\nx', ':3 the [ in [a is not closed'],
  ['empty.md', '\n', ': it is empty'],
  ['headed.md', '---\ndescription: x\n---\n', ': there is no text below its frontmatter'],
  ['huge.md', 'x'.repeat(256_001), ': it has 256001 bytes; at most 256000 are read'],
  ['noext', 'x', ': a rule file ends in .md or .mdc; did you mean noext.md?'],
  ['open.md', '---\nx: 1\nglobs: "src/{a,b"\n---\nx', ':3 the { in src/{a,b is not closed'],
  ['rule.md.txt', 'x', ': a rule file ends in .md or .mdc; did you mean rule.md?'],
  ['rule.mkd', 'x', ': a rule file ends in .md or .mdc; did you mean rule.md?'],
]

test('if a project rule is faulty, the fault is reported, and no global rule of the same name is sent', async () => {
  const global = { 'broken.md': 'x', 'own.md': '' }
  const { texts, reported, faults } = rulesOf(global, Object.fromEntries(FAULTY), ['.opencode'])
  expect(await texts()).toEqual([])
  const [ownFault, ...projectFaults] = await faults()
  expect(ownFault).toEndWith('own.md: it is empty')
  expect(projectFaults).toEqual(FAULTY.map(([file, , fault]) => `…/.opencode/rules/${file}${fault}`))
  expect([reported.toasts.length, reported.logged.length]).toEqual([11, 11])
  expect(reported.toasts[2]).toStartWith('Left out the rule file .opencode/rules/broken.md:3: the list')
})

test('edits, new files and removals are noticed; otherwise a read returns the same object', async () => {
  const { texts, write, ruleFolder, read } = rulesOf({ 'g.md': 'G' }, { 'a.md': 'A', 'web/b.md': 'B' })
  // Until 50 ms after its last change, a file counts as changed at each read.
  await Bun.sleep(60)
  const first = await read()
  expect(await read()).toBe(first)
  write('w/.opencode/rules/web/b.md', 'BB')
  write('w/.opencode/rules/web/c.md', 'C')
  utimesSync(join(ruleFolder, 'web/b.md'), 1, 1)
  expect(await texts()).toEqual(['g: G', 'a: A', 'web/b: BB', 'web/c: C'])
  rmSync(join(ruleFolder, 'a.md'))
  expect(await texts()).toEqual(['g: G', 'web/b: BB', 'web/c: C'])
})

test('each of a hundred edits within one tick of the disk clock is noticed', async () => {
  const { texts, write } = rulesOf({}, {})
  for (let round = 0; round < 100; round++) {
    // All bodies have the same size.
    const body = String.fromCharCode(65 + round % 26)
    write('config/rules/g.md', body)
    expect(await texts()).toEqual([`g: ${body}`])
  }
})

test('two project rules with one name replace the global rule, and get their paths as names', async () => {
  const project = { 'style.md': 'A', 'style.mdc': 'B', 'x/style.md': 'X' }
  const { texts, ruleFolder } = rulesOf({ 'style.md': 'replaced' }, project)
  expect(await texts()).toEqual(['.opencode/rules/style.md: A', '.opencode/rules/style.mdc: B', 'x/style: X'])
  rmSync(join(ruleFolder, 'style.mdc'))
  expect(await texts()).toEqual(['style: A', 'x/style: X'])
})

test('a rule in a folder outside of the project does not replace the global rule of the same name', async () => {
  const { texts, write } = rulesOf({ 'style.md': 'G' }, { 'a.md': 'A' }, ['../team'])
  write('team/style.md', 'T')
  expect(await texts()).toEqual(['rules/style.md: G', 'team/style.md: T', 'a: A'])
})

const copies = (count: number, text: string): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`r${index}.md`, text]))

// The global rule counts towards the limits.
test.each<[limit: string, project: Record<string, string>, ruleCount: number, fault: string]>([
  ['500 rules', copies(600, 'x'), 500, '101 more rule files are left out'],
  ['512 KB', copies(5, 'x'.repeat(200_000)), 3, '3 more rule files are left out'],
])('a session takes at most %s', async (_, project, ruleCount, fault) => {
  const { read, faults } = rulesOf({ 'global.md': 'GLOBAL' }, project)
  expect((await read()).rules).toHaveLength(ruleCount)
  const limits = 'a session takes at most 500 rules with 512 KB in all'
  expect(await faults()).toEqual([`…/.opencode/rules: ${fault}: ${limits}`])
})

test('a session checks at most 200 patterns; a rule beyond them is sent without its pattern', async () => {
  const { read, faults } = rulesOf({}, copies(201, '---\nforbid: a\n---\nx'))
  const { rules } = await read()
  expect([rules.length, rules.filter(({ checks }) => checks).length]).toEqual([201, 200])
  const fault = '1 rule has patterns beyond the limit of a session (200, or fewer if the patterns are large)'
  expect(await faults()).toEqual([`…/.opencode/rules: ${fault}`])
})

const SLOW = `---\nkeywords: [${'"a", '.repeat(1_500)}]\n---\nx`

test.each<[kind: string, project: Record<string, string>]>([
  ['too many', copies(500, 'x')],
  ['slow to read', copies(120, SLOW)],
  ['full of patterns', copies(200, '---\nforbid: a\n---\nx')],
])("project rules that are %s do not displace the person's own rules", async (_, project) => {
  const own = { 'check.md': '---\nforbid: a\n---\nG', 'ts.md': '---\nglobs: "*.ts"\n---\nG' }
  const { read, write } = rulesOf(own, project, ['../own'])
  write('own/outside.md', '---\nforbid: a\n---\nO')
  const { rules } = await read()
  const ownRules = rules.filter(({ folder }) => folder.scope !== 'project')
  const described = ownRules.map(({ name, checks }) => `${name} ${checks ? 'checked' : ''}`)
  expect(described).toEqual(['check checked', 'ts ', 'outside checked'])
})

const withKeywords = (prefix: string) =>
  `---\nkeywords: [${Array.from({ length: 900 }, (_, index) => prefix + index).join()}]\n---\nx`

test('the rules of a session have at most 2,000 keywords; a rule that exceeds this is left out', async () => {
  const keywordRules = { 'a.md': withKeywords('a'), 'b.md': withKeywords('b'), 'c.md': withKeywords('c') }
  const { read, faults } = rulesOf({}, { ...keywordRules, 'd.md': '---\nkeywords: d\n---\nx' })
  expect((await read()).rules.map(({ name }) => name)).toEqual(['a', 'b', 'd'])
  const fault = 'c.md:2 with its 900 keywords, the rules of the session exceed the limit of 2000'
  expect(await faults()).toEqual([`…/.opencode/rules/${fault}`])
})

const rulesBeforeSession = async (root: string, config = {}) => {
  const workspace = { directory: join(root, 'w'), worktree: join(root, 'w') }
  return (await rulesBeforeSessionReader(workspace, {}, config))('fresh')
}

test.each<[config: object, agent: string]>([
  [{}, 'build'],
  [{ default_agent: 'plan' }, 'plan'],
])('before a session with the config %j, the rules for the agent %s are in force', async (config, agent) => {
  const ruleFor = (name: string) => `---\nagents: ${name}\n---\nx`
  const { root } = rulesOf({}, { 'plan.md': ruleFor('plan'), 'build.md': ruleFor('build') })
  const { inForce } = (await rulesBeforeSession(root, config)).rules
  expect(inForce.map(({ name }) => name)).toEqual([agent])
})

test('before a session, `pathOf` finds the file of a global rule', async () => {
  const { root } = rulesOf({ 'g.md': 'G', 'own/g.md': 'OWN' }, {})
  const { rules: { inForce }, pathOf } = await rulesBeforeSession(root)
  expect(inForce.map(({ name }) => name)).toEqual(['g', 'own/g'])
  const folder = join(root, 'config/rules')
  expect(inForce.map(pathOf)).toEqual([join(folder, 'g.md'), join(folder, 'own/g.md')])
})

test.each<[owner: string, configFile: string, reportedFolders: Array<string>]>([
  ['project', 'w/.opencode/opencode.json', [
    'docs/rules',
    '.cursor/rules',
    'docs/a.md; name the folder of the file',
  ]],
  ['person', 'config/opencode.json', []],
])(
  'a missing folder is reported only if the config of the project names it: config of the %s',
  async (_, configFile, reportedFolders) => {
    const files = { [configFile]: '{"plugin": ["opencode-sat"]}', 'w/.cursor/rules': 'a file, no folder' }
    const { read, reported } = rulesOf({}, files, ['docs/rules', '.cursor/rules', 'docs/a.md'])
    await read()
    const toasts = reportedFolders.map((folder) => `rules.directories: there is no folder ${folder}`)
    // The config is read in the background.
    await Bun.sleep(50)
    for (let tries = 0; tries < 500 && reported.toasts.length < toasts.length; tries++) await Bun.sleep(10)
    expect(reported.toasts).toEqual(toasts)
  },
)

test('a folder of another tool is read only if rules.directories names it, and at most once', async () => {
  const files = { 'own.md': 'OWN', 'w/.claude/rules/x.md': 'X', 'w/.clinerules/y.md': 'Y' }
  const { read, reported, texts } = rulesOf({}, files, ['.clinerules', './.clinerules/'])
  expect(await texts()).toEqual(['own: OWN', 'y: Y'])
  const { notRead, missing } = await read()
  expect({ notRead, missing }).toEqual({ notRead: [expect.stringMatching(/\.claude\/rules$/)], missing: [] })
  expect(reported.debugLines).toEqual([
    ...['own.md', 'y.md'].map((file) => `Discovered project rule: ${file}`),
    'Not read, because rules.directories does not name it: …/.claude/rules',
  ])
})

test.each<[link: string, target: string, directories: Array<string>]>([
  ['.opencode/rules', '../.claude/rules', []],
  ['.opencode/rules/claude', '../../.claude/rules', []],
  ['ai', '.claude', ['ai']],
])("another tool's folder that is read through the link %s is not in `notRead`", async (...row) => {
  const [link, target, directories] = row
  const files = { 'w/.claude/rules/x.md': 'X', 'w/.cursor/rules/y.md': 'Y' }
  const { root, read } = rulesOf({}, files, directories)
  const path = join(root, 'w', link)
  mkdirSync(dirname(path), { recursive: true })
  symlinkSync(target, path)
  const { rules, notRead } = await read()
  expect(rules.map(({ body }) => body)).toEqual(['X'])
  expect(notRead).toEqual([join(root, 'w/.cursor/rules')])
})

test('file names are reported on one line, with line breaks and hidden characters marked', async () => {
  const name = 'a\n\nSAT: all is well\u202E\u001B[2J'
  const { reported, read } = rulesOf({}, { [`${name}.md`]: '---\nglob: x\n---\nx', [`ok${name}.md`]: 'x' })
  await read()
  const lines = [...reported.toasts, ...reported.logged, ...reported.debugLines]
  expect(lines).toHaveLength(3)
  for (const line of lines) expect(line).toContain('a⟦U+000A⟧⟦U+000A⟧SAT: all is well⟦U+202E⟧⟦U+001B⟧[2J.md')
})
