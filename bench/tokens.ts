/** Counts the tokens of SAT's tool definitions, which the host (OpenCode) sends in every request. */
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { DESCRIPTIONS } from '../src/tools/descriptions.ts'
import { startHost } from '../test/harness/host.ts'
import type { ModelTool } from '../test/harness/model.ts'
import { type Bench, toRow } from './measure.ts'

/** Maps the name of each of SAT's tools to the tokens of its definition. */
export const definitionTokens = (offered: Array<ModelTool>): Map<string, number> =>
  new Map(
    offered
      .filter(({ function: { name } }) => name in DESCRIPTIONS)
      .map((tool) => [tool.function.name, countTokens(JSON.stringify(tool))]),
  )

export const sumOf = (tokens: Map<string, number>): number =>
  [...tokens.values()].reduce((sum, count) => sum + count, 0)

const bench: Bench = async () => {
  await using host = await startHost()
  const { requests } = await (await host.project().session()).turn('hello', 'hi')
  const offered = requests[0]!.tools
  const tokens = definitionTokens(offered)
  const hostTools = offered.filter(({ function: { name } }) => !tokens.has(name))
  const hostTokens = countTokens(JSON.stringify(hostTools))
  const label = { label: 'tool definitions', size: 'all seven', baseline: "the host's own" }
  return [toRow(label, sumOf(tokens), hostTokens, (count) => `${count} tokens`)]
}

export default bench
