/** Stories of reports on rule files and on lines that break rules. */
import { expect } from 'bun:test'
import { bash, edit, patch, write } from '../formatting/session.ts'
import { PATCH_MODEL, type Session } from '../harness/host.ts'
import { story } from '../harness/story.ts'
import { areReported, delegate, marksOf, OLD, play, startChecked, startShared } from './checked-session.ts'
import {
  childrenOf,
  expectCounts,
  panelRules,
  read,
  ruleFile,
  satWith,
  startProject,
} from './session-rules.ts'

story('the answer to a call reports a forbidden line, and the panel lists it until it is fixed', async () => {
  const { project, session } = await startShared()
  project.write('src/twin.ts', OLD)
  const create = write(project, 'src/a.ts', 'const many: Company = 1\nconst x: any = 1\n')
  const fix = async () => {
    expect(await marksOf(session)).toEqual(['no-any src/a.ts:2'])
    return edit(project, 'src/a.ts', 'x: any', 'x: unknown')
  }
  // After the added line is fixed, the file still contains an older line with the same text.
  const addTwin = edit(project, 'src/twin.ts', OLD, `${OLD}${OLD}`)
  const fixTwin = edit(project, 'src/twin.ts', `${OLD}${OLD}`, `// old\n${OLD}`)
  const { requests, outputs } = await play(session, create, fix, read('src/twin.ts'), addTwin, fixTwin)
  expect(areReported(outputs)).toEqual([false, true, false, false, true, false])
  expect(outputs[1]).toContain(`What was just written to src/a.ts breaks rules. Fix it, or say why it stays:
no-any: Never use \`any\`; use \`unknown\` and narrow it.
  2: const x: any = 1`)
  expect(outputs[1]).not.toContain('More about it')
  expect(outputs[5]).not.toContain('Still broken')
  expect(JSON.stringify(requests[2]!.messages)).toContain('2: const x: any = 1')
  expect(await marksOf(session)).toEqual([])
})

story('a session gets no report on old lines, nor on lines that only a shell or subagent wrote', async () => {
  const { project, session } = await startShared()
  const notUtf8 = Buffer.from('// caf\xE9\nlet old: any\nlet a = 1\n', 'latin1')
  project.write('src/latin.ts', notUtf8)
  const { outputs } = await play(
    session,
    bash("echo 'let y: any' > src/shell.ts"),
    read('src/latin.ts'),
    edit(project, 'src/latin.ts', 'let a = 1', 'let a = 2'),
    await delegate(project, 'Make the child file'),
  )
  expect(areReported(outputs)).toEqual([false, false, false, false, false])
  const [child] = await childrenOf(session)
  expect(JSON.stringify(await child!.messages())).toContain('1: let c: any')
  for (const each of [session, child!]) expect(await marksOf(each)).toEqual(['no-any src/child.ts:1'])
  // The parent session treats the child's line as already reported until the line changes.
  const addAbove = edit(project, 'src/child.ts', 'let c', '// child\nlet c')
  const next = await session.turn('go on', addAbove, edit(project, 'src/child.ts', 'any', 'any = 1'))
  expect(next.outputs[0]).toEndWith('Still broken in src/child.ts: line 2 (no-any)')
  expect(next.outputs[1]).toContain('2: let c: any = 1')
})

story('if parallel calls write a file several times, the last call has the report', async () => {
  const { project, session } = await startShared()
  const creations = [write(project, 'src/b.ts', 'let a: any\n'), write(project, 'src/c.ts', 'let c = 1\n')]
  const { outputs } = await play(session, creations, [
    edit(project, 'src/b.ts', 'let a: any', 'let a: any\nlet b: any\nlet c: any'),
    edit(project, 'src/c.ts', 'let c = 1', 'let c: any = 1'),
    edit(project, 'src/b.ts', 'let c: any', 'let c: number\nconsole.log(a)'),
  ])
  expect(areReported(outputs)).toEqual([false, true, false, false, true, true])
  // Both reports name the rule `no-any`, but only the first report quotes the rule's text.
  expect(outputs[4]).toEndWith('narrow it.\n  1: let c: any = 1')
  expect(outputs[5]).toEndWith(`no-any
  2: let b: any
no-log: Do not leave \`console.log\` in the code.
  4: console.log(a)

Still broken in src/b.ts: line 1 (no-any)`)
})

const playPatch = async (session: Session, ...lines: Array<string>): Promise<string> =>
  (await session.turnAs({ model: PATCH_MODEL }, 'go', patch(...lines))).outputs[0]!

