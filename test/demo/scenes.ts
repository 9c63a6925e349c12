/** Plays and prints the scenes of the demo. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { compact, countOf, read as readCall } from '../delivery/session-rules.ts'
import { CHECKOUT, type Host, type Project, type Session, type Turn } from '../harness/host.ts'
import { type Call, type ModelRequest, textOf } from '../harness/model.ts'
import { answerQuestions } from '../harness/permissions.ts'
import { openTerminal, type Terminal, WHY_NO_TERMINAL } from '../harness/terminal.ts'
import { bold, conclude, green, pause, quote, quoteDiff, red, say, step, title, waitFor } from './screen.ts'
import { DRAFT, editFromHistory, RULE, TASKS, UNFORMATTED } from './script.ts'

const readExample = (name: string): Promise<string> => readFile(join(CHECKOUT, 'examples', name), 'utf8')

const containsRule = (request: ModelRequest): boolean => countOf('Use named exports.', request) > 0

const satSectionOf = (screen: string): string => {
  const rows = screen.split('\n')
  const top = rows.findIndex((row) => row.includes('▼ SAT'))
  const left = rows[top]!.indexOf('▼ SAT')
  const sidebar = rows.slice(top).map((row) => row.slice(left).trimEnd())
  return sidebar.slice(0, sidebar.indexOf('')).join('\n')
}

const showSidebar = async (terminal: Terminal | null, words: RegExp): Promise<void> => {
  step("You see this in OpenCode's sidebar:")
  if (terminal === null) return quote(`not shown: ${WHY_NO_TERMINAL}`)
  const screen = await waitFor('The screen is drawn', terminal.shows(words))
  quote(satSectionOf(screen))
}

const playChecks = async (host: Host, session: Session): Promise<void> => {
  const { project } = session
  title('1. A rule that is checked (.opencode/rules/exports.md)')
  quote(RULE)
  const filePath = project.path('src/draft.ts')
  const write: Call = { tool: 'write', args: { filePath, content: DRAFT } }
  const turn = session.turn('Draft a total.', readCall('src/limits.ts'), write, 'Done.')
  const { requests, outputs: [, answer = ''] } = await waitFor(
    'The model reads a file of src, and writes',
    turn,
  )
  assert(requests.map(containsRule).join() === 'false,true,true', 'The rule was not sent with its file')
  step('The model read a file in src. Each later request contains the rule.')
  step('Then it wrote src/draft.ts, which breaks the rule:')
  quote(DRAFT)
  step('The model reads this answer to the call:')
  assert(answer.includes('breaks rules'), `The rule was not checked:\n${answer}`)
  quote(answer)
  const open = () => openTerminal(host, project, { session: session.id, attached: true })
  await using terminal = WHY_NO_TERMINAL === null ? await waitFor('The terminal opens', open()) : null
  // `!` marks a violation, `•` a rule without violations.
  await showSidebar(terminal, /▼ SAT[^]*! exports src\/draft\.ts:1/)
  const edit: Call = { tool: 'edit', args: { filePath, oldString: 'export default', newString: 'export' } }
  await waitFor('The model corrects the line', session.turn('Go on.', edit, 'Mended.'))
  await terminal?.hides(/! exports/)
  step('Then the model corrected the line.')
  await showSidebar(terminal, /▼ SAT[^]*• exports/)
  await conclude(
    'The answer told the model which line breaks the rule. The sidebar showed you the line until the model corrected it.',
  )
}

// OpenCode runs this formatter, so SAT needs no setting for it.
const COMMAND = [process.execPath, join(import.meta.dirname, 'format-file.ts'), '$FILE']
const FORMATTER = { demo: { command: COMMAND, extensions: ['.ts'] } }

const writeAndEdit = async (session: Session): Promise<void> => {
  const filePath = session.project.path('src/limits.ts')
  const write = { tool: 'write', args: { filePath, content: UNFORMATTED } }
  const turn = session.turn('Let it be 30.', write, editFromHistory(filePath), 'Done.')
  const { tools: [written, edited] } = await waitFor('The model writes and edits', turn)
  const text = await session.project.read('src/limits.ts')
  assert(text.startsWith('export const limits = {'), 'It was not formatted')
  say("  the write, as the model's history shows it before the edit:", green)
  quote(String(written?.state.input['content']))
  say("  the old text that the model's edit names:", green)
  quote(JSON.stringify(edited?.state.input['oldString']))
  const { status, output = '', error = '' } = edited!.state
  quote(`→ ${(status === 'completed' ? output : error).split('\n')[0]}`)
}

const playFormatting = async (withoutSat: Session, withSat: Session): Promise<void> => {
  title("2. OpenCode's formatter changes a file that the model wrote. Then the model edits the file:")
  say('  Without SAT', red)
  await writeAndEdit(withoutSat)
  const unedited = await withoutSat.project.read('src/limits.ts')
  assert(unedited.includes('minutes: 20'), 'The edit without SAT did not fail')
  say()
  say('  With SAT', bold)
  await writeAndEdit(withSat)
  assert((await withSat.project.read('src/limits.ts')).includes('minutes: 30'), 'The edit failed')
  await conclude("With SAT, the model's history shows the formatted file, and the model's next edit applies.")
}

const playCompaction = async (session: Session): Promise<void> => {
  title('3. The host compacts the session: a summary replaces its messages')
  await waitFor('The host compacts the session', compact(session))
  const { requests: [after] } = await waitFor('The model goes on', session.turn('Go on.', 'Done.'))
  assert(after, 'The model was not asked')
  assert(!JSON.stringify(after.messages).includes('Draft a total.'), 'It was not compacted')
  assert(containsRule(after), 'The rule is gone')
  step('The next request no longer contains "Draft a total.", but still contains the rule:')
  const sent = after.messages.map(textOf).find((text) => text.includes('Use named exports.'))!
  quote(sent.slice(sent.indexOf('Use named exports.')).split('\n')[0]!)
  await conclude('The first request after a compaction still contains the rule.')
}

const showCalls = ({ tools }: Turn): void => {
  for (const { tool = '', state } of tools) {
    assert(state.status === 'completed', `${tool} failed: ${state.error ?? state.status}`)
    say(`  → ${tool}: ${state.title ?? ''}`, green)
  }
}

const playRewriting = async (project: Project): Promise<void> => {
  type Rule = { parsed: object; sentence: string }
  const rules: Array<Rule> = JSON.parse(await readExample('rewrite/rules.json'))
  title('4. An instruction file, as people write it (AGENTS.md)')
  const before = await project.read('AGENTS.md')
  quote(before)
  await pause()
  const session = await project.session()
  const turn = session.turn(
    'Rewrite the rules.',
    { tool: 'discover-rules' },
    { tool: 'parse-rules', args: { rules: rules.map(({ parsed }) => parsed) } },
    { tool: 'format-rules', args: { rules: rules.map(({ sentence }) => sentence) } },
    { tool: 'rewrite-rules', args: { files: 'AGENTS.md' } },
  )
  const done = await waitFor('The model turns it into clear rules', answerQuestions(session, ['once'], turn))
  say()
  showCalls(done.turn)
  step('Before the file was written, OpenCode asked you, because "edit" is set to "ask":')
  const question = done.questions.find(({ permission }) => permission === 'edit')
  assert(question?.metadata.diff, 'Nobody was asked')
  quoteDiff(question.metadata.diff)
  say('    [Allow once]   Allow always   Reject', bold)
  const rewritten = await project.read('AGENTS.md')
  assert(rewritten === await readExample('rewrite/after.md'), `It was rewritten otherwise:\n${rewritten}`)
  const restore: Call = { tool: 'rewrite-rules', args: { restore: 'latest', files: 'AGENTS.md' } }
  const undoing = answerQuestions(session, ['once'], session.turn('Bring it back.', restore))
  const undone = await waitFor('The model restores the file', undoing)
  step('Then you asked for the old text:')
  showCalls(undone.turn)
  assert(await project.read('AGENTS.md') === before, 'It was not brought back')
  await conclude('SAT rewrote the muddled rules in place, kept the rest, and restored the old text.')
}

const playRefining = async (session: Session): Promise<void> => {
  title('5. A request, as people write it')
  const request = await readExample('messy-project/request.txt')
  quote(request)
  const calls = ['parse-prompt', 'format-prompt'].map((tool) => ({ tool, args: { tasks: TASKS } }))
  const turn = await waitFor('The model splits it into tasks', session.turn(request, ...calls))
  say()
  showCalls(turn)
  quote(turn.outputs[1]!)
  await conclude('Each wish in the request became a task with its own constraints.')
}

/** Needs a host without plugins. Throws if the host or SAT does not do what a scene says. */
export const playScenes = async (host: Host): Promise<void> => {
  const plugin = [CHECKOUT]
  const files = {
    '.opencode/rules/exports.md': RULE,
    '.opencode/tui.json': JSON.stringify({ plugin }),
    'src/limits.ts': 'export const limits = {}\n',
  }
  const [withoutSat, withSat] = await Promise.all([
    host.project({ files, config: { formatter: FORMATTER } }).session(),
    host.project({ files, config: { plugin, formatter: FORMATTER } }).session(),
  ])
  await playChecks(host, withSat)
  await playFormatting(withoutSat, withSat)
  await playCompaction(withSat)
  await playRewriting(host.project({
    files: { 'AGENTS.md': await readExample('rewrite/before.md') },
    config: { plugin, instructions: ['AGENTS.md'], permission: { edit: 'ask' } },
  }))
  await playRefining(withSat)
}
