import { describe, expect, test } from 'bun:test'
import { sharedHost } from './host.ts'

const TOOLS = [
  'discover-rules',
  'parse-rules',
  'format-rules',
  'rewrite-rules',
  'add-rules',
  'parse-prompt',
  'format-prompt',
]

describe('in a real session', () => {
  test('all seven tools are offered to the model', async () => {
    const host = await sharedHost()
    const session = await host.project().session()
    const turn = await session.turn('hello', 'hi')
    const names = turn.requests[0]!.tools.map((tool) => tool.function.name)
    expect(names).toEqual(expect.arrayContaining(TOOLS))
    console.log(
      JSON.stringify(turn.requests[0]!.tools.filter((t) => TOOLS.includes(t.function.name)), null, 1),
    )
  })
  test('rewrite', async () => {
    const host = await sharedHost()
    const project = host.project({
      files: { 'AGENTS.md': 'be nice\n' },
      config: { instructions: ['AGENTS.md'] },
    })
    const session = await project.session()
    const turn = await session.turn('hello', { tool: 'discover-rules' }, [
      {
        tool: 'parse-rules',
        args: { rules: '{"rules":[{"strength":"must","action":"","target":"x","raeson":"y"}]}' },
      },
      { tool: 'parse-rules', args: { rule: 'x' } },
      { tool: 'format-rules', args: { rules: 'not json', mode: 'fancy', x: 1 } },
      { tool: 'format-rules', args: { rules: 'not json' } },
      { tool: 'format-rules', args: { rules: 7 } },
    ], {
      tool: 'rewrite-rules',
      args: { rules: '{"rules":["- a","- b"]}', mode: 'concise' },
    }, 'done')
    for (const t of turn.tools) console.log(t.state.title, '\n', t.state.output, t.state.error)
    expect(await project.read('AGENTS.md')).toBe('- a\n- b\n')
  })
})