const move = (from: string, to: string) => `*** Update File: ${from}\n*** Move to: ${to}\n@@`

story('a report on a patch omits moved lines, and the panel shows the new path of a moved file', async () => {
  const { project, session } = await startShared()
  for (const name of ['patched', 'went']) project.write(`src/${name}.ts`, OLD)
  await session.turn('look', read('src/old.ts'))
  const append = `*** Update File: src/patched.ts\n@@\n-${OLD}+${OLD}+console.log(old)`
  const added = await playPatch(session, '*** Add File: src/p.ts\n+let p: any', append)
  expect(added).toContain('written to src/p.ts breaks')
  expect(added).toContain('  2: console.log(old)')
  // The changed line broke the rule before the change, too.
  const changedOld = `-${OLD}+${OLD.replace('1', '2').trimEnd()}`
  const movedOld = await playPatch(session, move('src/went.ts', 'src/came.ts'), changedOld)
  expect(areReported([movedOld])).toEqual([false])
  expect(await marksOf(session)).toEqual(['no-any src/p.ts:1', 'no-log src/patched.ts:2'])

  // The rule `no-any` does not apply in `lib`.
  const moveLog = `${move('src/patched.ts', 'lib/patched.ts')}\n+// moved\n ${OLD} console.log(old)`
  const moved = await playPatch(session, move('src/p.ts', 'lib/p.ts'), ' let p: any\n+// moved', moveLog)
  expect(moved).toEndWith('Still broken in lib/patched.ts: line 3 (no-log)')
  expect(moved).not.toContain('Still broken in lib/p.ts')
  expect(await marksOf(session)).toEqual(['no-log lib/patched.ts:3'])
})

story('a line that is removed and added again is reported, unless a turn only moves it', async () => {
  const { project, session } = await startShared()
  project.write('src/emptied.ts', OLD)
  const { outputs } = await session.turn(
    'move it',
    read('src/emptied.ts'),
    write(project, 'src/emptied.ts', '// empty\n'),
    write(project, 'src/f.ts', `${OLD}let b: any\n`),
    edit(project, 'src/f.ts', 'let b: any', 'let b: number'),
    edit(project, 'src/f.ts', 'let b: number', 'let b: any'),
  )
  const reportedLines = outputs.map((output) => output.split('narrow it.\n')[1])
  expect(reportedLines).toEqual([undefined, undefined, '  2: let b: any', undefined, '  2: let b: any'])
  await session.turn('go', edit(project, 'src/f.ts', OLD, ''))
  const laterTurn = await session.turn('back', edit(project, 'src/f.ts', 'let b', `${OLD}let b`))
  expect(laterTurn.outputs[0]).toContain('  1: export const old: any = 1')
})

story("after formatting, only the agent's lines are reported, with new text and line numbers", async () => {
  const splitLines = "sed -i 's/ = / =\\n  /; s/$/;/'"
  const format_on_save = { 'src/new.ts': "sed -i '1i // head' {path}", 'src/old.ts': `${splitLines} {path}` }
  const hostFormatter = { command: ['sh', '-c', `${splitLines} "$1"`, 'sh', '$FILE'], extensions: ['.mts'] }
  const { project, session } = await startChecked({
    files: { 'src/old.mts': OLD },
    config: { ...satWith({ format_on_save }), formatter: { x: hostFormatter } },
  })
  const create = write(project, 'src/new.ts', 'let x: any = 1\n')
  const edits = ['src/old.ts', 'src/old.mts'].map((file) => edit(project, file, OLD, `${OLD}let b: any\n`))
  const { outputs } = await play(session, read('src/old.mts'), create, edits)
  expect(outputs[2]).toContain('\n  2: let x: any = 1')
  expect(areReported(outputs.slice(3))).toEqual([true, true])
  for (const file of ['src/old.ts', 'src/old.mts']) {
    expect(await project.read(file)).toContain('export const old: any =\n')
  }
  const marks = ['new.ts:2', 'old.ts:3', 'old.mts:3'].map((place) => `no-any src/${place}`)
  expect(await marksOf(session)).toEqual(marks)
})

