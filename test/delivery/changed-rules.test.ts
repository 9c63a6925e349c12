/** Stories of rules in requests: changed rule files, undo, child sessions, forks, and rules of other tools. */
import { expect } from 'bun:test'
import { renameSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { undo, write } from '../formatting/session.ts'
import { CHECKOUT, type Session, sharedHost } from '../harness/host.ts'
import { waitForLog } from '../harness/log.ts'
import { story } from '../harness/story.ts'
import {
  callSubagent,
  childrenOf,
  expectCounts,
  expectPrefixes,
  forkSession,
  hiddenMessages,
  messageAgents,
  panelRules,
  read,
  ruleFile,
  satWith,
  sessionRecord,
  startProject,
  startSession,
  waitUntil,
} from './session-rules.ts'

const STYLE = '.opencode/rules/style.md'
const PYTHON = '.opencode/rules/python.md'
const OLD = '.opencode/rules/old.md'
const FILES = {
  [STYLE]: 'STYLE-ONE: two spaces.\n',
  [PYTHON]: ruleFile('globs: "*.py"', 'PYTHON-RULE'),
  [OLD]: 'OLD-RULE: say hello.\n',
  'main.py': 'print(1)\n',
  'a.ts': 'x\n',
}

const plan = { agent: 'plan' }

/** Lists the rules in force, such as `style`, or `python main.py` if the file `main.py` put `python` in force. */
const rulesInForce = async (session: Session): Promise<Array<string>> =>
  (await panelRules(session)).inForce.map(({ name, file }) => file === undefined ? name : `${name} ${file}`)

story('each request, also in a fork, has the rules that the files contain at that moment', async () => {
  const { project, session } = await startSession({ files: FILES })
  const editAndAdd = () => {
    project.write(STYLE, 'STYLE-TWO: tabs.\n')
    project.write('.opencode/rules/added.md', 'ADDED-RULE\n')
    return read('main.py')
  }
  const renameAndRemove = () => {
    renameSync(project.path('.opencode/rules/added.md'), project.path('.opencode/rules/renamed.md'))
    rmSync(project.path(OLD))
    return read('a.ts')
  }
  const { requests } = await session.turnAs(plan, 'go', editAndAdd, renameAndRemove)
  expectCounts(requests, { 'STYLE-ONE': [1, 0, 0], 'STYLE-TWO': [0, 1, 1], 'OLD-RULE': [1, 1, 0] })
  expectCounts(requests, { '## added': [0, 1, 0], '## renamed': [0, 0, 1], 'PYTHON-RULE': [0, 1, 1] })
  expectCounts(requests, { 'ADDED-RULE': [0, 1, 1] })
  await waitUntil(async () => (await rulesInForce(session)).includes('renamed'))
  expect(await rulesInForce(session)).toEqual(['python main.py', 'renamed', 'style'])

  const fork = await forkSession(session)
  const { requests: [forked] } = await fork.turnAs(plan, 'in the fork')
  expectPrefixes([requests.at(-1)!, forked!])
  expectCounts([forked!], { 'STYLE-ONE': [0], 'STYLE-TWO': [1], 'OLD-RULE': [0], 'PYTHON-RULE': [1] })
  expect(await rulesInForce(fork)).toEqual(['python main.py', 'renamed', 'style'])
  expect(await hiddenMessages(fork)).toHaveLength(1)
  const newest = (await fork.messages()).findLast(({ info }) => info.role === 'user')
  expect(newest?.parts[0]).toMatchObject({ text: 'in the fork' })
})

story('a child session has the rules for its own files, and keeps its agent', async () => {
  const { project, session } = await startSession({ files: FILES })
  const editRule = () => {
    project.write(STYLE, 'STYLE-TWO\n')
    return read('main.py')
  }
  const task = await callSubagent('explore', 'Look at the snake', editRule)
  const { requests } = await session.turnAs(plan, 'delegate', task)
  const [child] = await childrenOf(session)
  for (const sent of [requests, child!.requests()]) {
    expectCounts(sent, { 'STYLE-ONE': [1, 0], 'STYLE-TWO': [0, 1], 'OLD-RULE': [1, 1] })
  }
  expectCounts(requests, { 'PYTHON-RULE': [0, 0] })
  expectCounts(child!.requests(), { 'PYTHON-RULE': [0, 1] })
  expect(await sessionRecord(session)).toMatchObject(plan)
  expect(await messageAgents(child!)).toEqual(['assistant explore', 'user explore'])
  expect(await sessionRecord(child!)).toMatchObject({ agent: 'explore' })
})

story('an undo removes the rule that the undone turn brought in; a redo restores it', async () => {
  const { project, session } = await startSession({ files: FILES })
  await session.turn('words to undo', read('main.py'))
  const waitForPython = (isInForce: boolean) =>
    waitUntil(async () => (await rulesInForce(session)).includes('python main.py') === isInForce)
  await undo(session)
  await waitForPython(false)
  expect((await panelRules(session)).waiting).toMatchObject([{ name: 'python', globs: ['*.py'] }])
  await project.http('POST', `/session/${session.id}/unrevert`)
  await waitForPython(true)

  await undo(session)
  const { requests: afterUndo } = await session.turn('another way')
  expectCounts(afterUndo, { 'words to undo': [0], 'STYLE-ONE': [1], 'PYTHON-RULE': [0] })
  await waitForPython(false)
  expect(await rulesInForce(session)).toEqual(['old', 'style'])

  // An undo of the whole session also removes the hidden message that stores its rules. SAT then sends a new one.
  const [hidden] = await hiddenMessages(session)
  await project.http('POST', `/session/${session.id}/revert`, { messageID: hidden!.info.id })
  expectCounts((await session.turn('all anew')).requests, { 'STYLE-ONE': [1], 'PYTHON-RULE': [0] })
  expect(await hiddenMessages(session)).toHaveLength(1)
  expect(await rulesInForce(session)).toEqual(['old', 'style'])
})

story("a project's first rules reach open sessions, and an undone turn can still be redone", async () => {
  const { project, session } = await startSession({ files: { 'a.ts': 'x\n', '.opencode/.keep': '' } })
  const undoneSession = await project.session()
  await undoneSession.turn('words to undo')
  const { requests } = await session.turnAs(plan, 'go', () => {
    project.write('.opencode/rules/late.md', 'LATE-RULE\n')
    return read('a.ts')
  })
  expectCounts(requests, { 'LATE-RULE': [0, 1] })
  await waitUntil(async () => (await hiddenMessages(session)).length === 1)
  expect(await rulesInForce(session)).toEqual(['late'])

  // If SAT sent a hidden message after the undo, the turn could not be redone.
  await undo(undoneSession)
  project.write(PYTHON, FILES[PYTHON]!)
  const { requests: [later] } = await session.turnAs(plan, 'and now?')
  expectPrefixes([requests[1]!, later!])
  await waitUntil(async () => (await panelRules(session)).waiting.length === 1)
  expect((await panelRules(session)).waiting).toMatchObject([{ name: 'python' }])
  expect(await messageAgents(session)).toEqual(['assistant plan', 'user plan'])
  await project.http('POST', `/session/${undoneSession.id}/unrevert`)
  expectCounts((await undoneSession.turn('and on')).requests, { 'words to undo': [1], 'LATE-RULE': [1] })
})

const OTHER_TOOLS = {
  '.cursor/rules/all.mdc': ruleFile('alwaysApply: true', 'CURSOR-ALL'),
  '.claude/rules/api.md': ruleFile('paths:\n  - "src/api/**/*.ts"', 'CLAUDE-API'),
  // The key `agent` names an agent of Copilot, so it does not limit the rule.
  '.github/instructions/ts.instructions.md': ruleFile("agent: code\napplyTo: '**'", 'COPILOT-ALL'),
  '.clinerules/01.md': 'CLINE-ALL\n',
  // Cline's folder `workflows` has prompts, not rules.
  '.clinerules/workflows/release.md': 'NO-RULE\n',
  'packages/a/src/api/x.ts': 'x\n',
  'src/api/x.ts': 'x\n',
}

story('rules of Cursor, Claude, Copilot and Cline apply to the same files as in these tools', async () => {
  const directories = ['.cursor/rules', '.claude/rules', '.github/instructions', '.clinerules', 'gone']
  const config = satWith({ rules: { directories } })
  const root = await startProject({ files: OTHER_TOOLS, config, git: true })
  const { session } = await startSession({ directory: root.path('packages/a') })
  const { requests } = await session.turn('go', read(root.path('src/api/x.ts')))
  expectCounts(requests, { 'CURSOR-ALL': [1, 1], 'COPILOT-ALL': [1, 1], 'CLINE-ALL': [1, 1] })
  expectCounts(requests, { 'CLAUDE-API': [0, 1], 'NO-RULE': [0, 0] })
  // `folders` lists the rule folders that SAT does not read.
  expect((await panelRules(session)).folders).toEqual([])
})

story('if `plugin` lists SAT three times, only the first entry acts, with its options', async () => {
  const host = await sharedHost()
  const link = join(host.home, 'linked-sat')
  symlinkSync(CHECKOUT, link)
  // Without these options, SAT would refuse to create `new.py`, and report its line `y`.
  const options = { rules: { before_write: false, checks: false }, debug: true }
  const plugin = [[CHECKOUT, options], `file://${CHECKOUT}/sat.ts`, link]
  const files = { [STYLE]: ruleFile('forbid: y', 'RULE-WORDS'), [PYTHON]: FILES[PYTHON]! }
  const { project, session } = await startSession({ files, config: { plugin } })
  const { requests, outputs } = await session.turn('go', write(project, 'new.py', 'y\n'))
  expectCounts(requests, { 'RULE-WORDS': [1, 1], 'PYTHON-RULE': [0, 1] })
  expect(await project.read('new.py')).toBe('y\n')
  expect(outputs[0]).not.toContain('breaks rules')
  expect(await hiddenMessages(session)).toHaveLength(1)
  expect(await waitForLog(host, 'SAT is in the list of plugins more than once')).toHaveLength(2)
})
