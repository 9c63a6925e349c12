/** Measures the time that 10, 100 and 500 rule files take at a session's start and in requests. */
import { Minimatch } from 'minimatch'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { History, MessagePart } from '../src/delivery/history.ts'
import { MAX_RULES, type Rule, ruleFolderReader } from '../src/delivery/rule-files.ts'
import { rulesInRequest } from '../src/delivery/rules-in-request.ts'
import { TouchedFiles } from '../src/delivery/touched-files.ts'
import { writeInto } from '../test/harness/host.ts'
import { type Bench, inFolder, medianOfRuns, type Row, timeOf, toRow } from './measure.ts'

const FACTS = { agent: 'build', model: '', branch: '' }
const WORKSPACE = { directory: '/work', worktree: '/work' }
const PLACES = { original: WORKSPACE, real: WORKSPACE }
const TOUCHED = 1_000
const RUNS = 5

const messageOf = (role: string, created: number, parts: Array<object>): History[number] => {
  const info = { id: `msg_${created}`, role, sessionID: 'ses', time: { created } } as History[number]['info']
  return { info, parts: parts as Array<MessagePart> }
}

const readPart = (index: number): object => {
  const input = { filePath: `/work/src/area${index % 50}/file${index}.ts` }
  const state = { status: 'completed', input, output: '', metadata: {} }
  return { id: `prt_${index}`, type: 'tool', callID: `call_${index}`, tool: 'read', state }
}

// Only the globs of even indexes match touched files.
const ruleText = (index: number): string => {
  const glob = index % 2 === 0
    ? `src/area*/file${index}.{ts,tsx}`
    : `lib/**/other${index}*.ts, !lib/vendor/**`
  return `---\nglobs: "${glob}"\n---\nRule ${index}: be brief.\n`
}

const timePerTouchedFile = async (rules: Array<Rule>): Promise<number> => {
  const touchedFiles = new TouchedFiles(PLACES)
  const history: History = [messageOf('user', 0, [])]
  let time = 0
  for (let index = 1; index <= TOUCHED; index++) {
    history.push(messageOf('assistant', index, [readPart(index)]))
    // The host makes a new array for each request. Given the same array, SAT would not compare the messages again.
    const request = history.slice()
    time += await timeOf(() => rulesInRequest(rules, touchedFiles.read(request), FACTS))
  }
  return time / TOUCHED
}

const timeOfMinimatch = async (count: number): Promise<number> => {
  const globs = Array.from({ length: count }, (_, index) => `src/area*/file${index}.{ts,tsx}`)
  const matchers = globs.map((glob) => new Minimatch(glob))
  const rounds = 200
  return await timeOf(() => {
    for (let round = 0; round < rounds; round++) {
      for (const matcher of matchers) matcher.match('src/area1/other.ts')
    }
  }) / rounds
}

const medianTimeOf = (work: () => unknown): Promise<number> => medianOfRuns(RUNS, () => timeOf(work))

const rowsOf = (count: number): Promise<Array<Row>> =>
  inFolder(async (folder) => {
    const names = Array.from({ length: count }, (_, index) => `rule-${index}.md`)
    writeInto(folder, Object.fromEntries(names.map((name, index) => [name, ruleText(index)])))
    const readRules = ruleFolderReader({ scope: 'project', path: folder }, folder)
    const firstRead = await timeOf(readRules)
    // In the first 50 ms after a file was written, each call of `readRules` reads the file, even if it is unchanged.
    await Bun.sleep(100)
    const { rules } = await readRules()
    const later = await medianTimeOf(async () =>
      rulesInRequest((await readRules()).rules, new TouchedFiles(PLACES), FACTS)
    )
    const unchanged = await medianTimeOf(readRules)
    const stats = await timeOf(() => names.forEach((name) => statSync(join(folder, name))))
    const perTouchedFile = await timePerTouchedFile(rules)
    const minimatchAlone = await timeOfMinimatch(count)
    const size = `${count} rule files`
    return [
      toRow({ label: 'a later session start', size, baseline: 'the first read of rules' }, later, firstRead),
      toRow({ label: 'a request, no rule changed', size, baseline: 'a stat of each file' }, unchanged, stats),
      toRow(
        { label: 'a request after a file was read', size, baseline: 'minimatch alone' },
        perTouchedFile,
        minimatchAlone,
      ),
    ]
  })

const bench: Bench = async () => {
  // The rows of this first run are not used, because the engine still compiles the code.
  await rowsOf(100)
  return [...await rowsOf(10), ...await rowsOf(100), ...await rowsOf(MAX_RULES)]
}

export default bench
