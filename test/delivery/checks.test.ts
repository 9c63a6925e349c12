/** Added lines that break a rule: reported to the model, marked in the panel, printed, and named in a toast. */
import { expect } from 'bun:test'
import { existsSync } from 'node:fs'
import { abort, edit, undo, waitForFile, write } from '../formatting/session.ts'
import { opencodeRun } from '../harness/host-process.ts'
import {
  CHECKOUT,
  type Message,
  type Project,
  type ProjectOptions,
  type Session,
  sharedHost,
  type Turn,
} from '../harness/host.ts'
import type { Call, Step } from '../harness/model.ts'
import { story } from '../harness/story.ts'
import { toastsOf } from '../harness/toasts.ts'
import {
  compact,
  expectCounts,
  expectPrefixes,
  forkSession,
  panelRules,
  patch,
  read,
  ruleFile,
  setSwitchedOff,
  startProject,
  startSession,
  waitUntil,
} from './session-rules.ts'

const OLD = 'export const old: any = 1\n'

const NO_ANY = ruleFile(
  String.raw`globs: src/**/*.{ts,mts}
forbid: ':\s*any\b|\bas any\b'
bad: 'const x: any = 1'
good: 'const many: Company = 1'`,
  'Never use `any`; use `unknown` and narrow it.\n\nMore about it.',
)
const FILES = {
  '.opencode/rules/no-any.md': NO_ANY,
  '.opencode/rules/no-log.md': ruleFile(
    String.raw`forbid: '\bconsole\.log\('`,
    'Do not leave `console.log` in the code.',
  ),
  'src/old.ts': OLD,
}

/** Starts a session in a project of its own, with the rules and further files. */
const startChecked = ({ files, ...options }: ProjectOptions = {}) =>
  startSession({ ...options, files: { ...FILES, ...files } })

let shared: Promise<Project> | undefined

/** Starts a session in a project that stories share if they change neither rules nor config. Each has other files. */
const startShared = async () => {
  const project = await (shared ??= startProject({ files: FILES }))
  return { project, session: await project.session() }
}

/** Plays a turn that first reads a file to which the rules apply, so that no later write is refused to show them. */
const play = (session: Session, ...steps: Array<Step>): Promise<Turn> =>
  session.turn('go', read('src/old.ts'), ...steps, 'the end')

/** Lists the marks of a session, the lines or files in the panel that break a rule: `rule path:line`, `rule path`. */
const marksOf = async (session: Session): Promise<Array<string>> =>
  (await panelRules(session)).broken.map(({ rule, path, line }) =>
    `${rule} ${path}${line === undefined ? '' : `:${line}`}`
  )

/** Lists, for each answer, whether it reports a broken rule. */
const areReported = (outputs: Array<string>): Array<boolean> =>
  outputs.map((output) => output.includes('breaks rules'))

/** Creates the call that starts a subagent. It plays `steps`; by default, it writes a line that breaks a rule. */
const delegate = async (project: Project, prompt: string, ...steps: Array<Step>): Promise<Call> => {
  const { model } = await sharedHost()
  const defaultSteps = [read('src/old.ts'), write(project, 'src/child.ts', 'let c: any\n')]
  model.scriptChild(prompt, [...steps.length > 0 ? steps : defaultSteps, 'made'])
  return { tool: 'task', args: { description: 'x', prompt, subagent_type: 'general' } }
}

const REPORT = `What was just written to src/a.ts breaks rules. Fix it, or say why it stays:
no-any: Never use \`any\`; use \`unknown\` and narrow it.
  2: const x: any = 1`

