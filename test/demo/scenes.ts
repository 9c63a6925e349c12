import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CHECKOUT, type Host, type Project, type Session, type Turn } from '../host.ts'
import { type Call, textOf } from '../model.ts'
import { answering } from '../permissions.ts'
import { bold, dim, green, pause, say, sayDiff, sayShort, sayWhole, title, waitFor } from './screen.ts'
import { ADDED, EDIT, FORMATTED, RULES, TASKS, WRITTEN } from './script.ts'

const EXAMPLE = join(CHECKOUT, 'examples', 'messy-project')

const example = (name: string): Promise<string> => readFile(join(EXAMPLE, name), 'utf8')

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

const rewrite = async (project: Project, session: Session): Promise<string> => {
  const calls: Array<Call> = [
    { tool: 'discover-rules' },
    { tool: 'parse-rules', args: { rules: json({ rules: RULES }) } },
    { tool: 'format-rules', args: { rules: json({ rules: FORMATTED }) } },
    { tool: 'rewrite-rules', args: { files: 'AGENTS.md' } },
  ]
  title('1. An instruction file, as people write it (AGENTS.md)')
  sayWhole(await example('AGENTS.md'))
  await pause()
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
  const rewritten = await project.read('AGENTS.md')
  mustBe(rewritten === `${FORMATTED.join('\n\n')}\n`, `The file was not rewritten:\n${rewritten}`)
  await pause()
  return rewritten
}

const addAndRestore = async (project: Project, session: Session, rewritten: string): Promise<void> => {
  title('2. A rule that comes later is added')
  const add = [{ tool: 'add-rules', args: { rules: json({ rules: [ADDED] }), file: 'AGENTS.md' } }]
  const added = session.turn('Also: no default exports.', ...add)
  showCalls((await waitFor('The model adds it', answering(session, ['once'], added))).turn, add)
  mustBe(await project.read('AGENTS.md') === `${rewritten}\n${ADDED}\n`, 'The rule was not added')
  title('   … and what a rewrite replaced is brought back')
  const restore = [{ tool: 'rewrite-rules', args: { restore: 'latest', files: 'AGENTS.md' } }]
  const restored = session.turn('Bring back what it said.', ...restore)
  showCalls((await waitFor('The model restores it', answering(session, ['once'], restored))).turn, restore)
  mustBe(await project.read('AGENTS.md') === await example('AGENTS.md'), 'The file was not restored')
  await pause()
}

const joiningRule = async (session: Session): Promise<void> => {
  title('3. A rule for some files joins when the session comes upon one')
  const call = { tool: 'read', args: { filePath: session.project.path('src/limits.ts') } }
  sayWhole(await session.project.read('.opencode/rules/exports.md'))
  const { requests } = await waitFor(
    'The model reads src/limits.ts',
    session.turn('Read the limits.', call, 'Read.'),
  )
  const holds = (index: number) =>
    requests[index]?.messages.map(textOf).join('\n').includes('Use named exports.')
  mustBe(holds(0) === false && holds(1) === true, 'The rule did not join')
  say()
  say('  → the request before the model read src/limits.ts: no word of it', green)
  say('  → the next request:', green)
  const told = requests[1]!.messages.map(textOf).find((text) => text.includes('Use named exports.'))!
  sayWhole(told.slice(told.indexOf('These rules apply')).split('\n').slice(0, 5).join('\n'))
  await pause()
}

const formatOnSave = async (session: Session): Promise<void> => {
  title('4. A formatter changes what the model wrote; its next edit still applies')
  const filePath = session.project.path('src/limits.ts')
  const calls = [{ tool: 'write', args: { filePath, content: WRITTEN } }, {
    tool: 'edit',
    args: { filePath, ...EDIT },
  }]
  const { tools } = await waitFor(
    'The model writes and edits',
    session.turn('Let it be 30.', ...calls, 'Done.'),
  )
  const [write, edit] = tools
  const content = String(write?.state.input['content'])
  mustBe(content !== WRITTEN && content.includes(EDIT.oldString), `The call was not corrected: ${content}`)
  mustBe(edit?.state.status === 'completed', `The edit failed: ${edit?.state.error}`)
  say('  → write, as the model sent it:', green)
  sayWhole(WRITTEN)
  say("  ← write, as it now stands in the model's history and in the file:", green)
  sayWhole(content)
  say(`  → edit "${EDIT.oldString}" to "${EDIT.newString}": ${edit?.state.output?.split('\n')[0]}`, green)
  await pause()
}

const requestToTasks = async (session: Session): Promise<void> => {
  title('5. A request, as people write it')
  const request = await example('request.txt')
  sayWhole(request)
  const calls = [
    { tool: 'parse-prompt', args: { tasks: json(TASKS) } },
    { tool: 'format-prompt', args: { tasks: json(TASKS) } },
  ]
  showCalls(await waitFor('The model makes tasks of it', session.turn(request, ...calls)), calls)
}

/** Plays all scenes in projects of a host that runs, the plugin's options as in `DEMO_PLUGIN`. */
export const playScenes = async (host: Host): Promise<void> => {
  const config = { instructions: ['AGENTS.md'], permission: { edit: 'ask' } }
  const asking = host.project({ files: { 'AGENTS.md': await example('AGENTS.md') }, config })
  const session = await asking.session()
  await addAndRestore(asking, session, await rewrite(asking, session))

  const exportsRule = '---\nglobs: src/**/*.ts\n---\nUse named exports.\n'
  const files = { '.opencode/rules/exports.md': exportsRule, 'src/limits.ts': 'export const limits = {}\n' }
  const working = await host.project({ files }).session()
  await joiningRule(working)
  await formatOnSave(working)
  await requestToTasks(working)
  say()
  say(dim('The model was scripted; the host, the plugin, the calls and the files were real.'))
}

const formatFile = join(CHECKOUT, 'test', 'demo', 'format-file.ts')

/** The plugin as the demo installs it: with a formatter for TypeScript. */
export const DEMO_PLUGIN = [CHECKOUT, {
  format_on_save: { '*.ts': `"${process.execPath}" "${formatFile}" {path}` },
}]
