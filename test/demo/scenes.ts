import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { compact } from '../delivery/delivered.ts'
import { CHECKOUT, type Host, type Project, type Session, type Turn } from '../harness/host.ts'
import { type Call, type ModelRequest, textOf } from '../harness/model.ts'
import { answering } from '../harness/permissions.ts'
import { openTerminal, whyNoTerminal } from '../harness/terminal.ts'
import { bold, dim, green, pause, red, say, sayDiff, sayShort, sayWhole, title, waitFor } from './screen.ts'
import { editFromHistory, TASKS, WRITTEN } from './script.ts'

const example = (name: string): Promise<string> => readFile(join(CHECKOUT, 'examples', name), 'utf8')

const json = (value: unknown) => JSON.stringify(value)

/** Ends the demo where the host or the plugin did not do what it should. */
const mustBe = (isRight: boolean, otherwise: string): void => {
  if (!isRight) throw new Error(otherwise)
}

/** Prints each call with its answer. */
const showCalls = ({ tools }: Turn, expected: Array<Call>): void => {
  const names = tools.map(({ tool }) => tool).join(', ')
  mustBe(names === expected.map(({ tool }) => tool).join(', '), `The host ran: ${names}`)
  for (const { tool = '', state } of tools) {
    mustBe(state.status === 'completed', `${tool} failed: ${state.error ?? state.status}`)
    say()
    say(`  → ${tool} ${json(state.input)}`, green)
    say(`  ← ${state.title ?? ''}`, green)
    sayShort(state.output ?? '')
  }
}

const rewriting = async (project: Project): Promise<void> => {
  const rules = JSON.parse(await example('rewrite/rules.json')) as Array<{ parsed: object; sentence: string }>
  const calls: Array<Call> = [
    { tool: 'discover-rules' },
    { tool: 'parse-rules', args: { rules: rules.map(({ parsed }) => parsed) } },
    { tool: 'format-rules', args: { rules: rules.map(({ sentence }) => sentence) } },
    { tool: 'rewrite-rules', args: { files: 'AGENTS.md' } },
  ]
  title('1. An instruction file, as people write it (AGENTS.md)')
  const before = await project.read('AGENTS.md')
  sayWhole(before)
  await pause()
  const session = await project.session()
  const turn = session.turn('Rewrite the rules.', ...calls)
  const done = await waitFor('The model puts it into rules', answering(session, ['once'], turn))
  showCalls(done.turn, calls)
  await pause()
  title('   Before it was written, OpenCode asked, for "edit" is set to "ask":')
  const question = done.asked.find(({ permission }) => permission === 'edit')
  mustBe(question?.metadata.diff !== undefined, 'Nobody was asked')
  sayDiff(question?.metadata.diff ?? '')
  say()
  say('    [Allow once]   Allow always   Reject', bold)
  title('   AGENTS.md now: a rule says one thing, all else is where it was')
  const rewritten = await project.read('AGENTS.md')
  mustBe(rewritten === await example('rewrite/after.md'), `It was rewritten otherwise:\n${rewritten}`)
  sayWhole(rewritten)
  await pause()
  const restore = { tool: 'rewrite-rules', args: { restore: 'latest', files: 'AGENTS.md' } }
  const undoing = answering(session, ['once'], session.turn('Bring it back.', restore))
  showCalls((await waitFor('The model brings it back', undoing)).turn, [restore])
  mustBe(await project.read('AGENTS.md') === before, 'It was not brought back')
  await pause()
}

const holds = ({ messages }: ModelRequest): boolean =>
  messages.map(textOf).join('\n').includes('Use named exports.')

const joiningRule = async (session: Session): Promise<void> => {
  title('2. A rule for some files joins with one, survives compaction, and is checked')
  const call = { tool: 'read', args: { filePath: session.project.path('src/limits.ts') } }
  sayWhole(await session.project.read('.opencode/rules/exports.md'))
  const { requests } = await waitFor(
    'The model reads src/limits.ts',
    session.turn('Read the limits.', call, 'Read.'),
  )
  mustBe(requests.map(holds).join() === 'false,true', 'The rule did not join')
  say()
  say('  → the request before the model read src/limits.ts: no word of it', green)
  say('  → the next request:', green)
  const told = requests[1]!.messages.map(textOf).find((text) => text.includes('Use named exports.'))!
  sayWhole(told.slice(told.indexOf('Use named exports.')).split('\n')[0]!)
  await waitFor('The host compacts the session', compact(session))
  const draft = { filePath: session.project.path('src/draft.ts'), content: 'export default 1\n' }
  const going = session.turn('Go on.', { tool: 'write', args: draft }, 'Done.')
  const { requests: [after], outputs: [answer = ''] } = await waitFor('The model goes on', going)
  mustBe(
    after !== undefined && holds(after) && !json(after.messages).includes('Read the limits.'),
    'The rule is gone',
  )
  say('  → the first request after a compaction still holds it', green)
  mustBe(answer.includes('breaks rules'), `The rule was not checked:\n${answer}`)
  say('  → the model writes "export default 1"; the answer of its call:', green)
  sayWhole(answer)
  await pause()
}

