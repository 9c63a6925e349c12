/** Measures the time that the patterns of rules add to a step of five edits that break no rule. */
import { readFileSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { compileChecks } from '../src/checks/patterns.ts'
import type { DeliveryInput } from '../src/delivery/hidden-message.ts'
import type { History } from '../src/delivery/history.ts'
import type { Rule } from '../src/delivery/rule-files.ts'
import type { RulesOnDisk } from '../src/delivery/rules-on-disk.ts'
import { stepChecks } from '../src/delivery/step-checks.ts'
import type { Client } from '../src/host/client.ts'
import { Steps } from '../src/steps/steps.ts'
import { type Bench, inFolder, medianTimes, timeOf, toRow } from './measure.ts'

const SOURCE = readFileSync(join(import.meta.dirname, '..', 'src', 'writing', 'write.ts'), 'utf8')
const LAST_LINES = SOURCE.trimEnd().split('\n').slice(-8).join('\n')
const ADDED_LINES = SOURCE.split('\n').slice(20, 30).map((line) => `\n${line} // new`).join('')
const FILES = ['a.ts', 'b.ts', 'c.ts', 'd.ts', 'e.ts']

const createRules = async (count: number): Promise<RulesOnDisk> => {
  const rules = Array.from({ length: count }, async (_, index) => {
    const text = String.raw`\bforbidden${index}\(|:\s*never${index}\b`
    const { data } = await compileChecks({ forbid: [{ text, line: 2 }] })
    return { name: `r-${index}`, path: `/rules/r-${index}.md`, checks: data } as Rule
  })
  const others = { checkOnly: [], leftOut: [], missing: [], instructions: [], notRead: [] }
  return { rules: await Promise.all(rules), ...others }
}

const timeOfStep = async (folder: string, onDisk: RulesOnDisk): Promise<number> => {
  const workspace = { directory: folder, worktree: folder }
  const client = {} as Client
  const steps = new Steps({ client, directory: folder, log: () => {} })
  const places = { original: workspace, real: workspace }
  const findRecorded = async () => []
  const checks = stepChecks('ses', { places, steps, findRecorded } as unknown as DeliveryInput)
  const calls = FILES.map((file, index) => {
    const args = { filePath: join(folder, file), oldString: LAST_LINES, newString: LAST_LINES + ADDED_LINES }
    return { host: { tool: 'edit', sessionID: 'ses', callID: `call_${index}` }, args }
  })
  const parts = calls.map(({ host, args }, index) => {
    const state = { status: 'completed', input: args, output: '', metadata: {} }
    return { id: `prt_${index}`, type: 'tool', ...host, state }
  })
  const historyAfterStep = [{ info: { id: 'msg' }, parts }] as unknown as History
  const request = { onDisk, facts: { agent: '', model: '', branch: '' }, isOn: () => true }
  // Sets the rules that `beforeCall` uses.
  await checks.checkAndReport([], request)
  for (const { args } of calls) writeFileSync(args.filePath, SOURCE)
  const timeBefore = await timeOf(async () => {
    for (const { host, args } of calls) await checks.beforeCall(await steps.start(host, args))
  })
  // In a session, the host makes these edits.
  for (const { args } of calls) {
    writeFileSync(args.filePath, SOURCE.replace(LAST_LINES, () => args.newString))
  }
  const timeAfter = await timeOf(async () => {
    for (const { host, args } of calls) await steps.finish(host, args)
    await checks.checkAndReport(historyAfterStep, request)
  })
  return timeBefore + timeAfter
}

const rowOf = (patterns: number) =>
  inFolder(async (folder) => {
    const onDisk = await createRules(patterns)
    const readFiles = () => Promise.all(FILES.map((file) => readFile(join(folder, file), 'utf8')))
    const times = await medianTimes(25, () => timeOfStep(folder, onDisk), () => timeOf(readFiles))
    const label = 'time that checks add to a step of five edits'
    return toRow({ label, size: `${patterns} patterns`, baseline: 'reading the files' }, ...times)
  })

const bench: Bench = async () => [await rowOf(0), await rowOf(100)]

export default bench
