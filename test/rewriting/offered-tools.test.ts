/** The option `tools`: which requests offer the seven tools. */
import { expect } from 'bun:test'
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

/** Types a command; gives what each of its requests offers. */
const type = async (
  session: Session,
  command: string,
  ...steps: Array<Step>
): Promise<Array<Array<string>>> => {
  const asked = session.requests().length
  const { model } = await sharedHost()
  model.script(session.id, steps)
  await session.project.http('POST', `/session/${session.id}/command`, { command, arguments: '' })
  return session.requests().slice(asked).map(offered)
}

const ALL = TOOL_NAMES.toSorted()

story(
  '"commands" offers the tools in each request of a turn that a command of SAT began, and in no other',
  async () => {
    const session = await start('commands')
    const { requests } = await session.turn('hello', 'hi')
    expect(requests.map(offered)).toEqual([[]])
    expect(await type(session, 'rewrite-rules', { tool: 'discover-rules' }, 'done')).toEqual([ALL, ALL])
    expect((await session.turn('and now', 'hi')).requests.map(offered)).toEqual([[]])
    const fresh = await session.project.session()
    expect(await type(fresh, 'rewrite-rules', 'done')).toEqual([ALL])
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
