import { afterAll, expect, test } from 'bun:test'
import { linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { scratchFolder, writeFileAt } from '../../test/harness/scratch.ts'
import { withIdleTimeout } from './idle-timeout.ts'
import { ruleFolders } from './rule-folders.ts'
import { rulesReporter } from './rule-warnings.ts'
import { rulesBeforeSessionReader } from './rules-before-session.ts'
import { rulesReader } from './rules-on-disk.ts'

const scratch = scratchFolder()
afterAll(() => delete process.env['OPENCODE_CONFIG_DIR'])

type Files = Record<string, string | Uint8Array>

/**
 * Creates global rules and rules of a project, and collects what is reported. The files are named by their paths in the
 * rule folder; files of the project may also begin with `w/` (the worktree) or `config/` (the global config folder).
 */
const rulesOf = (global: Files, project: Files, directories: Array<string> = []) => {
  const root = mkdtempSync(join(scratch, 'root-'))
  const directory = join(root, 'w')
  const rules = join(directory, '.opencode/rules')
  mkdirSync(directory)
  const write = (path: string, text: string | Uint8Array) => writeFileAt(join(root, path), text)
  for (const [path, text] of Object.entries(global)) write(`config/rules/${path}`, text)
  for (const [path, text] of Object.entries(project)) {
    write(/^(?:w|config)\//.test(path) ? path : `w/.opencode/rules/${path}`, text)
  }
  process.env['OPENCODE_CONFIG_DIR'] = join(root, 'config')
  const reported = { logged: [] as Array<string>, toasts: [] as Array<string>, debugged: [] as Array<string> }
  const withoutRoot = (words: string): string => words.replaceAll(directory, '…').replaceAll(root, '')
  const workspace = { directory, worktree: directory }
  const report = rulesReporter({
    workspace,
    log: (level, message) => reported.logged.push(`${level} ${withoutRoot(message)}`),
    toast: (_, message) => reported.toasts.push(withoutRoot(message)),
    debug: (line) => reported.debugged.push(withoutRoot(line)),
  })
  const readRules = rulesReader(workspace, directories, async () => [join(rules, 'sent.md')])
  const read = async () => {
    const onDisk = await readRules('cached')
    report(onDisk)
    return onDisk
  }
  return {
    root,
    rules,
    write,
    reported,
    read,
    names: async () => (await read()).rules.map(({ name, body }) => `${name}: ${body}`),
    leftOut: async () =>
      (await read()).leftOut.map(({ path, line, reason }) => `${withoutRoot(path)}:${line ?? ''} ${reason}`),
  }
}

const DIRECTORIES = ['rules', '../shared', '~/mine', '/abs', 'rules']
const ENV = { OPENCODE_CONFIG_DIR: '/config', OPENCODE_TEST_HOME: '/home/me' }
const ENV_WITHOUT_PROJECT = { ...ENV, OPENCODE_DISABLE_PROJECT_CONFIG: 'true' }
const IN_DIRECTORY = '/config/rules /w/a/.opencode/rules'

const FOLDERS: Array<
  [worktree: string, directory: string, directories: Array<string>, env: object, folders: string]
> = [
  // A relative path is looked up in the worktree's root and in the directory.
  ['/w', '/w/a', ['rules'], ENV, '/config/rules /w/.opencode/rules /w/a/.opencode/rules /w/rules /w/a/rules'],
  // Without the project's config, only folders outside of the worktree are left.
  ['/w', '/w/a', DIRECTORIES, ENV_WITHOUT_PROJECT, '/config/rules /shared /home/me/mine /abs'],
  // There is no worktree.
  ['/', '/w/a', DIRECTORIES, ENV, `${IN_DIRECTORY} /w/a/rules /w/shared /home/me/mine /abs`],
  // The directory is outside of the worktree.
  ['', '/w/a', [], ENV, IN_DIRECTORY],
  ['/other', '/w/a', [], ENV, IN_DIRECTORY],
  ['/w/a/b/c', '/w/a', [], ENV, IN_DIRECTORY],
]

test.each(FOLDERS)('worktree %p, directory %s, option %j, environment %j: rules come from %s', (...row) => {
  const [worktree, directory, directories, env, expected] = row
  const { folders } = ruleFolders({ directory, worktree }, directories, env as Record<string, string>)
  expect(folders.map(({ path }) => path)).toEqual(expected.split(' '))
})

const FAULTY: Array<[file: string, text: string | Uint8Array, fault: string]> = [
  ['broken.md', '---\nx: 1\nglobs: [a\n---\nA', '3 the list of globs is not closed with ]'],
  ['bytes.md', new Uint8Array([0x61, 0xff]), ' it is not valid UTF-8'],
  ['condition.md', '---\nx: 1\nbranch: "[a"\n---\nx', '3 the [ in [a is not closed'],
  ['empty.md', '\n', ' it is empty'],
  ['headed.md', '---\ndescription: x\n---\n', ' there is no text below its frontmatter'],
  ['huge.md', 'x'.repeat(256_001), ' it has 256001 bytes; at most 256000 are read'],
  ['noext', 'x', ' a rule file ends in .md or .mdc; did you mean noext.md?'],
  ['open.md', '---\nx: 1\nglobs: "src/{a,b"\n---\nx', '3 the { in src/{a,b is not closed'],
  ['rule.txt', 'x', ' a rule file ends in .md or .mdc; did you mean rule.md?'],
]
const IGNORED = ['.hidden.md', '.folder/x.md', 'x.md.bak', 'picture.png']

test('rule files are read in sorted order, global ones first; other files are ignored or reported', async () => {
  const { names, reported, leftOut } = rulesOf(
    { 'b.md': 'B', 'a.mdc': 'A', 'style.md': 'global style', 'z/deep/c.md': 'C', 'broken.md': 'mine' },
    {
      ...{ 'style.mdc': 'own style', 'a b.md': 'AB', 'UPPER.MD': 'U', 'sent.md': 'SENT' },
      ...Object.fromEntries([...FAULTY, ...IGNORED.map((file) => [file, 'x'])]),
    },
    ['.opencode'],
  )
  expect(await names()).toEqual(['a: A', 'b: B', 'z/deep/c: C', 'UPPER: U', 'a b: AB', 'style: own style'])
  expect(reported.debugged).toEqual([
    ...['a.mdc', 'b.md', 'z/deep/c.md'].map((file) => `Discovered global rule: ${file}`),
    ...['UPPER.MD', 'a b.md', 'style.mdc'].map((file) => `Discovered project rule: ${file}`),
  ])
  expect(await leftOut()).toEqual(FAULTY.map(([file, , fault]) => `…/.opencode/rules/${file}:${fault}`))
  // Each fault is reported once; in a toast, the file has its short name.
  expect([reported.toasts.length, reported.logged.length]).toEqual([9, 9])
  expect(reported.toasts[0]).toStartWith('Left out the rule file .opencode/rules/broken.md:3: the list')
})

test('edited, added and removed files are noticed; without a change the rules are the same object', async () => {
  const { names, write, rules, read } = rulesOf({ 'g.md': 'G' }, { 'a.md': 'A', 'web/b.md': 'B' })
  // A file that has just changed would count as changed at each read.
  await Bun.sleep(60)
  const first = await read()
  expect(await read()).toBe(first)
  write('w/.opencode/rules/web/b.md', 'BB')
  write('w/.opencode/rules/web/c.md', 'C')
  utimesSync(join(rules, 'web/b.md'), 1, 1)
  expect(await names()).toEqual(['g: G', 'a: A', 'web/b: BB', 'web/c: C'])
  rmSync(join(rules, 'a.md'))
  expect(await names()).toEqual(['g: G', 'web/b: BB', 'web/c: C'])
  // Many edits follow each other within one tick of the disk's clock.
  for (let round = 0; round < 100; round++) {
    const body = String.fromCharCode(65 + round % 26)
    write('config/rules/g.md', body)
    expect((await names())[0]).toBe(`g: ${body}`)
  }
})

test('rules of a project with the same name are named by their paths; global ones are replaced', async () => {
  const project = { 'style.md': 'A', 'style.mdc': 'B', 'x/style.md': 'X' }
  const { names, rules } = rulesOf({ 'style.md': 'replaced' }, project)
  expect(await names()).toEqual(['.opencode/rules/style.md: A', '.opencode/rules/style.mdc: B', 'x/style: X'])
  rmSync(join(rules, 'style.mdc'))
  expect(await names()).toEqual(['style: A', 'x/style: X'])
})

const BEYOND_LIMITS: Array<[files: number, text: string, sent: number, checked: number, fault: RegExp]> = [
  [600, 'x', 500, 0, /^…\/\.opencode\/rules: 101 more rule files are .*500 rules with 512 KB/],
  [5, 'x'.repeat(200_000), 3, 0, /^…\/\.opencode\/rules: 3 more rule files/],
  [201, '---\nforbid: a\n---\nx', 202, 200, /1 rule has patterns beyond the limit of a session \(200;/],
]

test.each(BEYOND_LIMITS)(
  'a session takes 500 rules with 512 KB and 200 patterns; of %i files and a global one, others are only counted',
  async (count, text, sent, checked, fault) => {
    const files = Array.from({ length: count }, (_, index) => [`r${1000 + index}.md`, text])
    const { read, leftOut } = rulesOf({ 'global.md': 'GLOBAL' }, Object.fromEntries(files))
    const { rules } = await read()
    expect([rules.length, rules.filter(({ checks }) => checks).length]).toEqual([sent, checked])
    expect(await leftOut()).toEqual([expect.stringMatching(fault)])
  },
)

test('a glob that begins with a missing folder is noted until the folder exists', async () => {
  const { read, write } = rulesOf({}, {
    'a.md': '---\nglobs: scr/**\n---\nx',
    'b.md': '---\nglobs: "*.ts, src/**"\n---\nx',
    'w/src/a.ts': 'x',
  })
  const notes = async () => (await read()).rules.map(({ note }) => note)
  expect(await notes()).toEqual(['there is no folder scr; did you mean src?', undefined])
  write('w/scr/a.ts', 'x')
  expect(await notes()).toEqual([undefined, undefined])
})

const NOT_ALLOWED = 'a link may lead only to .md and .mdc files of the project that git does not ignore'

const LINKS: Array<[name: string, target: string, fault: string | null]> = [
  ['again.md', 'w/.opencode/rules/a.md', null],
  ['linked', 'w/elsewhere', null],
  ['loop', 'w/.opencode/rules', null],
  ['dangling.md', 'nowhere.md', 'no such file'],
  ['dot.md', 'w/.env.md', NOT_ALLOWED],
  ['env.md', 'w/.env', NOT_ALLOWED],
  ['git.md', 'w/.git/config', NOT_ALLOWED],
  ['gitfolder', 'w/.git', NOT_ALLOWED],
  ['ignored.md', 'w/elsewhere/secret.md', NOT_ALLOWED],
  ['notes.md', 'notes.md', NOT_ALLOWED],
  ['root', '.', NOT_ALLOWED],
]

test("a project's links lead only to its Markdown files that git does not ignore; circles do no harm", async () => {
  const { root, rules, write, names, leftOut } = rulesOf({}, {
    ...{ 'a.md': 'A', 'w/elsewhere/shared.md': 'S', 'w/elsewhere/secret.md': 'SECRET' },
    ...{ 'w/.gitignore': 'secret.md\n', 'w/.env': 'SECRET', 'w/.env.md': 'SECRET' },
  })
  Bun.spawnSync(['git', 'init', '-q'], { cwd: join(root, 'w') })
  write('notes.md', 'SECRET')
  for (const [name, target] of LINKS) symlinkSync(join(root, target), join(rules, name))
  expect((await names()).sort()).toEqual(['a: A', 'linked/shared: S'])
  const faults = [...LINKS, ['linked/secret.md', '', NOT_ALLOWED] as const].flatMap(([name, , fault]) =>
    fault === null ? [] : [`…/.opencode/rules/${name}: ${fault}`]
  )
  expect(await leftOut()).toEqual(faults.toSorted())
})

test('a folder with thousands of files that was linked by mistake does not affect other rules', async () => {
  const { root, write, names, leftOut } = rulesOf({}, { 'a.md': 'A', 'z/b.md': 'B' })
  write('w/many/a.md', 'X')
  for (let index = 0; index < 5_000; index++) {
    linkSync(join(root, 'w/many/a.md'), join(root, `w/many/${index}.md`))
  }
  symlinkSync(join(root, 'w/many'), join(root, 'w/.opencode/rules/many'))
  expect(await names()).toEqual(['a: A', 'z/b: B'])
  expect(await leftOut()).toEqual([
    expect.stringMatching(/rules\/many: a rule folder has at most 5000 entries/),
  ])
})

test("the person's own rules may be links to anywhere, as dotfile managers create them", async () => {
  const { root, write, names } = rulesOf({ 'a.md': 'A' }, {})
  write('store/x1-style', 'STYLE')
  write('store/more/b.md', 'B')
  symlinkSync(join(root, 'store/x1-style'), join(root, 'config/rules/style.md'))
  symlinkSync(join(root, 'store/more'), join(root, 'config/rules/more'))
  expect(await names()).toEqual(['a: A', 'more/b: B', 'style: STYLE'])
})

const NOTED: Array<[path: string, text: string, note: RegExp | null]> = [
  ['w/.claude/rules/a.md', '---\nglobs: src/**\n---\nA', /globs is not read in \.claude\/rules; write paths/],
  ['w/.claude/rules/a.md', '---\nglobs: src/**\npaths: a/b\n---\nA', /no folder a/],
  ['w/.claude/rules/a.md', '---\nglobs: src/**\npaths: b.md\n---\nA', null],
  ['w/.clinerules/a.md', '---\nagent: plan\n---\nA', /^agents is not read in \.clinerules$/],
  ['a.md', '---\nforbid: /any/i\n---\nA', /^the slashes are a part of the pattern \/any\/i$/],
  ['a.md', '---\nforbid: /any/\nbad: a/any/b\n---\nA', null],
  ['w/.claude/rules/a.md', '---\nalwaysApply: false\n---\nA', /^alwaysApply is not read in \.claude\/rules$/],
  ['a.md', '---\nalwaysApply: false\n---\n---\nglobs: b.md\n---\nA', /the one on line 4/],
  ['a.md', '\n---\nglobs: b.md\n---\nA', /must begin with --- on line 1; the one on line 2 is not read/],
  ['a.md', 'Copyright me.\r\nMIT\r\n\r\n---\r\ndescription: x\r\n---\r\nA', /the one on line 4/],
  ['a.md', '```md\n---\nglobs: b.md\n---\nA\n```', /the one on line 2/],
  ['a.md', 'A rule is\n```\n---\nglobs: b.md\n---\n```\nA', null],
  ['a.md', 'A\n---\nB: c\n---\nD', null],
  ['a.md', '---\nglobs: **/_.md\n---\nA', /^\*\*\/_\.md is read as \*\*\/\*\.md$/],
  [
    'a.md',
    '---\nglobs: "*.md *.x"\n---\nA',
    /^the space is a part of the pattern \*\.md \*\.x; write a comma/,
  ],
]

test.each(NOTED)('%s with the text %j has the note %p (null: none)', async (path, text, note) => {
  const { read } = rulesOf({}, { [path]: text }, ['.claude/rules', '.clinerules'])
  const [rule] = (await read()).rules
  if (note === null) expect(rule?.note).toBeUndefined()
  else expect(rule?.note).toMatch(note)
})

// The fault is the line and the key because of which the rule is only offered; `null` if it is not.
const LIMITED: Array<[header: string, fault: string | null]> = [
  ['include: "*.ts"', '2 include'],
  ['trigger: hourly', '2 trigger'],
  ['title: x\nregex: "^import"', '3 regex'],
  ['os: linux\nglobs: "*.md"', null],
  ['os: linux\nalwaysApply: true', null],
  ['os: linux\nagents: build', null],
  ['type: guide', null],
]

test.each(LIMITED)('a rule with the header %j is only offered because of %p', async (header, fault) => {
  const { read, reported } = rulesOf({}, { 'a.md': `---\n${header}\n---\n# Title\nA` })
  const { rules: [rule], leftOut: [leftOut] } = await read()
  expect(leftOut ? `${leftOut.line} ${leftOut.reason.split(' ')[0]}` : null).toBe(fault)
  if (fault === null) expect(rule?.kind).not.toBe('offered')
  else {
    expect(rule).toMatchObject({ kind: 'offered', description: 'Title' })
    expect(reported.toasts[0]).toStartWith('Only offered: .opencode/rules/a.md:')
  }
})

test("before a session, the rules in force are those of the config's default agent", async () => {
  const { root } = rulesOf({ 'g.md': 'G', 'own/g.md': 'OWN' }, {
    'a.md': '---\nagents: plan\n---\nA',
    'b.md': '---\nagents: build\n---\nB',
  })
  const workspace = { directory: join(root, 'w'), worktree: join(root, 'w') }
  for (const [config, name] of [[{}, 'b'], [{ default_agent: 'plan' }, 'a']] as const) {
    const readRules = await rulesBeforeSessionReader(workspace, {}, config)
    const { rules, pathOf } = await readRules(true)
    expect(rules.inForce.map((rule) => rule.name)).toEqual(['g', 'own/g', name])
    // Each rule has a path of its own, so that it can be opened and switched off separately.
    expect(pathOf(rules.inForce[0]!)).toEndWith('/rules/g.md')
    expect(pathOf(rules.inForce[1]!)).toEndWith('/rules/own/g.md')
  }
})

const NO_FOLDERS = ['docs/rules', '.cursor/rules'].map((folder) =>
  `rules.directories: there is no folder ${folder}`
)

test.each([
  ['a project named is reported', 'w/.opencode/opencode.json', NO_FOLDERS],
  ['the person named for all projects is not', 'config/opencode.json', []],
])("a missing folder that %s; another tool's folder is logged once", async (_, config, toasts) => {
  const { read, reported, names } = rulesOf({}, {
    ...{ [config]: '{"plugin": ["opencode-sat"]}', 'own.md': 'OWN' },
    ...{ 'w/.claude/rules/x.md': 'X', 'w/.cursor/rules': 'a file', 'w/.clinerules/y.md': 'Y' },
  }, ['.clinerules', './.clinerules/', 'docs/rules', '.cursor/rules'])
  expect((await read()).notRead).toEqual([expect.stringMatching(/\.claude\/rules$/)])
  expect(await names()).toEqual(['own: OWN', 'y: Y'])
  // The config is read after the report.
  for (let tries = 0; tries < 5 || (reported.toasts.length < toasts.length && tries < 500); tries++) {
    await Bun.sleep(10)
  }
  expect(reported.toasts).toEqual(toasts)
  expect(reported.debugged).toEqual([
    ...['own.md', 'y.md'].map((file) => `Discovered project rule: ${file}`),
    'Not read, for rules.directories does not name it: …/.claude/rules',
  ])
})

test('file names are reported on one line, with control and direction characters marked', async () => {
  const name = 'a\n\nSAT: all is well\u202E\u001B[2J'
  const { reported, read } = rulesOf({}, { [`${name}.md`]: '---\nglob: x\n---\nx', [`ok${name}.md`]: 'x' })
  await read()
  const lines = [...reported.toasts, ...reported.logged, ...reported.debugged]
  expect(lines).toHaveLength(3)
  for (const line of lines) expect(line).toContain('a⟦U+000A⟧⟦U+000A⟧SAT: all is well⟦U+202E⟧⟦U+001B⟧[2J.md')
})

test('a call waits once for a disk that does not answer; later calls do not wait until it answers', async () => {
  let answer = (_: string): void => {}
  const read = withIdleTimeout(() => new Promise<string>((resolve) => answer = resolve), 300)
  const start = performance.now()
  expect((await read()).error).toMatch(/no answer/)
  expect(performance.now() - start).toBeGreaterThan(290)
  const again = performance.now()
  expect((await read()).error).toMatch(/no answer/)
  expect(performance.now() - again).toBeLessThan(290)
  answer('rules')
  expect((await read()).data ?? (await read()).data).toBe('rules')
})

test('a call waits longer for a slow disk if the disk makes progress', async () => {
  let answers = 0
  const work = async () => {
    for (answers = 0; answers < 30; answers++) await Bun.sleep(50)
    return 'rules'
  }
  expect((await withIdleTimeout(work, 1_000, () => answers)()).data).toBe('rules')
  expect((await withIdleTimeout(work, 1_000)()).error).toMatch(/no answer/)
})