story('a forbidden line is reported in its call, and marked until it is removed', async () => {
  const { project, session } = await startShared()
  project.write('src/latin.ts', Buffer.from('// caf\xE9\nlet old: any\nlet a = 1\n', 'latin1'))
  const { requests, outputs } = await play(
    session,
    write(project, 'src/a.ts', 'const many: Company = 1\nconst x: any = 1\n'),
    async () => {
      expect(await marksOf(session)).toEqual(['no-any src/a.ts:2'])
      return [edit(project, 'src/a.ts', 'x: any', 'x: unknown'), read('src/latin.ts')]
    },
    // Not reported: a line that a shell wrote, and an old line, here in a file that is not UTF-8.
    { tool: 'bash', args: { command: "echo 'let y: any' > src/shell.ts", description: 'writes' } },
    edit(project, 'src/latin.ts', 'let a = 1', 'let a = 2'),
    // A subagent's line is reported to the subagent, in its own call.
    await delegate(project, 'Make the child file'),
  )
  expect(outputs[1]).toContain(REPORT)
  expect(outputs[1]).not.toContain('More about it')
  expect(areReported(outputs)).toEqual([false, true, false, false, false, false, false])
  expect(JSON.stringify(requests[2]!.messages)).toContain('2: const x: any = 1')
  const [child] = await project.http<Array<{ id: string }>>('GET', `/session/${session.id}/children`)
  const subagent = project.resume(child!.id)
  expect(JSON.stringify(await subagent.messages())).toContain('1: let c: any')
  for (const each of [session, subagent]) expect(await marksOf(each)).toEqual(['no-any src/child.ts:1'])
})

story('if calls of one message write a file several times, the last one has the report', async () => {
  const { project, session } = await startShared()
  const { outputs } = await play(
    session,
    [write(project, 'src/b.ts', 'let a: any\n'), write(project, 'src/c.ts', 'let c = 1\n')],
    [
      edit(project, 'src/b.ts', 'let a: any', 'let a: any\nlet b: any\nlet c: any'),
      edit(project, 'src/c.ts', 'let c = 1', 'let c: any = 1'),
      edit(project, 'src/b.ts', 'let c: any', 'let c: number\nconsole.log(a)'),
    ],
  )
  expect(areReported(outputs)).toEqual([false, true, false, false, true, true])
  // Among the answers to one message, only the first that names a rule quotes its words.
  expect(outputs[4]).toEndWith('narrow it.\n  1: let c: any = 1')
  expect(outputs[5]).toEndWith(`no-any
  2: let b: any
no-log: Do not leave \`console.log\` in the code.
  4: console.log(a)

In src/b.ts still: line 1 (no-any)`)
})

story('patches are checked; a moved file keeps only the marks of rules for its new path', async () => {
  const { project, session } = await startShared()
  for (const name of ['patched', 'went']) project.write(`src/${name}.ts`, OLD)
  const patchIn = async (...lines: Array<string>): Promise<Array<string>> => {
    const { outputs } = await session.turnAs({ model: 'gpt-5.2' }, 'go', patch(lines.join('\n')), 'the end')
    return outputs
  }
  const move = (from: string, to: string) => `*** Update File: ${from}\n*** Move to: ${to}\n@@`
  await session.turn('look', read('src/old.ts'))
  const [written] = await patchIn(
    `*** Add File: src/p.ts\n+let p: any`,
    `*** Update File: src/patched.ts\n@@\n-${OLD}+${OLD}+console.log(old)`,
  )
  expect(written).toContain('written to src/p.ts breaks')
  expect(written).toContain('  2: console.log(old)')
  // A line that was there before is not reported at its new path.
  const moved = await patchIn(
    move('src/went.ts', 'src/came.ts'),
    `-${OLD}+${OLD.replace('1', '2').trimEnd()}`,
  )
  expect(areReported(moved)).toEqual([false])
  expect(await marksOf(session)).toEqual(['no-any src/p.ts:1', 'no-log src/patched.ts:2'])

  const [logStays] = await patchIn(move('src/patched.ts', 'lib/patched.ts'), ` ${OLD}+// moved`)
  expect(logStays).toEndWith('In lib/patched.ts still: line 3 (no-log)')
  const [anyIsGone] = await patchIn(move('src/p.ts', 'lib/p.ts'), ' let p: any\n+// moved')
  expect(anyIsGone).not.toContain('still')
  expect(await marksOf(session)).toEqual(['no-log lib/patched.ts:3'])
})

