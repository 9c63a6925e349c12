import { expect } from 'bun:test'
import { edit, patch, write } from '../formatting/session.ts'
import { PATCH_MODEL, type Session, sharedHost } from '../harness/host.ts'
import { logLines, waitForLog } from '../harness/log.ts'
import { type ModelRequest, textOf } from '../harness/model.ts'
import { story } from '../harness/story.ts'
import {
  compact,
  expectCounts,
  expectPrefixes,
  hiddenMessages,
  messageAgents,
  panelRules,
  read,
  ruleFile,
  sessionRecord,
  sessionStarter,
  startSession,
  waitUntil,
} from './session-rules.ts'

const COMPONENTS = 'This is a rule for TypeScript components.'

const FILES = {
  // Always sent:
  '.opencode/rules/my-rule.md': '## Of my own\n\nALWAYS-ONE: be brief.\n',
  '.opencode/rules/another-rule.mdc': 'ALWAYS-TWO: This rule should always apply.\n',
  '.opencode/rules/copilot.md': ruleFile('applyTo: "**"', 'ALWAYS-COPILOT'),
  // Sent after a call touches a matching file:
  '.opencode/rules/web/components.mdc': ruleFile('globs:\n  - "src/components/**/*.ts"', COMPONENTS),
  '.opencode/rules/tests.md': ruleFile('paths: "**/*.test.ts, !vendor/**"', 'JOINS-TESTS'),
  '.opencode/rules/python.md': ruleFile("description: snakes\ntags: [a]\napplyTo: '**/*.py'", 'JOINS-PYTHON'),
  '.opencode/rules/patched.md': ruleFile('globs: **/*.{rs,go}', 'JOINS-PATCHED'),
  // Only offered:
  '.opencode/rules/api.mdc': ruleFile('description: How to add: an API route\nglobs:', 'API-BODY'),
  // Only offered, because SAT does not read the key `command`, which limits rules in other tools:
  '.opencode/rules/limited.md': ruleFile('command: plan', '# Of plans\n\nLIMITED-BODY'),
  // Neither sent nor offered:
  '.opencode/rules/hand.mdc': ruleFile('description:\nglobs:\nalwaysApply: false', 'HAND-BODY'),
  '.opencode/rules/broken.md': ruleFile('globs: ["a.ts"\ndescription: x: y', 'BROKEN-RULE'),
  '.opencode/rules/empty.md': '',
  '.cursor/rules/x.mdc': 'NOT-ASKED-FOR\n',
  // Sent by the host itself:
  '.opencode/rules/sent/by-host.md': 'SENT-BY-HOST\n',
  '.opencode/rules/sent/dots/by-host.md': 'SENT-BY-DOTS\n',
  'AGENTS.md': 'Be kind.\n',
  // No rules:
  'src/components/button.ts': 'export const button = 1\n',
  'src/utils/helpers.js': 'export const help = 1\n',
  'src/a.test.ts': 'test()\n',
  'main.py': 'print(1)\n',
}

const ALWAYS = ['ALWAYS-ONE', 'ALWAYS-TWO', 'ALWAYS-COPILOT']
const NEVER = ['BROKEN-RULE', 'API-BODY', 'HAND-BODY', 'LIMITED-BODY', 'NOT-ASKED-FOR']

const config = { instructions: ['.opencode/rules/sent/*.md', 'extra/../.opencode/rules/sent/dots/*.md'] }

const startShared = sessionStarter({ files: FILES, config })

const expectEachOnce = (requests: Array<ModelRequest>, ...more: Array<string>): void => {
  for (const words of [...ALWAYS, ...more]) expectCounts(requests, { [words]: requests.map(() => 1) })
}

const plan = { agent: 'plan' }

