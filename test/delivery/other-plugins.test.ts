import { expect } from 'bun:test'
import { join } from 'node:path'
import { write } from '../formatting/session.ts'
import { CHECKOUT, type Session } from '../harness/host.ts'
import { type ModelRequest, textOf } from '../harness/model.ts'
import { story } from '../harness/story.ts'
import { expectCounts, panelRules, read, startSession, transformer, waitUntil } from './session-rules.ts'

const OTHER = './other.mjs'

const FILES = {
  'a.ts': '1',
  'b.js': '1',
  '.opencode/rules/all.md': '---\nforbid: any\n---\nRULE-ALL\n',
  '.opencode/rules/ts.md': '---\nglobs: "*.ts"\n---\nRULE-TS\n',
}

const startWithOther = async (code: string, plugin: Array<unknown> = [OTHER, CHECKOUT]): Promise<Session> =>
  (await startSession({ config: { plugin }, files: { ...FILES, 'other.mjs': transformer(code) } })).session

story('if a plugin deletes data of calls and attachments, rules and formatting still work', async () => {
  const sat = [CHECKOUT, { format_on_save: { '*.js': "sed -i 's/=/ = /' {path}" } }]
  const deleteData = `for (const part of parts) {
    if (part.tool === 'read') delete part.state.metadata
    if (part.tool === 'glob') delete part.state.input
    if (part.type === 'file') delete part.url
  }`
  const session = await startWithOther(deleteData, [OTHER, sat])
  const { project } = session
  project.write('.opencode/rules/js.md', '---\nglobs: "*.js"\n---\nRULE-JS\n')
  const file = { type: 'file', mime: 'text/plain', filename: 'a.ts', url: `file://${project.path('a.ts')}` }
  const create = write(project, 'new.js', 'b=1\n')
  const steps = [read('a.ts'), { tool: 'glob', args: { pattern: '*' } }, create, create]
  const { requests } = await session.turnAs({ parts: [file] }, 'go', ...steps)
  // The first `create`, which is refused, brings in RULE-JS.
  // The attached `a.ts` has lost its URL, so only the read brings in RULE-TS.
  expectCounts(requests, { 'RULE-JS': [0, 0, 0, 1, 1], 'RULE-TS': [0, 1, 1, 1, 1] })
  expect(await project.read('new.js')).toBe('b = 1\n')
})

story('a rule for `*.ts` stays in force after a plugin removes the call that read `a.ts`', async () => {
  const session = await startWithOther('messages.splice(0, messages.length - 4)')
  await session.turn('go', read('a.ts'))
  const { requests } = await session.turn('on', read('b.js'), read('b.js'))
  expectCounts(requests, { 'RULE-ALL': [1, 1, 1], 'RULE-TS': [1, 1, 1] })
})

story('if a plugin freezes the messages, the request has no rules, and the panel says why', async () => {
  const session = await startWithOther(`const freeze = (value) => Object.values(Object.freeze(value)).forEach(
    (one) => Object(one) === one && freeze(one))
  freeze(messages)`)
  expectCounts((await session.turn('go')).requests, { 'RULE-ALL': [0] })
  await waitUntil(async () => (await panelRules(session)).faults.some(({ feature }) => feature === 'rules'))
  expect((await panelRules(session)).faults[0]!.reason).toMatch(/^not in the last request: \w/)
})

const PLUGIN_CODE: Record<string, string> = {
  'assigns texts': `for (const part of parts) {
    if (part.type === 'text') part.text += ''
    if (part.state?.output) part.state.output += ''
  }`,
  'copies parts': 'for (const one of messages) one.parts = one.parts.map((part) => ({ ...part }))',
  'copies messages': 'messages.splice(0, messages.length, ...structuredClone(messages))',
  'adds a message': `messages.push(structuredClone(messages.findLast(({ info }) => info.role === 'user')))`,
  'removes empty messages': `messages.splice(0, messages.length,
    ...messages.filter(({ parts }) => parts.some(({ text }) => text)))`,
  'replaces the list': 'output.messages = structuredClone(messages)',
  'deletes the metadata of calls': 'for (const part of parts) if (part.state) delete part.state.metadata',
  'deletes the input and metadata of calls':
    `for (const part of parts) if (part.type === 'tool') part.state = { ...part.state, metadata: null, input: null }`,
  'removes calls': `for (const one of messages) one.parts = one.parts.filter(({ type }) => type !== 'tool')`,
}

const ADDS_REMINDERS = `for (const { info: { role, id, sessionID }, parts } of messages) {
  const ids = { id: parts[0].id + 'x', sessionID, messageID: id }
  if (role === 'user') parts.push({ ...ids, type: 'text', text: 'REMINDED', synthetic: true })
}`

const requestsOfTwoTurns = async (session: Session): Promise<Array<ModelRequest>> => {
  const { requests } = await session.turn('go', write(session.project, 'b.js', 'let x: any\n'))
  const secondTurn = await session.turn('on', read('a.ts'), 'the last word')
  expect(secondTurn.text).toBe('the last word')
  return [...requests, ...secondTurn.requests]
}

// A report of a line that breaks the rule also has `RULE-ALL`, but not at the start of a line.
const RULE = '\nRULE-ALL'

const DCP = join(CHECKOUT, 'test', 'node_modules', '@tarquinen', 'opencode-dcp')

for (const position of ['after', 'before']) {
  const withSat = (other: string) => position === 'after' ? [CHECKOUT, other] : [other, CHECKOUT]

  for (const [does, code] of Object.entries(PLUGIN_CODE)) {
    // OpenCode sends the original list, but SAT adds the rules to the list that the plugin assigned.
    const isLost = does === 'replaces the list' && position === 'before'
    story(`if a plugin runs ${position} SAT and ${does}, ${isLost ? 'the' : 'no'} rule is lost`, async () => {
      const requests = await requestsOfTwoTurns(await startWithOther(code, withSat(OTHER)))
      expectCounts(requests, { [RULE]: Array(4).fill(isLost ? 0 : 1) })
    })
  }

  story(`if Dynamic Context Pruning runs ${position} SAT, no rules are lost`, async () => {
    const requests = await requestsOfTwoTurns(await startWithOther('', withSat(DCP)))
    expect(requests[0]!.tools.map((tool) => tool.function.name)).toContain('compress')
    expectCounts(requests, { [RULE]: [1, 1, 1, 1] })
  })

  story(`if a plugin runs ${position} SAT and adds texts to messages, texts and rules stay`, async () => {
    const session = await startWithOther(ADDS_REMINDERS, withSat(OTHER))
    await session.turn('go')
    const { requests } = await session.turn('on', read('a.ts'))
    expectCounts(requests, { 'RULE-ALL': [1, 1] })
    const texts = requests[1]!.messages.filter(({ role }) => role === 'user').map(textOf)
    // No reminder is a message of its own.
    expect(texts.filter((text) => !/RULE-|^go|^on/.test(text))).toEqual([])
    expect(texts.filter((text) => text.includes('REMINDED')).length).toBeGreaterThanOrEqual(2)
  })

  story(`if a plugin runs ${position} SAT and throws once, the next turn has the rules`, async () => {
    const flag = `globalThis.hasThrown${position}`
    const code = `if (!${flag}) { ${flag} = true; throw new Error('It fails') }`
    const session = await startWithOther(code, withSat(OTHER))
    await expect(session.turn('go')).rejects.toThrow('answered 500')
    expectCounts((await session.turn('on')).requests, { 'RULE-ALL': [1] })
  })
}
