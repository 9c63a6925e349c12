/** Stories of the hidden message in which SAT stores a session's rules. */
import { afterAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CHECKOUT, type Host, type Project, type Session, startHost, writeInto } from '../harness/host.ts'
import { logLines, waitForLog } from '../harness/log.ts'
import { textOf } from '../harness/model.ts'
import { scratchFolder } from '../harness/scratch.ts'
import { STORY_TIMEOUT_MS } from '../harness/story.ts'
import {
  compact,
  expectCounts,
  hiddenMessages,
  messageAgents,
  read,
  ruleFile,
  sessionRecord,
  waitUntil,
} from './session-rules.ts'

/** The stories build on each other. */
const nextStory = (name: string, body: () => Promise<void>): void => test.serial(name, body, STORY_TIMEOUT_MS)

// Runs SAT and logs each hidden message. A word in the title of a session delays the message (`slow`), makes its first
// sending fail (`fails`), or repeats the events of the session (`twice`).
const WRAPPED_SAT = `
import { appendFileSync } from 'node:fs'
import SAT from ${JSON.stringify(join(CHECKOUT, 'sat.ts'))}
const titles = new Map()
const failed = new Set()
export default async (input, options) => {
  const { session } = input.client
  const send = session.prompt.bind(session)
  session.prompt = async (request) => {
    const { id } = request.path
    const title = titles.get(id) ?? ''
    appendFileSync(process.env.SENT_LOG, JSON.stringify({ id, body: request.body }) + '\\n')
    if (title.includes('slow')) await new Promise((resolve) => setTimeout(resolve, 400))
    if (title.includes('fails') && !failed.has(id)) {
      failed.add(id)
      return { error: { name: 'UnknownError', data: { message: 'the store is closed' } } }
    }
    return send(request)
  }
  const hooks = await SAT(input, options)
  return {
    ...hooks,
    event: async ({ event }) => {
      if (event.type === 'session.created') titles.set(event.properties.info.id, event.properties.info.title)
      await hooks.event({ event })
      if (titles.get(event.properties.info?.id)?.includes('twice')) await hooks.event({ event })
    },
  }
}
`

let host: Host
let project: Project
afterAll(() => host?.stop())

const scratch = scratchFolder()
const sentLog = join(scratch, 'sent.log')
writeInto(scratch, { 'wrapped.mjs': WRAPPED_SAT, 'sent.log': '' })

/** Includes messages that were not stored. */
const sentTo = (sessionId: string): Array<unknown> =>
  readFileSync(sentLog, 'utf8').split('\n').slice(0, -1).map((line) => JSON.parse(line))
    .filter(({ id }) => id === sessionId).map(({ body }) => body)

const plan = { agent: 'plan' }

const OWN_RULES = { 'config/opencode/rules/global-rule.md': 'ALWAYS-GLOBAL', 'mine/own.md': 'ALWAYS-OWN' }
const PROJECT_RULES = {
  'extra/more.md': 'ALWAYS-MORE',
  '.opencode/rules/project-rule.md': 'ALWAYS-PROJECT',
  '.opencode/rules/python.md': ruleFile('globs: "*.py"', 'JOINS-PYTHON'),
}

nextStory('in a project without rules, no hidden message is sent', async () => {
  const plugin = [[join(scratch, 'wrapped.mjs'), { rules: { directories: ['extra', '~/mine'] } }]]
  host = await startHost({ plugin, env: { SENT_LOG: sentLog, SAT_DEBUG: '1' } })
  const files = { 'a.py': 'print(1)\n', '.opencode/rules/.keep': 'NOT-A-RULE' }
  project = host.project({ git: true, files })
  const withoutRules = await project.session()
  const { requests: [bare] } = await withoutRules.turn('hello')
  expectCounts([bare!], { 'NOT-A-RULE': [0] })
  expect(bare!.messages.filter(({ role }) => role === 'user').map(textOf)).toEqual(['hello'])
  await compact(withoutRules)
  // The prompt, its answer, the request for a summary, and the summary
  expect(await withoutRules.messages()).toHaveLength(4)
  expect(sentTo(withoutRules.id)).toEqual([])
  expect(logLines(host, 'Discovered')).toEqual([])
})

