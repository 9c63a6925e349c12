/** Rules after rule files change, in child sessions and forks, after undos, and from the folders of other tools. */
import { expect, test } from 'bun:test'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { undo } from '../formatting/session.ts'
import { CHECKOUT, type Project, sharedHost } from '../harness/host.ts'
import { waitForLog } from '../harness/log.ts'
import { textOf } from '../harness/model.ts'
import { story, STORY_TIMEOUT_MS } from '../harness/story.ts'
import {
  expectCounts,
  expectPrefixes,
  forkSession,
  hiddenMessages,
  messageAgents,
  panelRules,
  read,
  rulesInForce,
  sessionRecord,
  waitUntil,
} from './session-rules.ts'

const PYTHON = '---\nglobs: "*.py"\n---\nPYTHON-ONE\n'
const RULES = {
  '.opencode/rules/style.md': 'STYLE-ONE: two spaces.\n',
  '.opencode/rules/old.md': 'OLD-RULE: say hello.\n',
  '.opencode/rules/python.md': PYTHON,
  'main.py': 'print(1)\n',
  'a.ts': 'x\n',
}

let shared: Project | undefined

// Each story continues with the rule files of the story before it.
const nextStory = (name: string, body: (project: Project) => Promise<void>): void =>
  test.serial(
    name,
    async () => body(shared ??= (await sharedHost()).project({ files: RULES })),
    STORY_TIMEOUT_MS,
  )

const plan = { agent: 'plan' }

nextStory('the next request follows edited, added, renamed and removed rule files', async (project) => {
  const session = await project.session()
  const { requests } = await session.turnAs(
    plan,
    'go',
    () => {
      project.write('.opencode/rules/style.md', 'STYLE-TWO: tabs.\n')
      project.write('.opencode/rules/added.md', 'ADDED-RULE\n')
      return read('main.py')
    },
    () => {
      Bun.spawnSync(['mv', 'added.md', 'renamed.md'], { cwd: project.path('.opencode/rules') })
      Bun.spawnSync(['rm', project.path('.opencode/rules/old.md')])
      return read('a.ts')
    },
  )
  expectCounts(requests, {
    'STYLE-ONE': [1, 0, 0],
    'STYLE-TWO': [0, 1, 1],
    'PYTHON-ONE': [0, 1, 1],
    'ADDED-RULE': [0, 1, 1],
    '## added': [0, 1, 0],
    'OLD-RULE': [1, 1, 0],
  })
  expect(textOf(requests[2]!.messages[1]!)).toContain('## renamed')
  await waitUntil(async () => (await rulesInForce(session)).includes('renamed always'))
  expect(await rulesInForce(session)).toEqual(['python file main.py', 'renamed always', 'style always'])
})

nextStory('the rules of a child session are stored under the agent of the child', async (project) => {
  const { model } = await sharedHost()
  const session = await project.session()
  const edit = () => {
    project.write('.opencode/rules/style.md', 'STYLE-THREE\n')
    return read('main.py')
  }
  model.scriptChild('Look at the snake', [edit, 'found'])
  const { requests } = await session.turnAs(plan, 'delegate', {
    tool: 'task',
    args: { description: 'look', prompt: 'Look at the snake', subagent_type: 'explore' },
  })
  const [{ id }] = await project.http<[{ id: string }]>('GET', `/session/${session.id}/children`)
  const child = project.resume(id)
  for (const sent of [requests, child.requests()]) {
    expectCounts(sent, {
      'STYLE-ONE': [0, 0],
      'STYLE-TWO': [1, 0],
      'STYLE-THREE': [0, 1],
      'ADDED-RULE': [1, 1],
    })
  }
  expectCounts(requests, { 'PYTHON-ONE': [0, 0] })
  expectCounts(child.requests(), { 'PYTHON-ONE': [0, 1] })
  expect(await sessionRecord(session)).toMatchObject(plan)
  expect(new Set(await messageAgents(child))).toEqual(new Set(['user explore', 'assistant explore']))
  expect(await sessionRecord(child)).toMatchObject({ agent: 'explore' })
})

nextStory('a fork has each rule once; an undo removes the rules of the undone message', async (project) => {
  const session = await project.session()
  const { requests } = await session.turn('words to undo', () => {
    Bun.spawnSync(['rm', project.path('.opencode/rules/renamed.md')])
    return read('main.py')
  })
  expectCounts(requests, { 'ADDED-RULE': [1, 0] })
  const fork = await forkSession(session)
  const { requests: [forked] } = await fork.turn('third')
  expectPrefixes([session.requests().at(-1)!, forked!])
  expectCounts([forked!], { 'STYLE-THREE': [1], 'ADDED-RULE': [0], 'PYTHON-ONE': [1] })
  expect(await rulesInForce(fork)).toEqual(['python file main.py', 'style always'])
  expect(await hiddenMessages(fork)).toHaveLength(1)
  const newest = (await fork.messages()).findLast(({ info }) => info.role === 'user')
  expect(newest?.parts[0]).toMatchObject({ text: 'third' })

  await undo(session)
  // The panel shows the undo at once, and a redo restores the rule.
  const isInForce = async () => (await rulesInForce(session)).includes('python file main.py')
  await waitUntil(async () => !(await isInForce()))
  expect((await panelRules(session)).waiting).toMatchObject([{ name: 'python', globs: ['*.py'] }])
  await project.http('POST', `/session/${session.id}/unrevert`)
  await waitUntil(isInForce)
  await undo(session)
  const { requests: [afterUndo] } = await session.turn('another way')
  expectCounts([afterUndo!], {
    'words to undo': [0],
    'STYLE-THREE': [1],
    'ADDED-RULE': [0],
    'PYTHON-ONE': [0],
  })
  await waitUntil(async () => !(await isInForce()))
  expect(await rulesInForce(session)).toEqual(['style always'])

  // An undo of the whole session removes its hidden message, too.
  const [hidden] = await hiddenMessages(session)
  await project.http('POST', `/session/${session.id}/revert`, { messageID: hidden!.info.id })
  const { requests: [anew] } = await session.turn('all anew')
  expectCounts([anew!], { 'STYLE-THREE': [1], 'PYTHON-ONE': [0] })
  expect(await hiddenMessages(session)).toHaveLength(1)
  expect(await rulesInForce(session)).toEqual(['style always'])
})

