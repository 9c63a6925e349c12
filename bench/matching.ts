import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import picomatch from 'picomatch'
import type { EntryPart, History } from '../src/delivery/history.ts'
import { RuleFiles } from '../src/delivery/rule-files.ts'
import { SessionRules } from '../src/delivery/session-rules.ts'
import { touchedFiles } from '../src/delivery/touched-files.ts'
import { type Row, toRatio, toTime } from './measure.ts'

/** What rules cost, in milliseconds, with so many rule files and touched files. */
export type MatchingCost = {
  ruleFiles: number
  touchedFiles: number
  /** The first look at the disk, and the next one where nothing has changed: a session's start. */
  firstDiscovery: number
  sessionStart: number
  /** What one more touched file adds to the request that follows: matching it, and putting the rules in place. */
  perTouchedFile: number
  perRequest: number
}

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

/** Half of the rules match one file each, the others none: the files are matched against all that still wait. */
const writeRules = (folder: string, amount: number): void => {
  mkdirSync(folder, { recursive: true })
  for (let index = 0; index < amount; index++) {
    const glob = index % 2 === 0
      ? `src/area*/file${index}.{ts,tsx}`
      : `lib/**/other${index}*.ts, !lib/vendor/**`
    writeFileSync(join(folder, `rule-${index}.md`), `---\nglobs: "${glob}"\n---\nRule ${index}: be brief.\n`)
  }
}

/** Measures a session's start and one more touched file, by so many rule files and files touched one by one. */
export const measureMatching = async (ruleFiles: number, touched: number): Promise<MatchingCost> => {
  const folder = mkdtempSync(join(tmpdir(), 'sat-bench-'))
  try {
    writeRules(folder, ruleFiles)
    const files = new RuleFiles([{ scope: 'project', path: folder }], () => {}, () => {})
    const firstDiscovery = await timed(() => files.discover())
    const starts: Array<number> = []
    for (let round = 0; round < 5; round++) {
      starts.push(await timed(async () => new SessionRules(await files.discover())))
    }
    const rules = new SessionRules(await files.discover())
    const history = [{
      info: { id: 'msg_u', role: 'user', sessionID: 'ses' },
      parts: [],
    }] as unknown as History
    let joining = 0
    let inserting = 0
    for (let index = 0; index < touched; index++) {
      const info = { id: `msg_${index}`, role: 'assistant', sessionID: 'ses' } as History[number]['info']
      history.push({ info, parts: [readPart(index)] })
      const request = history.slice()
      joining += await timed(() =>
        rules.join(request, (part) => touchedFiles(part, { given: PLACE, real: PLACE }))
      )
      inserting += await timed(() => rules.insertInto(request))
    }
    return {
      ruleFiles,
      touchedFiles: touched,
      firstDiscovery,
      sessionStart: median(starts),
      perTouchedFile: joining / touched,
      perRequest: inserting / touched,
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Matching one path against so many compiled globs, which is the least that has to be done. */
const bareMatching = async (amount: number): Promise<number> => {
  const matchers = Array.from({ length: amount }, (_, index) => picomatch(`src/area*/file${index}.{ts,tsx}`))
  const rounds = 200
  return await timed(() => {
    for (let round = 0; round < rounds; round++) for (const isMatch of matchers) isMatch('src/area1/other.ts')
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
      row(`one of ${TOUCHED} touched files`, cost.perTouchedFile, 'picomatch alone', bare),
    )
  }
  return rows
}
