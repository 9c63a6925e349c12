import { Minimatch } from 'minimatch'
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EntryPart, History } from '../src/delivery/history.ts'
import { type Rule, ruleFolderReader } from '../src/delivery/rule-files.ts'
import { insertRules, rulesInRequest } from '../src/delivery/rules-in-request.ts'
import { reasonsIn, TouchedFiles } from '../src/delivery/touched-files.ts'
import { type Row, toRatio, toTime } from './measure.ts'

/** The cost of rules in milliseconds, for a number of rule files and touched files. */
export type MatchingCost = {
  ruleFiles: number
  touchedFiles: number
  /** Reads the disk for the first time, and again without changes: the start of a session. */
  firstDiscovery: number
  sessionStart: number
  /** Checks the disk before a request without changes, compared with one stat per file. */
  look: number
  stats: number
  /** What one more touched file adds to the next request: matching it, and inserting the rules. */
  perTouchedFile: number
  perRequest: number
}

const FACTS = { agent: 'build', model: '', branch: '' }
const PLACE = { directory: '/work', worktree: '/work' }

const readPart = (index: number): EntryPart =>
  ({
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
  }) as EntryPart

const median = (values: Array<number>): number =>
  values.toSorted((one, other) => one - other)[values.length >> 1] ?? 0

const timed = async (work: () => unknown): Promise<number> => {
  const start = performance.now()
  await work()
  return performance.now() - start
}

/** Half of the rules match one file each, the others none, so that files are matched against all waiting rules. */
const writeRules = (folder: string, amount: number): void => {
  mkdirSync(folder, { recursive: true })
  for (let index = 0; index < amount; index++) {
    const glob = index % 2 === 0
      ? `src/area*/file${index}.{ts,tsx}`
      : `lib/**/other${index}*.ts, !lib/vendor/**`
    writeFileSync(join(folder, `rule-${index}.md`), `---\nglobs: "${glob}"\n---\nRule ${index}: be brief.\n`)
  }
}

/** The total cost of the files that a session touches one by one, in milliseconds. */
const touchOneByOne = async (
  rules: Array<Rule>,
  touched: number,
): Promise<{ joining: number; inserting: number }> => {
  const session = new TouchedFiles((entry) => reasonsIn(entry, { given: PLACE, real: PLACE }))
  const history = [{
    info: { id: 'msg_u', role: 'user', sessionID: 'ses', time: { created: 0 } },
    parts: [],
  }] as unknown as History
  let placed = rulesInRequest([], session, FACTS)
  let joining = 0
  let inserting = 0
  for (let index = 0; index < touched; index++) {
    const info = {
      id: `msg_${index}`,
      role: 'assistant',
      sessionID: 'ses',
      time: { created: index + 1 },
    } as History[number]['info']
    history.push({ info, parts: [readPart(index)] })
    const request = history.slice()
    joining += await timed(() => {
      placed = rulesInRequest(rules, session.read(request), FACTS)
    })
    inserting += await timed(() => insertRules(request, placed))
  }
  return { joining, inserting }
}

/** Measures the start of a session and one more touched file, for numbers of rule files and files touched one by one. */
export const measureMatching = async (ruleFiles: number, touched: number): Promise<MatchingCost> => {
  const folder = mkdtempSync(join(tmpdir(), 'sat-bench-'))
  try {
    writeRules(folder, ruleFiles)
    const look = ruleFolderReader({ scope: 'project', path: folder }, folder)
    const firstDiscovery = await timed(() => look())
    // Files that were just written are read again until the disk's clock has advanced.
    await new Promise((resolve) => setTimeout(resolve, 100))
    // The first check after that finds them unchanged.
    await look()
    const starts: Array<number> = []
    for (let round = 0; round < 5; round++) {
      starts.push(
        await timed(async () => rulesInRequest((await look()).rules, new TouchedFiles(() => []), FACTS)),
      )
    }
    const looks: Array<number> = []
    for (let round = 0; round < 5; round++) looks.push(await timed(() => look()))
    const paths = Array.from({ length: ruleFiles }, (_, index) => join(folder, `rule-${index}.md`))
    const stats = await timed(() => paths.forEach((path) => statSync(path)))
    const rules = (await look()).rules
    const { joining, inserting } = await touchOneByOne(rules, touched)
    return {
      ruleFiles,
      touchedFiles: touched,
      firstDiscovery,
      sessionStart: median(starts),
      look: median(looks),
      stats,
      perTouchedFile: joining / touched,
      perRequest: inserting / touched,
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Matches one path against all compiled globs: the minimum of the work. */
const bareMatching = async (amount: number): Promise<number> => {
  const matchers = Array.from(
    { length: amount },
    (_, index) => new Minimatch(`src/area*/file${index}.{ts,tsx}`),
  )
  const rounds = 200
  return await timed(() => {
    for (let round = 0; round < rounds; round++) {
      for (const isMatch of matchers) isMatch.match('src/area1/other.ts')
    }
  }) / rounds
}

const TOUCHED = 1_000

export default async (): Promise<Array<Row>> => {
  await measureMatching(100, 100)
  const rows: Array<Row> = []
  for (const amount of [10, 100, 1_000]) {
    const bare = await bareMatching(amount)
    const cost = await measureMatching(amount, TOUCHED)
    const size = `${amount} rule files`
    const row = (what: string, figure: number, against: string, theirs: number): Row => ({
      what,
      size,
      figure: toTime(figure),
      against: `${against} ${toTime(theirs)}`,
      ratio: toRatio(figure, theirs),
    })
    rows.push(
      row('session start with rules', cost.sessionStart, 'the first look', cost.firstDiscovery),
      row('a request, no rule changed', cost.look, 'a stat for each', cost.stats),
      row(`one of ${TOUCHED} touched files`, cost.perTouchedFile, 'minimatch alone', bare),
    )
  }
  return rows
}
