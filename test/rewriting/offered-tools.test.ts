/** What a model is told of the seven tools, and which requests offer them: the option `tools`. */
import { expect } from 'bun:test'
import { definitionTokens, sumOf } from '../../bench/tokens.ts'
import { STRENGTHS } from '../../src/rule-schema.ts'
import { CHECKOUT, type Session, sharedHost } from '../harness/host.ts'
import type { ModelRequest, Step } from '../harness/model.ts'
import { story } from '../harness/story.ts'
import { TOOL_NAMES } from '../harness/tool-names.ts'

const start = async (tools: unknown): Promise<Session> => {
  const files = { 'AGENTS.md': 'be nice\n', '.opencode/rules/a.md': 'Use tabs.\n' }
  return (await sharedHost()).project({ files, config: { plugin: [[CHECKOUT, { tools }]] } }).session()
}

const offered = ({ tools }: ModelRequest): Array<string> =>
  tools.map((tool) => tool.function.name).filter((name) => TOOL_NAMES.includes(name)).sort()

/** Types a command; gives its requests. */
const type = async (session: Session, command: string, ...steps: Array<Step>) => {
  const asked = session.requests().length
  const { model } = await sharedHost()
  model.script(session.id, steps)
  await session.project.http('POST', `/session/${session.id}/command`, { command, arguments: '' })
  return session.requests().slice(asked)
}

const ALL = TOOL_NAMES.toSorted()

/** Lists come as lists, the modes by name, and all seven for at most 900 tokens. */
const expectDefinitions = (request: ModelRequest): void => {
  const tokens = definitionTokens(request.tools)
  expect([...tokens.keys()].toSorted()).toEqual(TOOL_NAMES.toSorted())
  expect(sumOf(tokens)).toBeLessThanOrEqual(900)
  expect(sumOf(tokens)).toBeGreaterThan(500)

  const functionOf = (name: string) => request.tools.find((tool) => tool.function.name === name)!.function
  const definitionOf = (name: string) => JSON.stringify(functionOf(name))
  expect(definitionOf('discover-rules')).toMatch(
    /discover-rules.*parse-rules.*format-rules.*rewrite-rules.*add-rules/,
  )
  for (const strength of STRENGTHS) expect(definitionOf('parse-rules')).toContain(`"${strength}"`)
  expect(definitionOf('parse-rules')).toMatch(
    /avoid x, x only when.*ideally x, should, prefer, if possible/,
  )
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

  const { description, parameters } = functionOf('format-rules')
  expect(description).toContain('do not')
  expect(parameters).toMatchObject({
    type: 'object',
    properties: {
      rules: { type: 'array', items: { type: 'string' }, description: expect.any(String) },
      mode: { enum: ['verbose', 'balanced', 'concise'] },
    },
    required: ['rules'],
  })
  expect(functionOf('discover-rules').parameters).not.toHaveProperty('required')
}

story(
  '"commands" offers all seven tools in each request of a turn that a command of SAT began, and in no other',
  async () => {
    const session = await start('commands')
    const { requests } = await session.turn('hello', 'hi')
    expect(requests.map(offered)).toEqual([[]])
    const typed = await type(session, 'rewrite-rules', { tool: 'discover-rules' }, 'done')
    expect(typed.map(offered)).toEqual([ALL, ALL])
    expectDefinitions(typed[0]!)
    expect((await session.turn('and now', 'hi')).requests.map(offered)).toEqual([[]])
    const fresh = await session.project.session()
    expect((await type(fresh, 'rewrite-rules', 'done')).map(offered)).toEqual([ALL])
  },
)

story('false offers no tools and no commands; rules are sent all the same', async () => {
  const session = await start(false)
  const { requests: [request] } = await session.turn('hello', 'hi')
  expect(offered(request!)).toEqual([])
  expect(JSON.stringify(request)).toContain('Use tabs.')
  const commands = await session.project.http<Array<{ name: string }>>('GET', '/command')
  expect(commands.map(({ name }) => name)).not.toContain('rewrite-rules')
})