story('the first request and a hidden message in the session have the rules that always apply', async () => {
  const { project, session } = await startShared()
  const reads = ['main.py', 'src/utils/helpers.js', 'src/components', 'src/components/missing.ts'].map(read)
  const { requests } = await session.turnAs(plan, 'What does button do?', reads)
  expectEachOnce(requests)
  expectCounts(requests, { 'JOINS-PYTHON': [0, 1], [COMPONENTS]: [0, 0] })
  expectCounts(requests, Object.fromEntries(NEVER.map((words) => [words, [0, 0]])))
  const [system, rules, prompt] = requests[0]!.messages
  expect([system!.role, rules!.role, prompt!.role]).toEqual(['system', 'user', 'user'])
  expect(textOf(rules!)).toContain('## another-rule\n\nALWAYS-TWO')
  expect(textOf(rules!)).toContain('\n\n## Of my own')
  expect(textOf(rules!)).not.toContain('my-rule')
  expect(textOf(prompt!)).toContain('What does button do?')
  // The host itself sends the files in `instructions`.
  expect(textOf(system!).match(/SENT-BY-(HOST|DOTS)/g)).toHaveLength(2)
  expectCounts(requests, { 'SENT-BY-HOST': [1, 1], 'SENT-BY-DOTS': [1, 1] })
  // A rule with only a description is offered.
  const offer = (path: string) => `- \`api\` (\`${path}\`): How to add: an API route`
  expect(textOf(rules!)).toContain(offer(project.path('.opencode/rules/api.mdc')))
  const hidden = await hiddenMessages(session)
  expect(hidden).toEqual((await session.messages()).slice(0, 1))
  expect(hidden[0]!.parts[0]!.text).toContain('ALWAYS-ONE')
  expect(hidden[0]!.parts[0]!.text).toContain(offer('.opencode/rules/api.mdc'))
  expect(await messageAgents(session)).toEqual(['assistant plan', 'user plan'])
  expect(await sessionRecord(session)).toMatchObject({ ...plan, model: { id: 'm' } })
})

story('after a read or write of a file, each later request has the rules for it once', async () => {
  const { project, session } = await startShared()
  const calls = [edit(project, 'main.py', 'print(1)', 'print(2)'), write(project, 'src/b.test.ts', 'b')]
  const { requests } = await session.turn('go', read('src/components/button.ts'), calls)
  expectEachOnce(requests)
  expectCounts(requests, { [COMPONENTS]: [0, 1, 1], 'JOINS-PYTHON': [0, 0, 1], 'JOINS-TESTS': [0, 0, 1] })
  const [result, rule] = requests[1]!.messages.slice(-2)
  expect([result!.role, rule!.role]).toEqual(['tool', 'user'])
  expect(textOf(rule!)).toContain('src/components/button.ts')
  expectPrefixes(requests)

  const adding = [patch('*** Add File: lib/x.go\n+package x'), read('src/a.test.ts')]
  const patched = await session.turnAs({ model: PATCH_MODEL }, 'patch', adding)
  expectCounts(patched.requests, { 'JOINS-PATCHED': [0, 1] })
  expectEachOnce(patched.requests, COMPONENTS, 'JOINS-PYTHON', 'JOINS-TESTS')
})

story('the panel shows each kind of rule, and the log has only faults', async () => {
  const { project, session } = await startShared()
  await session.turn('go', read('main.py'))
  await waitUntil(async () => (await panelRules(session)).inForce.length > ALWAYS.length)
  const { inForce, waiting, leftOut, ...shown } = await panelRules(session)
  expect(inForce.map(({ name }) => name).sort()).toEqual(['another-rule', 'copilot', 'my-rule', 'python'])
  const python = { name: 'python', file: 'main.py', description: 'snakes', note: 'not read: tags (line 3)' }
  expect(inForce).toContainEqual(expect.objectContaining(python))
  expect(waiting.map(({ name }) => name).sort()).toEqual(['patched', 'tests', 'web/components'])
  const tests = { name: 'tests', globs: ['**/*.test.ts', '!vendor/**'] }
  expect(waiting).toContainEqual(expect.objectContaining(tests))
  expect(shown).toMatchObject({
    offered: [
      { path: '.opencode/rules/api.mdc', name: 'api', description: 'How to add: an API route' },
      { name: 'limited', description: 'Of plans' },
    ],
    manual: [{ path: '.opencode/rules/hand.mdc', name: 'hand' }],
    instructions: ['AGENTS.md', '.opencode/rules/sent/by-host.md', '.opencode/rules/sent/dots/by-host.md']
      .map((path) => ({ path })),
    folders: ['.cursor/rules'],
  })
  const faults = leftOut.map(({ path, line, isOffered }) => `${path.split('/').at(-1)}:${line} ${isOffered}`)
  expect(faults).toEqual(['broken.md:2 undefined', 'empty.md:undefined undefined', 'limited.md:2 true'])
  // With the option `debug`, SAT would log the discovered rules before it warns about `broken.md`.
  expect(await waitForLog(await sharedHost(), project.path('.opencode/rules/broken.md'))).toHaveLength(1)
  expect(logLines(await sharedHost(), 'Discovered project rule: web/components.mdc')).toEqual([])
})

