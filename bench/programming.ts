/** Replays recorded programming sessions with and without SAT, and counts edits, requests and input tokens. */
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import {
  RECORDED_SESSIONS,
  type RecordedSession,
  type Replay,
  replay,
} from '../test/formatting/programming.ts'
import { type Host, startHost } from '../test/harness/host.ts'
import { type Bench, type Row, toRow } from './measure.ts'

const inputTokens = ({ requests }: Replay): number =>
  requests.flatMap(({ messages, tools }) => [messages, tools])
    .reduce((sum, input) => sum + countTokens(JSON.stringify(input)), 0)

const rowsOf = async (host: Host, recorded: RecordedSession): Promise<Array<Row>> => {
  const { name, benchSetting, edits: plannedEdits } = recorded
  const withSat = await replay(host, recorded, benchSetting)
  const withoutSat = await replay(host, recorded, 'without SAT')
  // If the two replays end with different files, their counts cannot be compared.
  if (JSON.stringify(withSat.files) !== JSON.stringify(withoutSat.files)) {
    throw new Error(`${name}: the files at the end are not the same with SAT as without it`)
  }
  const row = (counted: string, countOf: (replayed: Replay) => number): Row => {
    const label = `a session that programs, ${name}: ${counted}`
    const names = { label, size: `${plannedEdits} edits planned`, baseline: 'without SAT' }
    return toRow(names, countOf(withSat), countOf(withoutSat), (count) => count.toLocaleString('en'))
  }
  return [
    row('edits', ({ edits }) => edits),
    row('failed edits', ({ failed }) => failed),
    row('requests', ({ requests }) => requests.length),
    row('input tokens', inputTokens),
  ]
}

const bench: Bench = async () => {
  await using host = await startHost({ plugin: [] })
  const rows: Array<Row> = []
  for (const recorded of RECORDED_SESSIONS) rows.push(...await rowsOf(host, recorded))
  return rows
}

export default bench
