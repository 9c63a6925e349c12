import { expect } from 'bun:test'
import { readFileSync } from 'node:fs'
import { type Project, type Session, sharedHost, type ToolState, type Turn } from '../harness/host.ts'
import { type ModelRequest, type Step, textOf } from '../harness/model.ts'
import { story } from '../harness/story.ts'

const rulesOf = (...rules: Array<string>) => JSON.stringify({ rules })

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

const start = async (files: Record<string, string | Uint8Array>, config = {}): Promise<Project> => {
  const instructions = Object.keys(files).filter((path) => !path.startsWith('.opencode'))
  return (await sharedHost()).project({ files, config: { instructions, ...config } })
}

story("the commands are in the list with a description, and the person's own stay", async () => {
  const project = await start(
    { 'rules.md': 'x\n', '.opencode/command/refine.md': '---\ndescription: my own\n---\nMine: $ARGUMENTS' },
    { command: { 'add-rule': { template: 'Also mine', description: 'my own too' } } },
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

/** `/rewrite-rules rules.md concise`, and a model that does what it says. */
const rewriteByCommand = async (session: Session): Promise<void> => {
  const rewritten = await type(
    session,
    'rewrite-rules',
    'rules.md concise',
    { tool: 'discover-rules', args: { files: 'rules.md' } },
    {
      tool: 'rewrite-rules',
      args: { rules: rulesOf('- do not use ternaries'), files: 'rules.md', mode: 'concise' },
    },
  )
  expect(rewritten.said).toMatch(
    /discover-rules[\s\S]*parse-rules with the source[\s\S]*format-rules[\s\S]*rewrite-rules[\s\S]*\/restore-rules/,
  )
  expect(rewritten.said).toEndWith('Files and mode:\n\nrules.md concise')
  expect(rewritten.outputs[1]).toContain('| rules.md | Success |')
}

story('/rewrite-rules rewrites, and /restore-rules restores every byte', async () => {
  const project = await start({ 'rules.md': MESSY, 'other.md': 'other\n' })
  const session = await project.session()
  await rewriteByCommand(session)
  const clear = await project.read('rules.md')
  expect(clear).toContain('- do not use ternaries')

  const back = await type(
    session,
    'restore-rules',
    'rules.md',
    { tool: 'discover-rules', args: { files: 'rules.md' } },
    { tool: 'rewrite-rules', args: { restore: 'latest', files: 'rules.md' } },
  )
  expect(back.said).toMatch(/discover-rules[\s\S]*rewrite-rules[\s\S]*"latest"/)
  expect(back.said).toEndWith('\n\nrules.md')
  // Not Bun's own reading, which drops the byte-order mark.
  expect(readFileSync(project.path('rules.md'), 'utf8')).toBe(MESSY)
  expect(back.states[1]?.title).toBe('1 file restored')
  const [, restored, kept] = /^Restored (.+) from .+\nBackup of .*: (.+)$/.exec(back.outputs[1]!) ?? []
  expect(restored).toBe(project.path('rules.md'))
  expect(await Bun.file(kept!).text()).toBe(clear)

  const again = await session.turn('no, the other one', {
    tool: 'rewrite-rules',
    args: { rules: '{"rules":[]}', restore: kept, files: '' },
  })
  expect(again.outputs[0]).toStartWith(`Restored ${project.path('rules.md')} from ${kept}`)
  expect(await project.read('rules.md')).toBe(clear)
  expect(await project.read('other.md')).toBe('other\n')
})

story('a restore is held to all that a rewrite is held to', async () => {
  const project = await start({ 'a.md': 'a\n', 'b.md': 'b\n', 'c.md': 'c\n' })
  const session = await project.session()
  const restore = (files?: string, backup = 'latest') => ({
    tool: 'rewrite-rules',
    args: { restore: backup, ...(files === undefined ? {} : { files }) },
  })
  const turn = (...steps: Array<Step>): Promise<Turn> => session.turn('go on', ...steps)

  expect((await turn(restore('a.md'))).outputs[0]).toContain('Call discover-rules first')
  const { outputs } = await turn({ tool: 'discover-rules' }, restore(), {
    tool: 'rewrite-rules',
    args: { rules: rulesOf('- x'), files: 'a.md,b.md', mode: 'concise', restore: '' },
  }, [
    restore(),
    restore('c.md'),
    restore('a.md', '/etc/hostname'),
    { tool: 'rewrite-rules', args: { rules: rulesOf('- y'), restore: 'latest', files: 'a.md' } },
    { tool: 'rewrite-rules', args: {} },
  ])
  expect(outputs[1]).toBe('None of the discovered files has such a backup, so nothing was written.')
  const [several, none, foreign, both, neither] = outputs.slice(3)
  expect(several).toContain(`Name one in "files": ${project.path('a.md')}, ${project.path('b.md')}`)
  expect(none).toContain(`Not restored: ${project.path('c.md')}: there is no backup of it`)
  expect(foreign).toContain('no backup of it is called /etc/hostname')
  expect(both).toContain('not both')
  expect(neither).toMatch(/\brules\b.*(?:missing|left out)/)
  expect(await project.read('a.md')).toBe('- x\n')

  const planned = await session.turnAs({ agent: 'plan' }, 'only plan', restore('a.md, b.md'))
  expect(planned.tools[0]?.state.status).toBe('error')
  expect(await project.read('a.md')).toBe('- x\n')

  project.write('a.md', 'by hand\n')
  expect((await turn(restore('a.md'))).outputs[0]).toContain('it changed since discover-rules showed it')
  const last = await turn({ tool: 'discover-rules' }, restore('a.md'), restore('a.md'), restore('a.md, b.md'))
  expect(last.outputs[1]).toStartWith('Restored')
  expect(last.tools[3]?.state.title).toBe('2 files restored')
  expect(await project.read('b.md')).toBe('b\n')
})

const TASK = { intent: 'Fix the price', targets: ['shop'], constraints: [], subtasks: [] }

story(
  '/add-rule and /refine give the model the text letter by letter, and make sense without one',
  async () => {
    const project = await start({ 'rules.md': 'be nice\n' })
    const session = await project.session()
    const text = 'never use "any", it\'s $1 worth $$5, $& and $ARGUMENTS\n  `x`'
    const added = await type(
      session,
      'add-rule',
      text,
      { tool: 'discover-rules' },
      { tool: 'add-rules', args: { rules: rulesOf('Rule: do not use any') } },
    )
    expect(added.said).toMatch(
      /discover-rules[\s\S]*says the same[\s\S]*contrary[\s\S]*source[\s\S]*parse-rules[\s\S]*add-rules/,
    )
    expect(added.said).toEndWith(`The rule:\n\n${text}`)
    expect(await project.read('rules.md')).toBe('be nice\n\nRule: do not use any\n')

    const refined = await type(session, 'refine', text, {
      tool: 'parse-prompt',
      args: { tasks: JSON.stringify({ tasks: [TASK] }) },
    }, { tool: 'format-prompt' })
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