story('title and summary requests have no rules, and after a compaction each rule is sent once', async () => {
  const { project } = await startShared()
  const session = await project.session({ title: null })
  const url = `file://${project.path('main.py')}`
  const parts = [{ type: 'file', mime: 'text/plain', filename: 'main.py', url }]
  const steps = [read('src/components/button.ts'), 'x'.repeat(20_000)]
  const attached = await session.turnAs({ ...plan, parts }, 'read it', ...steps)
  expectCounts(attached.requests, { 'JOINS-PYTHON': [1, 1], [COMPONENTS]: [0, 1] })
  await compact(session)
  const { requests } = await session.turnAs(plan, 'and now?')
  expectEachOnce(requests, COMPONENTS, 'JOINS-PYTHON')
  expectCounts(requests, { 'JOINS-TESTS': [0] })
  const { model } = await sharedHost()
  const errands = model.requests.filter(({ session: id, kind }) => id === session.id && kind === 'errand')
  expectCounts(errands, { 'ALWAYS-': [0, 0], 'JOINS-PYTHON': [0, 0] })
  // The request for a title comes first, and contains the prompt.
  expectCounts(errands.slice(0, 1), { 'read it': [1] })
  const hidden = await hiddenMessages(session)
  expect(hidden).toHaveLength(1)
  expect(hidden[0]!.parts[0]!.text).toContain(COMPONENTS)
  expect(await sessionRecord(session)).toMatchObject({ ...plan, title: 'A short text' })
})

story('after a compaction in a running turn, the next request has each rule once', async () => {
  const { session } = await startShared()
  // At this number of tokens, the host compacts the session.
  const reading = { ...read('src/components/button.ts'), tokens: 199_000 }
  const { requests } = await session.turnAs(plan, 'read it', reading, read('main.py'), 'done')
  expectEachOnce(requests.slice(1), COMPONENTS)
  expectCounts(requests, { 'JOINS-PYTHON': [0, 0, 1] })
  expect(await messageAgents(session)).toEqual(['assistant compaction', 'assistant plan', 'user plan'])
})

const model = { providerID: 'fake', modelID: 'm' }
const ofPatchModel = { model: `fake/${PATCH_MODEL}` }
const agent = { build: ofPatchModel, careful: { ...ofPatchModel, mode: 'primary', prompt: 'Be careful.' } }
const provider = { fake: { models: { m: { variants: { high: { reasoningEffort: 'high' } } } } } }

const hiddenAgentAndModel = async (session: Session, body: object): Promise<Array<unknown>> => {
  const parts = [{ type: 'text', text: 'hi' }]
  await session.project.http('POST', `/session/${session.id}/message`, { parts, ...body })
  const [hidden] = await hiddenMessages(session)
  return [hidden?.info.agent, hidden?.info.model]
}

story("the hidden message has the agent, model and variant of the person's message", async () => {
  const files = { '.opencode/rules/a.md': 'A' }
  const { project, session: early } = await startSession({ files, config: { agent, provider } })
  // SAT stores the hidden message before it knows the agent and model of the first message.
  await waitUntil(async () => (await hiddenMessages(early)).length === 1)
  expect(await hiddenAgentAndModel(early, { agent: 'plan' })).toEqual(['plan', model])
  expect(early.requests().map((request) => request.model)).toEqual(['m'])

  const careful = await project.session()
  const ofCareful = ['careful', { ...model, modelID: PATCH_MODEL }]
  expect(await hiddenAgentAndModel(careful, { agent: 'careful' })).toEqual(ofCareful)
  expect(await sessionRecord(careful)).toMatchObject({ agent: 'careful', model: { id: PATCH_MODEL } })

  const session = await project.session()
  const planVariant = { agent: 'plan', model, variant: 'high' }
  expect(await hiddenAgentAndModel(session, planVariant)).toEqual(['plan', { ...model, variant: 'high' }])
  const record = { agent: 'plan', model: { id: 'm', variant: 'high' } }
  expect(await sessionRecord(session)).toMatchObject(record)
  await compact(session)
  expect(await sessionRecord(session)).toMatchObject(record)
})
