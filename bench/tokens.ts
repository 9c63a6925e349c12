/**
 * What SAT's tool definitions cost: their tokens in every request that the host sends to a model.
 *
 *     bun bench/tokens.ts
 */
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { startHost } from '../test/host.ts'
import type { ModelTool } from '../test/model.ts'

export const TOOL_NAMES = [
  'discover-rules',
  'parse-rules',
  'format-rules',
  'rewrite-rules',
  'add-rules',
  'parse-prompt',
  'format-prompt',
]

/** The tokens of each of SAT's definitions (name, description, JSON Schema) in a request's tools, by o200k. */
export const definitionTokens = (offered: Array<ModelTool>): Map<string, number> =>
  new Map(
    offered
      .filter(({ function: { name } }) => TOOL_NAMES.includes(name))
      .map((tool) => [tool.function.name, countTokens(JSON.stringify(tool))]),
  )

/** The sum of all definitions. */
export const sumOf = (tokens: Map<string, number>): number =>
  [...tokens.values()].reduce((sum, amount) => sum + amount, 0)

if (import.meta.main) {
  const host = await startHost()
  const { requests } = await (await host.project().session()).turn('hello', 'hi')
  const tokens = definitionTokens(requests[0]!.tools)
  for (const [name, amount] of tokens) console.log(`${name.padEnd(16)}${String(amount).padStart(5)}`)
  console.log(`${'all'.padEnd(16)}${String(sumOf(tokens)).padStart(5)}`)
  await host.stop()
}