story("a report quotes a rule in `instructions`, but not a person's own rule", async () => {
  const ownRule = ruleFile("forbid: '\\bvar\\b'\nrequire: any", 'OWN-WORDS')
  const own = await startProject({ files: { 'own.md': ownRule } })
  const options = { rules: { directories: [own.directory] } }
  const config = { ...satWith(options), instructions: ['.opencode/rules/*.md'] }
  const { project, session } = await startChecked({ config })
  const writes = [write(project, 'a.js', 'var a\n'), write(project, 'src/a.ts', 'let x: any\n')]
  const { requests, outputs } = await play(session, writes)
  // A session can be shared, so the report does not quote the person's rule.
  expect(outputs[1]).toEndWith('own\n  1: var a\n  the file lacks what the rule requires')
  expect(JSON.stringify(await session.messages())).not.toContain('OWN-WORDS')
  expect(outputs[2]).toEndWith('no-any: Never use `any`; use `unknown` and narrow it.\n  1: let x: any')
  expectCounts(requests, { 'Do not leave `console.log`': [1, 1, 1] })
  expect(await marksOf(session)).toEqual(['own a.js:1', 'own a.js', 'no-any src/a.ts:1'])
})

const WRITTEN_RULES: Array<[name: string, header: string, answer: string]> = [
  ['look', `globs: "*.x"\nforbid: '(?<!a)b'`, 'look.md has a fault on line 3: a pattern cannot look ahead'],
  ['example', "forbid: 'a'\nbad:\n  - a\n  - b", 'has a fault on line 5: this bad example passes the check.'],
  ['broken', 'glob: a', 'did you mean globs? Fix it; until then it is not used.'],
  ['all', 'forbid: const\nbad: const', '; its examples hold; 1 existing line matches (src/old.ts:1).'],
  [
    'lib',
    'globs: lib/*.ts\nforbid: any',
    'for `lib/*.ts`; it has no examples; 5 existing lines match (lib/0.ts:1, lib/1.ts:1, lib/2.ts:1 and 2 more).',
  ],
  ['typo', 'globs: scr/**\nforbid: x', 'typo.md: there is no folder scr; did you mean src?\n\nThe rule typo'],
  ['unread', 'globs: "*.none"\nfoo: bar', '/unread.md: not read: foo (line 3).'],
  ['limits', 'forbid: x\nagents: a\nbranches: b', '(only with agents: a; branches: b); it has no examples;'],
  ['narrow', 'globs: "*.py"\nforbid: a\nbad: a', 'for `*.py`; its examples hold; no existing line matches.'],
  ['spdx', "globs: lib/*.ts\nrequire: '^// SPDX'", '5 files lack a required pattern (lib/0.ts, lib/1.ts, '],
  ['both', "globs: lib/*.ts\nrequire: ['^// 0', c, '^// SPDX']", '5 files lack a required pattern (lib/0.ts'],
  ['zero', 'globs: lib/*.ts\nrequire: |\n  ^// 0\n  \\d', '4 files lack a required pattern (lib/1.ts, '],
]

story('a call that writes a rule reports a fault in the rule, or existing lines that break it', async () => {
  const libFiles = [0, 1, 2, 3, 4].map((index) => [`lib/${index}.ts`, `let a: any\n// ${index}\n`])
  const files = { 'lib/note.txt': 'let b: any\n', ...Object.fromEntries(libFiles) }
  const { project, session } = await startChecked({ files })
  const writeRules = WRITTEN_RULES.map(([name, header]) =>
    write(project, `.opencode/rules/${name}.md`, ruleFile(header, `${name} has ^// 0.`))
  )
  // The first `create` is refused, because the model has not seen the rules for the file.
  const create = write(project, 'lib/new.ts', 'let c = 1\n')
  const faultless = write(project, '.opencode/rules/faultless.md', ruleFile('globs: "*.none"'))
  const { outputs, requests } = await session.turn('go', [...writeRules, faultless], create, create)
  expect(outputs[WRITTEN_RULES.length]).toBe('Wrote file successfully.')
  for (const [index, [, , answer]] of WRITTEN_RULES.entries()) expect(outputs[index]).toContain(answer)
  // A report names a missing pattern even if the rule's body contains it (`^// 0`).
  const lacked = [['spdx', '`^// SPDX`'], ['zero', '`^// 0`'], ['both', '`^// 0`, `^// SPDX`']]
  for (const [name, patterns] of lacked) {
    expect(outputs.at(-1)).toContain(`${name}: ${name} has ^// 0.\n  the file lacks ${patterns}`)
  }
  expectCounts(requests.slice(0, 2), { 'example has': [0, 1], 'all has': [0, 1] })
  const { leftOut } = await panelRules(session)
  const faults = leftOut.map(({ path, line, isSent }) => `${path.split('/').at(-1)}:${line} ${isSent}`)
  expect(faults).toEqual(['broken.md:2 undefined', 'example.md:5 true', 'look.md:3 true'])
})
