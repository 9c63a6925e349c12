import { expect } from 'bun:test'
import { definitionTokens, sumOf } from '../bench/tokens.ts'
import { STRENGTHS } from '../src/rule-schema.ts'
import { sharedHost } from './host.ts'
import { story } from './story.ts'
import { TOOL_NAMES } from './tool-names.ts'

story('all seven definitions together cost a request at most 900 tokens', async () => {
  const session = await (await sharedHost()).project().session()
  const { requests } = await session.turn('hello', 'hi')
  const tokens = definitionTokens(requests[0]!.tools)
  expect([...tokens.keys()].toSorted()).toEqual(TOOL_NAMES.toSorted())
  expect(sumOf(tokens)).toBeLessThanOrEqual(900)
  expect(sumOf(tokens)).toBeGreaterThan(500)

  const definitionOf = (name: string) =>
    JSON.stringify(requests[0]!.tools.find((tool) => tool.function.name === name)!.function)
  expect(definitionOf('discover-rules')).toMatch(
    /discover-rules.*parse-rules.*format-rules.*rewrite-rules.*add-rules/,
  )
  for (const strength of STRENGTHS) {
    expect(definitionOf('parse-rules')).toContain(strength)
    expect(definitionOf('format-rules')).toMatch(new RegExp(`${strength} \\\\"[^"]*\\bx\\b`))
  }
  for (const mode of ['verbose', 'balanced', 'concise']) {
    expect(definitionOf('format-rules')).toContain(`${mode}`)
  }
  expect(definitionOf('rewrite-rules')).toMatch(/call a file/)
  expect(definitionOf('rewrite-rules')).toMatch(/last validated/)
})
