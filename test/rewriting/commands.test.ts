import { expect } from 'bun:test'
import { readFileSync } from 'node:fs'
import { type Project, type Session, sharedHost, type ToolState } from '../harness/host.ts'
import { type ModelRequest, type Step, textOf } from '../harness/model.ts'
import { story } from '../harness/story.ts'
import { add, DISCOVER, discover, restore, rewrite, startInHost, write } from './writer-calls.ts'

type Typed = { said: string; outputs: Array<string>; states: Array<ToolState> }

/** What happens when the person types `/command text`: what the model reads, what the tools answer. */
const type = async (
  session: Session,
  command: string,
  text: string,
  ...steps: Array<Step>
): Promise<Typed> => {
  const { model } = await sharedHost()
  const asked = session.requests().length
  const before = (await session.messages()).length
  model.script(session.id, steps)
  await session.project.http('POST', `/session/${session.id}/command`, { command, arguments: text })
  const [request] = session.requests().slice(asked) as [ModelRequest]
  const states = (await session.messages()).slice(before).flatMap(({ parts }) => parts)
    .flatMap(({ state }) => state === undefined ? [] : [state])
  return {
    said: textOf(request.messages.findLast(({ role }) => role === 'user')!),
    outputs: states.map(({ output, error }) => output ?? error ?? ''),
    states,
  }
}

story("the commands are in the list with a description, and the person's own stay", async () => {
  const project = await startInHost(
    { 'rules.md': 'x\n', '.opencode/command/refine.md': '---\ndescription: my own\n---\nMine: $ARGUMENTS' },
    {
      instructions: ['rules.md'],
      command: { 'add-rule': { template: 'Also mine', description: 'my own too' } },
    },
  )
  const listed = await project.http<Array<{ name: string; description?: string; template: string }>>(
    'GET',
    '/command',
  )
  const descriptionOf = (name: string) => listed.find((one) => one.name === name)?.description
  expect(descriptionOf('rewrite-rules')).toMatch(/\[files\] \[mode\]/)
  expect(descriptionOf('restore-rules')).toMatch(/\[file\]/)
  expect(descriptionOf('refine')).toBe('my own')
  expect(descriptionOf('add-rule')).toBe('my own too')

  const session = await project.session()
  expect((await type(session, 'refine', 'a b')).said).toBe('Mine: a b')
  expect((await type(session, 'add-rule', '')).said).toBe('Also mine')
})

// A byte-order mark, Windows line ends, no end of the last line: all of it must come back.
const MESSY = '\uFEFF---\r\ntitle: x\r\n---\r\nno ternaries pls\r\nbe nice'

let shared: Promise<Project> | undefined
const ruleProject = (): Promise<
  Project
> => (shared ??= startInHost({ 'rules.md': 'be nice\n', 'messy.md': MESSY, 'other.md': 'other\n' }))

story('/rewrite-rules rewrites, and /restore-rules restores every byte', async () => {
  const project = await ruleProject()
  const session = await project.session()
  const rewritten = await type(
    session,
    'rewrite-rules',
    'messy.md concise',
    discover('messy.md'),
    rewrite('messy.md', '- do not use ternaries'),
  )
  expect(rewritten.said).toMatch(
    /discover-rules[\s\S]*parse-rules with the source[\s\S]*format-rules[\s\S]*rewrite-rules[\s\S]*\/restore-rules/,
  )
  expect(rewritten.said).toEndWith('Files and mode:\n\nmessy.md concise')
  expect(rewritten.outputs[1]).toContain('| messy.md | Success |')
  const clear = await project.read('messy.md')
  expect(clear).toContain('- do not use ternaries')

  const back = await type(session, 'restore-rules', 'messy.md', restore('messy.md'))
  expect(back.said).toMatch(/discover-rules[\s\S]*rewrite-rules[\s\S]*"latest"/)
  expect(back.said).toEndWith('\n\nmessy.md')
  // Not Bun's own reading, which drops the byte-order mark.
  expect(readFileSync(project.path('messy.md'), 'utf8')).toBe(MESSY)
  expect(back.states[0]?.title).toBe('1 file restored')
  const [, restored, kept] = /^Restored (.+) from .+\nBackup of .*: (.+)$/.exec(back.outputs[0]!) ?? []
  expect(restored).toBe(project.path('messy.md'))
  expect(await Bun.file(kept!).text()).toBe(clear)

  const other = write({ rules: '{"rules":[]}', restore: kept, files: '' })
  const again = await session.turn('no, the other one', other)
  expect(again.outputs[0]).toStartWith(`Restored ${project.path('messy.md')} from ${kept}`)
  expect(await project.read('messy.md')).toBe(clear)
  expect(await project.read('other.md')).toBe('other\n')
})

const TASK = { intent: 'Fix the price', targets: ['shop'], constraints: [], subtasks: [] }

story(
  '/add-rule and /refine give the model the text letter by letter, and make sense without one',
  async () => {
    const project = await ruleProject()
    const session = await project.session()
    const text = 'never use "any", it\'s $1 worth $$5, $& and $ARGUMENTS\n  `x`'
    const adding = add({ rules: JSON.stringify({ rules: ['Rule: do not use any'] }) })
    const added = await type(session, 'add-rule', text, DISCOVER, adding)
    expect(added.said).toMatch(
      /discover-rules[\s\S]*says the same[\s\S]*contrary[\s\S]*source[\s\S]*parse-rules[\s\S]*add-rules/,
    )
    expect(added.said).toEndWith(`The rule:\n\n${text}`)
    expect(await project.read('rules.md')).toBe('be nice\n\nRule: do not use any\n')

    const tasks = JSON.stringify({ tasks: [TASK] })
    const calls = [{ tool: 'parse-prompt', args: { tasks } }, { tool: 'format-prompt' }]
    const refined = await type(session, 'refine', text, ...calls)
    expect(refined.said).toMatch(/parse-prompt[\s\S]*format-prompt without tasks[\s\S]*tree/)
    expect(refined.said).toEndWith(`\n\n${text}`)
    expect(refined.states[1]?.input).toEqual({})
    expect(refined.outputs[1]).toBe(
      '1. Fix the price\n  > Targets: shop\n\nRendered: what parse-prompt last took (1 task).',
    )

    for (const command of ['add-rule', 'refine']) {
      const { said } = await type(session, command, '  ')
      expect(said).toMatch(/Without a \w+ below, ask for it/)
      expect(said.trim().split('\n').length).toBeLessThanOrEqual(5)
    }
  },
)
