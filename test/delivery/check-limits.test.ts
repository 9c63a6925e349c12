import { expect } from 'bun:test'
import { write } from '../formatting/session.ts'
import { CHECKOUT, sharedHost } from '../harness/host.ts'
import { logLines, waitForLog } from '../harness/log.ts'
import { story } from '../harness/story.ts'
import { expectCounts, panelRules, ruleFile, startSession, transformer, waitUntil } from './session-rules.ts'

story('if thousands of lines break a rule, the session stays small and requests have the rule', async () => {
  const files = { '.opencode/rules/all.md': ruleFile("forbid: '^'") }
  const { project, session } = await startSession({ files })
  const writeLines = (count: number) => write(project, 'a.txt', 'a\n'.repeat(count))
  const { outputs } = await session.turn('go', writeLines(5_000))
  expect(outputs[0]).toMatch(/\n {2}3: a\n {2}and lines 4, 5, [\d, ]+20, and 4980 more lines$/)
  const { broken } = await panelRules(session)
  expect(broken.slice(20)).toMatchObject([{ text: 'and 4980 more lines', more: 4_980 }])
  const { outputs: [answer], requests } = await session.turn('on', writeLines(50_000))
  // A slow machine has no time to check so many lines.
  expect(answer).toMatch(
    /breaks rules|Not checked in a\.txt, because time ran out or the text is too long: \d+ lines\./,
  )
  expectCounts(requests, { 'These rules apply': [1, 1] })
  const withoutCallArgs = (key: string, value: unknown) => key === 'input' ? undefined : value
  expect(JSON.stringify(await session.messages(), withoutCallArgs).length).toBeLessThan(40_000)
})

story('the answer counts the lines and rules that were not checked within the time limit', async () => {
  // For this pattern, RE2 needs more states than it can cache, so each character takes time.
  const costly = `'${'(?:a{0,1000}b?)'.repeat(2)}(?:a{0,400}b?)[XY]'`
  const files = { '.opencode/rules/costly.md': ruleFile(`require: ${costly}\nforbid: ${costly}`) }
  const { project, session } = await startSession({ files })
  const lines = `${'a'.repeat(1_000)}\n`.repeat(200)
  const { outputs } = await session.turn('go', write(project, 'a.txt', lines))
  expect(outputs[0]).toMatch(
    /Not checked in a\.txt, because time ran out or the text is too long: \d+ lines, the required text of 1 rule\.$/,
  )
})

const REASON = 'REASON-OF-THIS-STORY'
/** Makes the state of every call unreadable before SAT runs, so that formatting and checks throw. */
const HIDE_STATES = transformer(`const calls = parts.filter(({ state }) => state)
    globalThis.hiddenStates = calls.map((part) => [part, part.state])
    const get = () => { throw new Error('${REASON}') }
    for (const part of calls) Object.defineProperty(part, 'state', { get, configurable: true, enumerable: true })`)
const RESTORE_STATES = transformer(`for (const [part, value] of globalThis.hiddenStates) {
      Object.defineProperty(part, 'state', { value, writable: true, configurable: true, enumerable: true })
    }`)

story('if checks and formatting throw, requests have the rules, and each fault is logged once', async () => {
  const files = {
    'hide-states.mjs': HIDE_STATES,
    'restore-states.mjs': RESTORE_STATES,
    '.opencode/rules/all.md': ruleFile("forbid: 'any'"),
  }
  const sat = [CHECKOUT, { format_on_save: { '*.ts': "sed -i 's/=/ = /' {path}" } }]
  const plugin = ['./hide-states.mjs', sat, './restore-states.mjs']
  const { project, session } = await startSession({ files, config: { plugin } })
  const writes = [write(project, 'a.ts', 'a=any\n'), write(project, 'b.ts', 'b=1\n')]
  const { requests } = await session.turn('go', ...writes)
  expectCounts(requests, { 'RULE-WORDS': [1, 1, 1] })
  await waitUntil(async () => (await panelRules(session)).faults.length > 0)
  expect((await panelRules(session)).faults).toEqual([
    { feature: 'formatting', reason: expect.stringContaining(REASON) },
    { feature: 'checks', reason: expect.stringContaining(REASON) },
  ])
  const host = await sharedHost()
  expect(await waitForLog(host, 'checks', 'failed and is off in the session', session.id)).toHaveLength(1)
  expect(logLines(host, 'messages.transform failed', REASON)).toHaveLength(1)
})