story(
  'a line that a turn removes and adds again is reported, unless it was there before the turn',
  async () => {
    const { project, session } = await startShared()
    project.write('src/emptied.ts', OLD)
    const { outputs } = await session.turn(
      'move it',
      read('src/emptied.ts'),
      write(project, 'src/emptied.ts', '// empty\n'),
      write(project, 'src/f.ts', `${OLD}let b: any\n`),
      edit(project, 'src/f.ts', 'let b: any', 'let b: number'),
      edit(project, 'src/f.ts', 'let b: number', 'let b: any'),
      'the end',
    )
    const reportedLines = outputs.map((output) => output.split('narrow it.\n')[1])
    expect(reportedLines).toEqual([undefined, undefined, '  2: let b: any', undefined, '  2: let b: any'])
    // If one turn removes the line `OLD` and the next turn adds it, the line is reported as new.
    await session.turn('go', edit(project, 'src/f.ts', OLD, ''), 'the end')
    const laterTurn = await session.turn('back', edit(project, 'src/f.ts', 'let b', `${OLD}let b`), 'the end')
    expect(laterTurn.outputs[0]).toContain('  1: export const old: any = 1')
  },
)

story('marks survive a compaction and a restart; an undo removes the marks of the undone calls', async () => {
  const agent = { general: { permission: { task: 'allow' } } }
  const config = { plugin: [CHECKOUT], agent, subagent_depth: 2 }
  const { project, session } = await startChecked({ config })
  // A subagent that starts another one.
  const child = await delegate(project, 'Write the child before the compaction')
  await play(session, await delegate(project, 'Have another one do it', child))
  await session.turn('go on', write(project, 'src/a.ts', 'let x: any\n'), 'x'.repeat(20_000))
  const undonePrompt = (await session.messages()).findLast(({ info }) => info.role === 'user')!
  await compact(session)
  await project.http('POST', '/instance/dispose')
  const [remove, restore] = [edit(project, 'src/a.ts', 'any', 'one'), edit(project, 'src/a.ts', 'one', 'any')]
  // An attached file must stay below the words of its message in later requests.
  const parts = [{ type: 'file', mime: 'text/plain', url: `file://${project.path('src/old.ts')}` }]
  const afterRestart = await session.turnAs({ parts }, 'go on', remove, restore, 'the end')
  expect((await marksOf(session)).toSorted()).toEqual(['no-any src/a.ts:1', 'no-any src/child.ts:1'])
  const reminder = 'What you wrote in an earlier turn still breaks rules. Fix it, or say why it stays:'
  const line = '\n  no-any src/a.ts:1: let x: any'
  expectCounts(afterRestart.requests, { [`<system-reminder>\n${reminder}`]: [1, 1, 1], [line]: [1, 1, 1] })
  const { requests } = await session.turn('and on')
  expectCounts(requests, { [reminder]: [1] })
  expectPrefixes([...afterRestart.requests, ...requests])
  await project.http('POST', `/session/${session.id}/revert`, { messageID: undonePrompt.info.id })
  // The mark of a line that stays follows the line to its new number.
  project.write('src/child.ts', 'one\ntwo\nlet c: any\n')
  await session.turn('another way')
  expect(await marksOf(session)).toEqual(['no-any src/child.ts:3'])
})