nextStory('if events repeat or another host sends the hidden message too, it is stored once', async () => {
  writeInto(host.home, OWN_RULES)
  writeInto(project.directory, PROJECT_RULES)
  const session = await project.session({ title: 'reported twice' })
  const { requests: [request] } = await session.turn('hello')
  expect(textOf(request!.messages[1]!).match(/ALWAYS-\w+/g))
    .toEqual(['ALWAYS-GLOBAL', 'ALWAYS-OWN', 'ALWAYS-PROJECT', 'ALWAYS-MORE'])
  expect(sentTo(session.id)).toMatchObject([
    { noReply: true, parts: [{ type: 'text', text: expect.stringContaining('ALWAYS-PROJECT') }] },
  ])
  await project.http('POST', `/session/${session.id}/message`, sentTo(session.id)[0])
  const hidden = await hiddenMessages(session)
  expect(hidden.map(({ parts }) => parts.length)).toEqual([1])

  const lastLogged = `Rules for ${session.id}: global-rule (always), own (always), project-rule (always)`
  expect(await waitForLog(host, lastLogged)).toHaveLength(1)
  for (const line of ['Discovered global rule: global-rule.md', 'Discovered project rule: more.md']) {
    expect(logLines(host, line)).toHaveLength(1)
  }
})

nextStory('SAT logs why the hidden message was not stored, and sends the message again', async () => {
  const session = await project.session({ title: 'fails once' })
  await waitUntil(async () => sentTo(session.id).length > 0)
  const { requests } = await session.turnAs(plan, 'hello', 'hi')
  expectCounts(requests, { 'ALWAYS-PROJECT': [1] })
  const failures = await waitForLog(host, 'The hidden message of the session')
  expect(failures).toEqual([expect.stringContaining('the store is closed')])
  expect(failures[0]).toContain(session.id)
  expect(sentTo(session.id)).toHaveLength(2)
  expect((await hiddenMessages(session)).map(({ info }) => info.agent)).toEqual(['plan'])
})

let slow: Session

nextStory("a late hidden message neither delays the rules nor changes the session's agent", async () => {
  slow = await project.session({ title: 'slow' })
  const { requests } = await slow.turnAs(plan, 'hello', read('a.py'))
  expectCounts(requests, { 'ALWAYS-PROJECT': [1, 1] })
  await waitUntil(async () => (await hiddenMessages(slow)).every(({ info }) => info.agent === 'plan'))
  const laterParts = async () =>
    JSON.stringify((await hiddenMessages(slow)).map(({ parts }) => parts.slice(1)))
  await waitUntil(async () => (await laterParts()).includes('a.py'))
  expect(await laterParts()).not.toMatch(/ALWAYS|JOINS/)
  expect(await messageAgents(slow)).toEqual(['assistant plan', 'user plan'])
  expect(await sessionRecord(slow)).toMatchObject(plan)
  await compact(slow)
  const { requests: compacted } = await slow.turnAs({ agent: 'build' }, 'and now?')
  expectCounts(compacted, { 'ALWAYS-PROJECT': [1], 'JOINS-PYTHON': [1] })
  expect(await sessionRecord(slow)).toMatchObject({ agent: 'build' })
  expect(await hiddenMessages(slow)).toHaveLength(1)
})

nextStory('rules that change during a restart are sent, but no second hidden message is stored', async () => {
  const other = await project.session()
  await other.turnAs(plan, 'hello', read('a.py'))
  await project.http('POST', '/instance/dispose')
  project.write('.opencode/rules/project-rule.md', 'ALWAYS-EDITED')
  const edited = { 'ALWAYS-EDITED': [1], 'JOINS-PYTHON': [1], 'ALWAYS-PROJECT': [0] }
  expectCounts((await slow.turnAs(plan, 'still there?')).requests, edited)
  expect(await hiddenMessages(slow)).toHaveLength(1)

  // After a compaction, SAT sends the hidden message again, with the same id.
  const sentBefore = sentTo(other.id).length
  await compact(other)
  await waitUntil(async () => sentTo(other.id).length > sentBefore)
  expectCounts((await other.turnAs(plan, 'and now?')).requests, edited)
  expect(sentTo(other.id)).toHaveLength(sentBefore + 1)
  expect(await hiddenMessages(other)).toHaveLength(1)
  expect(await messageAgents(other)).toEqual(['assistant compaction', 'assistant plan', 'user plan'])
})
