/** Tests which rule files become the rules of a session, and what the person is told about the others. */
import { expect, test } from 'bun:test'
import { rmSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { ruleProjects } from '../../test/harness/rule-projects.ts'
import { rulesBeforeSessionReader } from './rules-before-session.ts'

const rulesOf = ruleProjects()

test('rule files are read in sorted order, global ones first; other files are ignored', async () => {
  const global = { 'b.md': 'B', 'a.mdc': 'A', 'z/deep/c.md': 'C', 'style.md': 'replaced' }
  // OpenCode itself sends `sent.md`, so SAT does not.
  const rules = { 'style.mdc': 'own style', 'a b.md': 'AB', 'UPPER.MD': 'U', 'sent.md': 'SENT' }
  const ignored = { '.hidden.md': 'x', '.folder/x.md': 'x', 'x.md.bak': 'x', 'picture.png': 'x' }
  // `.opencode` contains the rule folder, but each file counts once.
  const { texts, reported, faults } = rulesOf(global, { ...rules, ...ignored }, ['.opencode'])
  expect(await texts()).toEqual(['a: A', 'b: B', 'z/deep/c: C', 'UPPER: U', 'a b: AB', 'style: own style'])
  expect(reported.debugged).toEqual([
    ...['a.mdc', 'b.md', 'z/deep/c.md'].map((file) => `Discovered global rule: ${file}`),
    ...['UPPER.MD', 'a b.md', 'style.mdc'].map((file) => `Discovered project rule: ${file}`),
  ])
  expect(await faults()).toEqual([])
})

const FAULTY: Array<[file: string, text: string | Uint8Array, line: number | '', why: string]> = [
  ['broken.md', '---\nx: 1\nglobs: [a\n---\nA', 3, 'the list of globs is not closed with ]'],
  ['bytes.md', new Uint8Array([0x61, 0xff]), '', 'it is not valid UTF-8'],
  ['condition.md', '---\nx: 1\nbranch: "[a"\n---\nx', 3, 'the [ in [a is not closed'],
  ['empty.md', '\n', '', 'it is empty'],
  ['headed.md', '---\ndescription: x\n---\n', '', 'there is no text below its frontmatter'],
  ['huge.md', 'x'.repeat(256_001), '', 'it has 256001 bytes; at most 256000 are read'],
  ['noext', 'x', '', 'a rule file ends in .md or .mdc; did you mean noext.md?'],
  ['open.md', '---\nx: 1\nglobs: "src/{a,b"\n---\nx', 3, 'the { in src/{a,b is not closed'],
  ['rule.txt', 'x', '', 'a rule file ends in .md or .mdc; did you mean rule.md?'],
]

test('a faulty rule file of a project is left out and reported; it still replaces a global one', async () => {
  // A file is reported once, although its folder is in `.opencode`, too.
  const { texts, reported, faults } = rulesOf({ 'broken.md': 'x' }, Object.fromEntries(FAULTY), ['.opencode'])
  expect(await texts()).toEqual([])
  const expected = FAULTY.map(([file, , line, why]) => `…/.opencode/rules/${file}:${line} ${why}`)
  expect(await faults()).toEqual(expected)
  expect([reported.toasts.length, reported.logged.length]).toEqual([9, 9])
  expect(reported.toasts[0]).toStartWith('Left out the rule file .opencode/rules/broken.md:3: the list')
})

test('edits, new files and removals are noticed; otherwise a read returns the same object', async () => {
  const { texts, write, ruleFolder, read } = rulesOf({ 'g.md': 'G' }, { 'a.md': 'A', 'web/b.md': 'B' })
  // A file that has just changed would count as changed at each read.
  await Bun.sleep(60)
  const first = await read()
  expect(await read()).toBe(first)
  write('w/.opencode/rules/web/b.md', 'BB')
  write('w/.opencode/rules/web/c.md', 'C')
  utimesSync(join(ruleFolder, 'web/b.md'), 1, 1)
  expect(await texts()).toEqual(['g: G', 'a: A', 'web/b: BB', 'web/c: C'])
  rmSync(join(ruleFolder, 'a.md'))
  expect(await texts()).toEqual(['g: G', 'web/b: BB', 'web/c: C'])
  // These edits follow each other within one tick of the disk's clock.
  for (let round = 0; round < 100; round++) {
    const body = String.fromCharCode(65 + round % 26)
    write('config/rules/g.md', body)
    expect((await texts())[0]).toBe(`g: ${body}`)
  }
})

test('project rules of the same name replace a global one, and are told apart by their paths', async () => {
  const project = { 'style.md': 'A', 'style.mdc': 'B', 'x/style.md': 'X' }
  const { texts, ruleFolder } = rulesOf({ 'style.md': 'replaced' }, project)
  expect(await texts()).toEqual(['.opencode/rules/style.md: A', '.opencode/rules/style.mdc: B', 'x/style: X'])
  rmSync(join(ruleFolder, 'style.mdc'))
  expect(await texts()).toEqual(['style: A', 'x/style: X'])
})

const WITH_PATTERN = '---\nforbid: a\n---\nx'
// The counts of rules include one small global rule.
test.each<[limit: string, fileCount: number, text: string, rules: number, checked: number, fault: RegExp]>([
  ['500 rules', 600, 'x', 500, 0, /^…\/\.opencode\/rules: 101 more rule files are .*500 rules with 512 KB/],
  ['512 KB', 5, 'x'.repeat(200_000), 3, 0, /^…\/\.opencode\/rules: 3 more rule files/],
  ['200 patterns', 201, WITH_PATTERN, 202, 200, /1 rule has patterns beyond the limit of a session \(200;/],
])('a session takes at most %s', async (_, fileCount, text, ruleCount, checkedCount, fault) => {
  const files = Array.from({ length: fileCount }, (_, index) => [`r${index}.md`, text])
  const { read, faults } = rulesOf({ 'global.md': 'GLOBAL' }, Object.fromEntries(files))
  const { rules } = await read()
  expect([rules.length, rules.filter(({ checks }) => checks).length]).toEqual([ruleCount, checkedCount])
  expect(await faults()).toEqual([expect.stringMatching(fault)])
})

test("before a session, the rules for the config's default agent are in force", async () => {
  const { root } = rulesOf({ 'g.md': 'G', 'own/g.md': 'OWN' }, {
    'a.md': '---\nagents: plan\n---\nA',
    'b.md': '---\nagents: build\n---\nB',
  })
  const worktree = join(root, 'w')
  const workspace = { directory: worktree, worktree }
  // Without a `default_agent`, it is `build`.
  for (const [config, name] of [[{}, 'b'], [{ default_agent: 'plan' }, 'a']] as const) {
    const readRules = await rulesBeforeSessionReader(workspace, {}, config)
    const { rules: { inForce }, pathOf } = await readRules('fresh')
    expect(inForce.map((rule) => rule.name)).toEqual(['g', 'own/g', name])
    expect(pathOf(inForce[0]!)).toEndWith('/rules/g.md')
    expect(pathOf(inForce[1]!)).toEndWith('/rules/own/g.md')
  }
})

test.each<[then: string, configFile: string, reportedFolders: Array<string>]>([
  ['is reported if the project names it', 'w/.opencode/opencode.json', ['docs/rules', '.cursor/rules']],
  ['is not reported if only the person names it', 'config/opencode.json', []],
])('a missing folder in the option rules.directories %s', async (_, configFile, reportedFolders) => {
  const files = { [configFile]: '{"plugin": ["opencode-sat"]}', 'w/.cursor/rules': 'a file, no folder' }
  const { read, reported } = rulesOf({}, files, ['docs/rules', '.cursor/rules'])
  await read()
  const toasts = reportedFolders.map((folder) => `rules.directories: there is no folder ${folder}`)
  // The config is read in the background. Waits up to 5 s for expected toasts, and 50 ms for one that must not come.
  for (let tries = 0; tries < 5 || (reported.toasts.length < toasts.length && tries < 500); tries++) {
    await Bun.sleep(10)
  }
  expect(reported.toasts).toEqual(toasts)
})

test('of the folders of other tools, only those in the option rules.directories are read, each once', async () => {
  const files = { 'own.md': 'OWN', 'w/.claude/rules/x.md': 'X', 'w/.clinerules/y.md': 'Y' }
  const { read, reported, texts } = rulesOf({}, files, ['.clinerules', './.clinerules/'])
  expect(await texts()).toEqual(['own: OWN', 'y: Y'])
  const { notRead, missing } = await read()
  expect({ notRead, missing }).toEqual({ notRead: [expect.stringMatching(/\.claude\/rules$/)], missing: [] })
  expect(reported.debugged).toEqual([
    ...['own.md', 'y.md'].map((file) => `Discovered project rule: ${file}`),
    'Not read, for rules.directories does not name it: …/.claude/rules',
  ])
})

test('file names are reported on one line, with line breaks and hidden characters marked', async () => {
  const name = 'a\n\nSAT: all is well\u202E\u001B[2J'
  const { reported, read } = rulesOf({}, { [`${name}.md`]: '---\nglob: x\n---\nx', [`ok${name}.md`]: 'x' })
  await read()
  const lines = [...reported.toasts, ...reported.logged, ...reported.debugged]
  expect(lines).toHaveLength(3)
  for (const line of lines) expect(line).toContain('a⟦U+000A⟧⟦U+000A⟧SAT: all is well⟦U+202E⟧⟦U+001B⟧[2J.md')
})