story('a mark goes with its line or rule; the lines of an aborted step are in the next message', async () => {
  const config = { plugin: [CHECKOUT], snapshot: true }
  const { project, session } = await startChecked({ git: true, config })
  await play(session, write(project, 'src/a.ts', 'let x: any\n'))
  expect(await marksOf(session)).toEqual(['no-any src/a.ts:1'])
  await undo(session)
  await waitUntil(async () => (await marksOf(session)).length === 0)
  expect(existsSync(project.path('src/a.ts'))).toBe(false)

  const sleep = { tool: 'bash', args: { command: 'touch going; sleep 30', description: 'waits' } }
  const writeAny = (name: string) => write(project, `src/${name}.ts`, `let ${name}: any\n`)
  const running = session.turn('go', read('src/old.ts'), writeAny('c'), [writeAny('b'), sleep])
  await waitForFile(project, 'going')
  await abort(session)
  await running
  // A line that the person adds before the next message is not reported.
  project.write('src/b.ts', 'let b: any\nlet own: any\n')
  const { requests } = await session.turn('what now?')
  expectCounts(requests, { '  1: let b: any': [1], 'let own: any': [0] })
  expectCounts(requests, { 'in an earlier turn': [1], 'src/c.ts:1: let c: any': [1], 'src/b.ts:1': [0] })

  const both = ['no-any src/c.ts:1', 'no-any src/b.ts:1']
  expect(await marksOf(session)).toEqual(both)
  const marksWithRule = async (text: string) => {
    project.write('.opencode/rules/no-any.md', text)
    await session.turn('go on')
    return marksOf(session)
  }
  expect(await marksWithRule(NO_ANY.replace('src/**', 'lib/**'))).toEqual([])
  expect(await marksWithRule(NO_ANY.replace('src/**', '{lib,src}/**'))).toEqual(both)
  expect(await marksWithRule('Never use any.\n')).toEqual([])
})

story('a rule that is switched off checks nothing, and its marks are hidden', async () => {
  const { project, session } = await startShared()
  const writeBreaking = (name: string) => write(project, `src/${name}.ts`, 'let x: any\nconsole.log(x)\n')
  await play(session, writeBreaking('g'))
  expect(await marksOf(session)).toEqual(['no-any src/g.ts:1', 'no-log src/g.ts:2'])
  await setSwitchedOff(session, '.opencode/rules/no-any.md')
  expect(await marksOf(session)).toEqual(['no-log src/g.ts:2'])
  // After a compaction, the history of a request no longer contains the switch.
  await compact(session)
  const { outputs, requests } = await session.turn('go on', writeBreaking('h'), 'the end')
  expect(outputs[0]).toContain('no-log: ')
  expect(outputs[0]).not.toContain('no-any')
  expect(JSON.stringify(requests[0]!.messages.at(-1))).not.toContain('no-any')
  expect(await marksOf(session)).toEqual(['no-log src/g.ts:2', 'no-log src/h.ts:2'])
  // Switched on again: in the fork, only the line that was reported before has a mark.
  const fork = await forkSession(session)
  await setSwitchedOff(fork)
  await fork.turn('go on')
  expect(await marksOf(fork)).toContain('no-any src/g.ts:1')
  expect(await marksOf(fork)).not.toContain('no-any src/h.ts:1')
})

story("after a formatter, only the agent's lines are reported, with their new text and numbers", async () => {
  // Moves what follows ` = ` to the next line, and ends each line with `;`.
  const splitLines = "sed -i 's/ = / =\\n  /; s/$/;/'"
  const format_on_save = { 'src/new.ts': "sed -i '1i // head' {path}", 'src/old.ts': `${splitLines} {path}` }
  const hostFormatter = { command: ['sh', '-c', `${splitLines} "$1"`, 'sh', '$FILE'], extensions: ['.mts'] }
  const { project, session } = await startChecked({
    files: { 'src/old.mts': OLD },
    config: { plugin: [[CHECKOUT, { format_on_save }]], formatter: { x: hostFormatter } },
  })
  const { outputs } = await play(
    session,
    read('src/old.mts'),
    write(project, 'src/new.ts', 'let x: any = 1\n'),
    ['src/old.ts', 'src/old.mts'].map((file) => edit(project, file, OLD, `${OLD}let b: any\n`)),
  )
  expect(outputs[2]).toContain('\n  2: let x: any = 1')
  expect(areReported(outputs.slice(3))).toEqual([true, true])
  for (const file of ['src/old.ts', 'src/old.mts']) {
    expect(await project.read(file)).toContain('export const old: any =\n')
  }
  expect(await marksOf(session)).toEqual(
    ['new.ts:2', 'old.ts:3', 'old.mts:3'].map((at) => `no-any src/${at}`),
  )
})

