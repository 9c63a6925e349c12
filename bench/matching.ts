/** Measures the time that 10, 100 and 500 rule files take, in a session that touches 1,000 files one by one. */
import { Minimatch } from 'minimatch'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { History, MessagePart } from '../src/delivery/history.ts'
import { MAX_RULES, type Rule, ruleFolderReader } from '../src/delivery/rule-files.ts'
import { insertRules, rulesInRequest } from '../src/delivery/rules-in-request.ts'
import { TouchedFiles, triggersIn } from '../src/delivery/touched-files.ts'
import { writeInto } from '../test/harness/host.ts'
import { type Bench, inFolder, medianOf, type Row, timeOf, toRow } from './measure.ts'

const FACTS = { agent: 'build', model: '', branch: '' }
const WORKSPACE = { directory: '/work', worktree: '/work' }
const TOUCHED = 1_000
const ROUNDS = 5

const messageOf = (role: string, created: number, parts: Array<object>): History[number] => {
  const info = { id: `msg_${created}`, role, sessionID: 'ses', time: { created } } as History[number]['info']
  return { info, parts: parts as Array<MessagePart> }
}

const readPart = (index: number): object => ({
  id: `prt_${index}`,
  sessionID: 'ses',
  messageID: `msg_${index}`,
  type: 'tool',
  callID: `call_${index}`,
  tool: 'read',
  state: {
    status: 'completed',
    input: { filePath: `/work/src/area${index % 50}/file${index}.ts` },
    output: '',
    title: '',
    metadata: {},
    time: { start: 0, end: 0 },
  },
})

const nameOf = (index: number): string => `rule-${index}.md`

/**
 * Creates a rule. Half of the rules match one file each. The other half match none, so each touched file is matched
 * against all of that half.
 */
const ruleOf = (index: number): string => {
  const glob = index % 2 === 0
    ? `src/area*/file${index}.{ts,tsx}`
    : `lib/**/other${index}*.ts, !lib/vendor/**`
  return `---\nglobs: "${glob}"\n---\nRule ${index}: be brief.\n`
}

/** Measures how long a request takes to match and insert the rules for one more touched file, on average. */
const timePerTouchedFile = async (rules: Array<Rule>): Promise<number> => {
  const session = new TouchedFiles((entry) => triggersIn(entry, { original: WORKSPACE, real: WORKSPACE }))
  const history: History = [messageOf('user', 0, [])]
  let time = 0
  for (let index = 1; index <= TOUCHED; index++) {
    history.push(messageOf('assistant', index, [readPart(index)]))
    const request = history.slice()
    let placed = rulesInRequest([], session, FACTS)
    time += await timeOf(() => (placed = rulesInRequest(rules, session.read(request), FACTS)))
    insertRules(request, placed)
  }
  return time / TOUCHED
}

/** Measures how long it takes to match one path against all compiled globs, which is the minimum of the work. */
const timeOfMinimatch = async (count: number): Promise<number> => {
  const matchers = Array.from(
    { length: count },
    (_, index) => new Minimatch(`src/area*/file${index}.{ts,tsx}`),
  )
  const rounds = 200
  return await timeOf(() => {
    for (let round = 0; round < rounds; round++) {
      for (const matcher of matchers) matcher.match('src/area1/other.ts')
    }
  }) / rounds
}

const medianOfRounds = async (work: () => unknown): Promise<number> => {
  const times: Array<number> = []
  for (let round = 0; round < ROUNDS; round++) times.push(await timeOf(work))
  return medianOf(times)
}

/**
 * Measures, for a number of rule files, the start of another session after the files were read, a request in which no
 * rule changed, and one more touched file.
 */
const rowsOf = (count: number): Promise<Array<Row>> =>
  inFolder(async (folder) => {
    const names = Array.from({ length: count }, (_, index) => nameOf(index))
    writeInto(folder, Object.fromEntries(names.map((name, index) => [name, ruleOf(index)])))
    const readRules = ruleFolderReader({ scope: 'project', path: folder }, folder)
    const firstRead = await timeOf(readRules)
    // Files that were just written are read again until the disk's clock has advanced.
    await Bun.sleep(100)
    // The first check after that finds them unchanged.
    const { rules } = await readRules()
    const nextStart = await medianOfRounds(async () =>
      rulesInRequest((await readRules()).rules, new TouchedFiles(() => []), FACTS)
    )
    const unchanged = await medianOfRounds(readRules)
    const stats = await timeOf(() => names.forEach((name) => statSync(join(folder, name))))
    const touched = await timePerTouchedFile(rules)
    const size = `${count} rule files`
    return [
      toRow({ label: 'session start with rules', size, baseline: 'the first read' }, nextStart, firstRead),
      toRow(
        { label: 'a request, no rule changed', size, baseline: 'a stat for each' },
        unchanged,
        stats,
      ),
      toRow(
        { label: `one of ${TOUCHED} touched files`, size, baseline: 'minimatch alone' },
        touched,
        await timeOfMinimatch(count),
      ),
    ]
  })

const bench: Bench = async () => {
  await rowsOf(100)
  return [...await rowsOf(10), ...await rowsOf(100), ...await rowsOf(MAX_RULES)]
}

export default bench