story('the first rules of a project are added to a running session', async () => {
  const project = (await sharedHost()).project({ files: { 'a.ts': 'x\n', '.opencode/.keep': '' } })
  const undoneSession = await project.session()
  await undoneSession.turn('words to undo')
  const session = await project.session()
  const { requests } = await session.turnAs(plan, 'go', () => {
    project.write('.opencode/rules/late.md', 'LATE-RULE\n')
    return read('a.ts')
  })
  expectCounts(requests, { 'LATE-RULE': [0, 1] })
  await waitUntil(async () => (await hiddenMessages(session)).length === 1)
  expect(await rulesInForce(session)).toEqual(['late always'])
  // An undo creates no hidden message in a session without one.
  await undo(undoneSession)
  project.write('.opencode/rules/snake.md', PYTHON)
  const { requests: [later] } = await session.turnAs(plan, 'and now?')
  expectPrefixes([requests[1]!, later!])
  await waitUntil(async () => (await panelRules(session)).waiting.length === 1)
  expect((await panelRules(session)).waiting).toMatchObject([{ name: 'snake' }])
  expect(new Set((await session.messages()).map(({ info }) => info.agent))).toEqual(new Set(['plan']))

  // A redo restores everything.
  await project.http('POST', `/session/${undoneSession.id}/unrevert`)
  expectCounts((await undoneSession.turn('and on')).requests, { 'words to undo': [1], 'LATE-RULE': [1] })

  // A session without rules keeps its agent.
  Bun.spawnSync(['rm', project.path('.opencode/rules/late.md')])
  const quiet = await project.session()
  const { requests: [bare] } = await quiet.turnAs(plan, 'hello')
  expect(bare!.messages.map(({ role }) => role)).toEqual(['system', 'user'])
  expect(await panelRules(quiet)).toMatchObject({ inForce: [], waiting: [{ name: 'snake' }] })
  expect(await sessionRecord(quiet)).toMatchObject(plan)
  expect(quiet.requests()).toHaveLength(1)
})

const OTHER_TOOLS = {
  '.cursor/rules/all.mdc': '---\nalwaysApply: true\nforbid: y\n---\nCURSOR-ALL\n',
  '.claude/rules/api.md': '---\npaths:\n  - "src/api/**/*.ts"\n---\nCLAUDE-API\n',
  '.github/instructions/ts.instructions.md': "---\nagent: code\napplyTo: '**'\n---\nCOPILOT-ALL\n",
  '.clinerules/01.md': 'CLINE-ALL\n',
  '.clinerules/workflows/release.md': 'NO-RULE\n',
  'packages/a/src/api/x.ts': 'x\n',
  'src/api/x.ts': 'x\n',
}

story('the rules of other tools keep their meaning; SAT that is listed three times acts once', async () => {
  const host = await sharedHost()
  const link = join(host.home, 'linked-sat')
  symlinkSync(CHECKOUT, link)
  const directories = ['.cursor/rules', '.claude/rules', '.github/instructions', '.clinerules', 'gone']
  const options = { rules: { directories, before_write: false, checks: false }, debug: true }
  const plugin = [[CHECKOUT, options], `file://${CHECKOUT}/sat.ts`, link]
  const root = host.project({ files: OTHER_TOOLS, config: { plugin }, git: true })
  const session = await host.project({ directory: root.path('packages/a') }).session()
  const filePath = root.path('src/api/y.ts')
  const { requests, outputs } = await session.turn('go', [
    read(root.path('src/api/x.ts')),
    { tool: 'write', args: { filePath, content: 'y\n' } },
  ])
  // An agent in another tool's rule is not an agent of OpenCode.
  expectCounts(requests, { 'CURSOR-ALL': [1, 1], 'COPILOT-ALL': [1, 1], 'CLINE-ALL': [1, 1] })
  expectCounts(requests, { 'CLAUDE-API': [0, 1], 'NO-RULE': [0, 0] })
  expect(await root.read('src/api/y.ts')).toBe('y\n')
  expect(outputs[1]).not.toContain('breaks rules')
  expect(await hiddenMessages(session)).toHaveLength(1)
  expect((await panelRules(session)).folders).toEqual([])
  expect(await waitForLog(host, 'SAT is in the list of plugins more than once')).toHaveLength(2)
})
