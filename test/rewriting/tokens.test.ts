import { expect } from 'bun:test'
import { definitionTokens, sumOf } from '../../bench/tokens.ts'
import { STRENGTHS } from '../../src/rule-schema.ts'
import { sharedHost } from '../harness/host.ts'
import { story } from '../harness/story.ts'
import { TOOL_NAMES } from '../harness/tool-names.ts'

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
  for (const strength of STRENGTHS) expect(definitionOf('parse-rules')).toContain(`"${strength}"`)
  expect(definitionOf('parse-rules')).toMatch(/avoid x, x only when.*ideally x, should, prefer, if possible/)
  expect(definitionOf('parse-rules')).toMatch(/instead of.*heading, glob.*exception.*first … last/)
  expect(definitionOf('format-rules')).toMatch(
    /one text each, same order, language of the file, any words/,
  )
  for (const mode of ['verbose', 'balanced', 'concise']) {
    expect(definitionOf('format-rules')).toContain(`${mode}:`.replace('balanced:', 'balanced (default):'))
  }
  expect(definitionOf('rewrite-rules')).toMatch(/the rest stays.*Without sources: replace the file/)
  expect(definitionOf('rewrite-rules')).toMatch(/what format-rules validated/)
  expect(definitionOf('parse-prompt')).toMatch(/format-prompt without tasks.*"required":\["intent"\]/)
  expect(definitionOf('format-prompt')).toMatch(/parse-prompt took/)
})
