import { expect } from 'bun:test'
import { definitionTokens, sumOf } from '../bench/tokens.ts'
import { STRENGTHS } from '../src/rule-schema.ts'
import { sharedHost } from './host.ts'
import { story } from './story.ts'
import { TOOL_NAMES } from './tool-names.ts'

story('all seven definitions together cost a request at most 850 tokens', async () => {
  const session = await (await sharedHost()).project().session()
  const { requests } = await session.turn('hello', 'hi')
  const tokens = definitionTokens(requests[0]!.tools)
  expect([...tokens.keys()].toSorted()).toEqual(TOOL_NAMES.toSorted())
  expect(sumOf(tokens)).toBeLessThanOrEqual(850)
  expect(sumOf(tokens)).toBeGreaterThan(500)

  const definitionOf = (name: string) =>
    JSON.stringify(requests[0]!.tools.find((tool) => tool.function.name === name)!.function)
  expect(definitionOf('discover-rules')).toMatch(
    /discover-rules.*parse-rules.*format-rules.*rewrite-rules.*add-rules/,
  )
  for (const strength of STRENGTHS) {
    expect(definitionOf('parse-rules')).toMatch(new RegExp(`${strength} \\([^)]*\\bx\\b`))
  }
  expect(definitionOf('parse-rules')).toMatch(/only when.*should, prefer, avoid where possible/)
  expect(definitionOf('parse-rules')).toMatch(/reason optional.*instead of.*heading, glob.*exceptions/)
  expect(definitionOf('format-rules')).toMatch(
    /one text for each, same order, language of the file, any wording/,
  )
  for (const mode of ['verbose', 'balanced', 'concise']) {
    expect(definitionOf('format-rules')).toContain(`${mode}:`.replace('balanced:', 'balanced (default):'))
  }
  expect(definitionOf('rewrite-rules')).toMatch(/no rule .*is lost.* call a file/)
  expect(definitionOf('rewrite-rules')).toMatch(/last validated/)
  expect(definitionOf('parse-prompt')).toMatch(/format-prompt without tasks.*object.*only intent is required/)
  expect(definitionOf('format-prompt')).toMatch(/last took/)
})
