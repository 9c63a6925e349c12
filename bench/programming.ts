/** A recorded session that programs, with SAT and without: its edits, failed edits, requests and input tokens. */
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { program, type Programmed, SETTINGS } from '../test/formatting/programming.ts'
import { startHost } from '../test/harness/host.ts'
import { type Row, toRatio } from './measure.ts'

/** The tokens of all requests of a session: their messages and their tools, by o200k. */
const inputTokens = ({ requests }: Programmed): number =>
  requests.reduce(
    (sum, { messages, tools }) =>
      sum + countTokens(JSON.stringify(messages)) + countTokens(JSON.stringify(tools)),
    0,
  )

export default async (): Promise<Array<Row>> => {
  const host = await startHost({ plugin: [] })
  const [sat, bare] = [await program(host, SETTINGS.with), await program(host, SETTINGS.without)]
  await host.stop()
  if (JSON.stringify(sat.files) !== JSON.stringify(bare.files)) throw new Error('SAT left other files')
  const row = (what: string, of: (played: Programmed) => number): Row => ({
    what: `a session that programs: ${what}`,
    size: `${sat.edits} edits planned`,
    figure: of(sat).toLocaleString('en'),
    against: `without SAT ${of(bare).toLocaleString('en')}`,
    ratio: toRatio(of(sat), of(bare)),
  })
  return [
    row('edits', ({ edits }) => edits),
    row('failed edits', ({ failed }) => failed),
    row('requests', ({ requests }) => requests.length),
    row('input tokens', inputTokens),
  ]
}