/** Lets the model write a file, which the host's formatter changes, and edit it by what its history shows. */
const writeAndEdit = async (session: Session): Promise<void> => {
  const filePath = session.project.path('src/limits.ts')
  const write = { tool: 'write', args: { filePath, content: WRITTEN } }
  const turn = session.turn('Let it be 30.', write, editFromHistory(filePath), 'Done.')
  const { tools: [written, edited] } = await waitFor('The model writes and edits', turn)
  mustBe(
    (await session.project.read('src/limits.ts')).startsWith('export const limits = {'),
    'It was not formatted',
  )
  say("  the write, as it stands in the model's history when it edits:", green)
  sayWhole(String(written?.state.input['content']))
  say('  the edit that the model makes of it:', green)
  sayWhole(json(edited?.state.input['oldString']))
  const { status, output = '', error = '' } = edited!.state
  sayWhole(`→ ${(status === 'completed' ? output : error).split('\n')[0]}`)
}

const formatting = async (without: Session, session: Session): Promise<void> => {
  title("3. OpenCode's formatter changes what the model wrote; its next edit:")
  say('  Without SAT', red)
  await writeAndEdit(without)
  mustBe(await without.project.read('src/limits.ts') === FORMATTED_FILE, 'The edit without SAT did not fail')
  say()
  say('  With SAT', bold)
  await writeAndEdit(session)
  mustBe((await session.project.read('src/limits.ts')).includes('minutes: 30'), 'The edit failed')
  await pause()
}

const FORMATTED_FILE = 'export const limits = { login: 3, minutes: 20 }\n'

/** Prints SAT's section of the sidebar, as it is on the host's screen. */
const panel = async (host: Host, { id, project }: Session): Promise<void> => {
  title('4. What the person sees of all that, in the sidebar')
  if (whyNoTerminal() !== null) return say(`    not shown: ${whyNoTerminal()}`)
  await using terminal = await waitFor(
    'The terminal opens',
    openTerminal(host, project, { session: id, attached: true }),
  )
  const lines = (await terminal.shows(/▼ SAT[\s\S]*formatted/)).split('\n')
  const start = lines.findIndex((line) => line.includes('▼ SAT'))
  const column = lines[start]!.indexOf('▼ SAT')
  const section = lines.slice(start).map((line) => line.slice(column).trimEnd())
  sayWhole(section.slice(0, section.indexOf('')).join('\n'))
  await pause()
}

const requestToTasks = async (session: Session): Promise<void> => {
  title('5. A request, as people write it')
  const request = await example('messy-project/request.txt')
  sayWhole(request)
  const calls = [
    { tool: 'parse-prompt', args: { tasks: TASKS } },
    { tool: 'format-prompt', args: { tasks: TASKS } },
  ]
  showCalls(await waitFor('The model makes tasks of it', session.turn(request, ...calls)), calls)
}

const formatFile = join(CHECKOUT, 'test', 'demo', 'format-file.ts')

// The same in both projects; SAT goes by it.
const FORMATTER = { demo: { command: [process.execPath, formatFile, '$FILE'], extensions: ['.ts'] } }

/** Plays all scenes in projects of a host whose plugins are those of a project's config. */
export const playScenes = async (host: Host): Promise<void> => {
  const plugin = [CHECKOUT]
  const asking = { plugin, instructions: ['AGENTS.md'], permission: { edit: 'ask' } }
  await rewriting(
    host.project({ files: { 'AGENTS.md': await example('rewrite/before.md') }, config: asking }),
  )

  const files = {
    '.opencode/rules/exports.md':
      "---\nglobs: src/**/*.ts\nforbid: '^export default\\b'\n---\nUse named exports.\n",
    '.opencode/tui.json': json({ plugin }),
    'src/limits.ts': 'export const limits = {}\n',
  }
  const [without, working] = await Promise.all([
    host.project({ files, config: { formatter: FORMATTER } }).session(),
    host.project({ files, config: { plugin, formatter: FORMATTER } }).session(),
  ])
  await joiningRule(working)
  await formatting(without, working)
  await panel(host, working)
  await requestToTasks(working)
  say()
  say('The model was scripted; host, plugin, calls and files were real.', dim)
}