story("a rule in `instructions` is checked, too; the text of a person's own rule is not stored", async () => {
  const own = await startProject({
    files: { 'own.md': ruleFile("forbid: '\\bvar\\b'\nrequire: any", 'OWN-WORDS') },
  })
  const { project, session } = await startChecked({
    config: {
      plugin: [[CHECKOUT, { rules: { directories: [own.directory] } }]],
      instructions: ['.opencode/rules/*.md'],
    },
  })
  const writes = [write(project, 'a.js', 'var a\n'), write(project, 'src/a.ts', 'let x: any\n')]
  const { requests, outputs } = await play(session, writes)
  // A session can be shared, so the report names a person's own rule without its words.
  expect(outputs[1]).toEndWith('own\n  1: var a\n  the file lacks what it requires')
  expect(JSON.stringify(await session.messages())).not.toContain('OWN-WORDS')
  expect(outputs[2]).toEndWith('no-any: Never use `any`; use `unknown` and narrow it.\n  1: let x: any')
  expectCounts(requests, { 'Do not leave `console.log`': [1, 1, 1] })
  expect(await marksOf(session)).toEqual(['own a.js:1', 'own a.js', 'no-any src/a.ts:1'])
})

/** By the name of a rule file: its header, a part of the report of the call that writes it, and its text. */
const RULE_REPORTS: Record<string, [header: string, report: string, body?: string]> = {
  look: [
    `globs: "*.x"\nforbid: '(?<!a)b'`,
    'The rule file .opencode/rules/look.md has a fault on line 3: a pattern cannot look ahead or behind: for (?<!x)y write (?:^|[^x])y, and for y(?!x) write y(?:[^x]|$). Fix it; until then its words are sent, but nothing is checked.',
  ],
  example: [
    "forbid: 'const'\nbad:\n  - const\n  - let",
    'has a fault on line 5: this bad example passes the check.',
  ],
  broken: ['glob: a', 'did you mean globs? Fix it; until then it is not used.'],
  everywhere: [
    "forbid: 'const'\nbad: const a",
    'The rule everywhere is in force for every file; its examples hold; 1 existing line matches (src/old.ts:1).',
  ],
  broad: [
    "globs: lib/**/*.ts\nforbid: 'any'",
    'The rule broad is in force for `lib/**/*.ts`; it has no examples; 5 existing lines match (lib/0.ts:1, lib/1.ts:1, lib/2.ts:1 and 2 more).',
  ],
  narrow: [`globs: "*.py"\nforbid: 'any'\nbad: any`, '; its examples hold; no existing line matches.'],
  spdx: [
    "globs: lib/*.ts\nrequire: '^// SPDX'",
    '5 files lack what it requires (lib/0.ts, lib/1.ts, lib/2.ts and 2 more).',
  ],
  zero: [
    'globs: lib/*.ts\nrequire: |\n  ^// 0\n  \\d',
    '4 files lack what it requires (lib/1.ts, lib/2.ts, lib/3.ts and 1 more).',
    'Each has ^// 0.',
  ],
}

story('the call that writes a rule file reports its fault, or what breaks the rule already', async () => {
  const files: Record<string, string> = { 'lib/note.txt': 'let b: any\n' }
  for (let index = 0; index < 5; index++) files[`lib/${index}.ts`] = `let a: any\n// ${index}\n`
  const { project, session } = await startChecked({ files })
  const writes = Object.entries(RULE_REPORTS).map(([name, [header, , body = `Words of ${name}.`]]) =>
    write(project, `.opencode/rules/${name}.md`, ruleFile(header, body))
  )
  // The first `create` is refused, to show the model the rules of the file.
  const create = write(project, 'lib/new.ts', 'let c = 1\n')
  const { outputs, requests } = await session.turn('go', writes, create, create, 'the end')
  for (const [index, [, report]] of Object.values(RULE_REPORTS).entries()) {
    expect(outputs[index]).toContain(report)
  }
  expect(outputs.at(-1)).toContain('spdx: Words of spdx.\n  the file lacks `^// SPDX`')
  // The text of this rule quotes its pattern, so the report does not.
  expect(outputs.at(-1)).toContain('zero: Each has ^// 0.\n  the file lacks what it requires')
  expectCounts(requests.slice(0, 2), { 'Words of example': [0, 1], 'Words of everywhere': [0, 1] })
  const { leftOut } = await panelRules(session)
  expect(leftOut.map(({ path, line, isSent }) => `${path}:${line} ${isSent}`)).toEqual([
    '.opencode/rules/broken.md:2 undefined',
    '.opencode/rules/example.md:5 true',
    '.opencode/rules/look.md:3 true',
  ])
})

story('`opencode run` ends with the lines that break rules on stderr', async () => {
  const { model, env } = await sharedHost()
  const project = await startProject({ files: FILES })
  model.scriptChild('run it', [
    await delegate(project, 'Write the file of the child that runs'),
    write(project, 'src/b.ts', 'console.log()\n'),
    // A line that a shell command fixed is not printed.
    { tool: 'bash', args: { command: 'echo > src/b.ts', description: 'mends' } },
    'the end',
  ])
  const { stderr, status } = await opencodeRun(project.directory, env, 'run it')
  expect(stderr.split('Still')[1]).toBe(' breaks rules:\n  no-any src/child.ts:1: let c: any\n')
  expect(stderr).not.toContain('breaks a rule')
  expect(status).toBe(0)
})

story('with SAT_EXIT=1, `opencode run` exits with 1 if a line breaks a rule', async () => {
  const { model, env } = await sharedHost()
  const statusOf = async (prompt: string, content: string) => {
    const project = await startProject({ files: FILES })
    model.scriptChild(prompt, [read('src/old.ts'), write(project, 'src/a.ts', content), 'the end'])
    const { stderr, status } = await opencodeRun(project.directory, { ...env, SAT_EXIT: '1' }, prompt)
    // The title of the call is printed once, although its corrected answer is stored a second time.
    expect(stderr.match(/Write src\/a\.ts/g)).toHaveLength(1)
    // The host lists the sessions of all projects outside of repositories together.
    const sessions = await project.http<Array<{ id: string; directory: string }>>('GET', '/session')
    const { id } = sessions.find(({ directory }) => directory === project.directory)!
    const messages = await project.http<Array<Message>>('GET', `/session/${id}/message`)
    expect(JSON.stringify(messages).includes('breaks rules')).toBe(status === 1)
    return status
  }
  expect(await statusOf('write a broken line', 'let x: any\n')).toBe(1)
  expect(await statusOf('write a clean line', 'let x = 1\n')).toBe(0)
})

story('at the end of a turn, one toast names the new lines that break rules', async () => {
  const { project, session } = await startChecked()
  const toasts = await toastsOf(project, (await sharedHost()).url)
  const lines = (...names: Array<string>) => names.map((name) => `let ${name}: any\n`).join('')
  await play(session, await delegate(project, 'Write the file of the child for the toast'))
  await toasts.waitFor(/^1 line breaks a rule: no-any src\/child\.ts:1$/)
  await play(session, write(project, 'src/a.ts', lines('a', 'b', 'c', 'd')))
  await toasts.waitFor(
    /^4 lines break rules: no-any src\/a\.ts:1, no-any\ssrc\/a\.ts:2, no-any src\/a\.ts:3 and 1 more, see\s\/rules$/,
  )
  await session.turn('go on')
  // A line that was fixed and breaks the rule again is new.
  await session.turn('mend', edit(project, 'src/a.ts', lines('a', 'b', 'c', 'd'), ''), 'the end')
  await session.turn('again', write(project, 'src/a.ts', lines('a')), 'the end')
  await toasts.waitFor(/^1 line breaks a rule: no-any src\/a\.ts:1$/)
  expect(toasts.shown.filter(({ message }) => /break/.test(message))).toHaveLength(3)
  await toasts.stop()
})
