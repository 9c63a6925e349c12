/** What others do while files are written and formatted: plugins, a person's answers, abort and undo. */
import { expect } from 'bun:test'
import { existsSync } from 'node:fs'
import { CHECKOUT, type Project, type Session } from '../harness/host.ts'
import { questionsOf, reply, replyToNext } from '../harness/permissions.ts'
import { story } from '../harness/story.ts'
import { edit, seen, startWith, stored, write } from './session.ts'

const SPACES = "sed -i 's/ *= */ = /' {path}"

const startCommands = (format_on_save: Record<string, unknown>, more: Record<string, unknown> = {}) =>
  startWith({ plugin: [[CHECKOUT, { format_on_save }]], ...more }, {
    files: { 'a.js': 'a=0\nb=0\n', 'other.js': 'o=0\n' },
  })

const OTHER_PLUGIN = `export default async () => ({
  'tool.execute.before': async (_, { args }) => {
    args.replaceAll = undefined
    args.extra = undefined
  },
})`

story("an argument without a value that another plugin's hook adds does not reach the history", async () => {
  const format_on_save = { '*.js': SPACES }
  const { project, session } = await startWith({ plugin: [[CHECKOUT, { format_on_save }], './other.mjs'] }, {
    files: { 'other.mjs': OTHER_PLUGIN, 'a.js': 'a=0\n' },
  })
  const turn = await session.turn('go', edit(project, 'a.js', 'a=0', 'a=1'))
  const shown = { filePath: project.path('a.js'), oldString: 'a=0', newString: 'a = 1' }
  expect(await project.read('a.js')).toBe('a = 1\n')
  expect(seen(turn)).toEqual([shown])
  expect(await stored(session)).toEqual([shown])
})

/** Lets the first part of a message that a plugin stores fail. */
const FULL_STORE = `export default async ({ client: { _client: http } }) => {
  const { patch } = http
  let calls = 0
  http.patch = (given) => calls++ === 0 ? Promise.resolve({ error: { message: 'full' } }) : patch(given)
  return {}
}`

story('a correction that could not be stored is stored when the turn has ended', async () => {
  const format_on_save = { '*.js': SPACES }
  const { project, session } = await startWith({ plugin: [[CHECKOUT, { format_on_save }], './full.mjs'] }, {
    files: { 'full.mjs': FULL_STORE },
  })
  const turn = await session.turn('go', write(project, 'a.js', 'a=1\n'), write(project, 'b.js', 'b=1\n'))
  expect(seen(turn)).toMatchObject([{ content: 'a = 1\n' }, { content: 'b = 1\n' }])
  for (let wait = 0; wait < 50 && (await stored(session))[0]!['content'] === 'a=1\n'; wait += 1) {
    await Bun.sleep(100)
  }
  expect(await stored(session)).toEqual(seen(turn))
})

story('a read, and another session, do not wait for the answer to a call', async () => {
  const { project, session } = await startCommands({ '*.js': SPACES }, { permission: { edit: 'ask' } })
  const other = await project.session()
  const going = session.turn('go', [
    edit(project, 'a.js', 'a=0', 'a=1'),
    { tool: 'read', args: { filePath: project.path('a.js') } },
    edit(project, 'other.js', 'o=0', 'o=1'),
  ])
  const [first, second] = await questionsOf(session, 2)
  const isRead = async () =>
    (await session.messages()).some(({ parts }) =>
      parts.some(({ tool, state }) => tool === 'read' && state?.status === 'completed')
    )
  while (!(await isRead())) await Bun.sleep(100)
  const others = other.turn(
    'go',
    { tool: 'read', args: { filePath: project.path('a.js') } },
    write(project, 'new.js', 'n=1\n'),
  )
  await replyToNext(other, 'once')
  expect(seen(await others).at(-1)!.content).toBe('n = 1\n')
  // Both questions of the first session are still open.
  expect(await questionsOf(session, 2)).toHaveLength(2)
  for (const question of [first!, second!]) await reply(session, question, 'once')
  await going
  expect(await project.read('other.js')).toBe('o = 1\n')
})

story('a call that is aborted while it waits for a formatter keeps no later call waiting', async () => {
  const { project, session } = await startCommands({
    '*.js': `touch begun; until [ -e ended ]; do sleep 0.05; done; ${SPACES}`,
  })
  const others = (await project.session()).turn('go', edit(project, 'a.js', 'a=0', 'a=1'))
  await reached(project)
  const going = session.turn('go', edit(project, 'a.js', 'b=0', 'b=1'))
  while (!(await session.messages()).some(({ parts }) => parts.some(({ tool }) => tool === 'edit'))) {
    await Bun.sleep(100)
  }
  // A person is not that quick, and the host is still writing down that the call runs.
  await Bun.sleep(500)
  await project.http('POST', `/session/${session.id}/abort`)
  await going
  project.write('ended', '')
  await others
  const start = Date.now()
  const turn = await session.turn('go', edit(project, 'a.js', 'b = 0', 'b=2'))
  expect(turn.outputs[0]).toStartWith('Edit applied successfully.')
  // The limit of such a wait is a minute.
  expect(Date.now() - start).toBeLessThan(50_000)
})

const SLOW = `touch begun; sleep 5; ${SPACES}`

/** Takes back what the last turn did, and waits until no formatter runs on the file. */
const undo = async (project: Project, session: Session): Promise<void> => {
  const asked = (await session.messages()).findLast(({ info }) => info.role === 'user')!
  await project.http('POST', `/session/${session.id}/revert`, { messageID: asked.info.id })
  await (await project.session()).turn('go', edit(project, 'a.js', 'is not there', 'x'))
}

const reached = async (project: Project): Promise<void> => {
  while (!existsSync(project.path('begun'))) await Bun.sleep(20)
}

story('a turn that is aborted and undone while a formatter runs leaves the file as before it', async () => {
  const { project, session } = await startCommands({ '*.js': SLOW }, { snapshot: true })
  const going = session.turn('go', edit(project, 'a.js', 'a=0', 'a=1'))
  await reached(project)
  await project.http('POST', `/session/${session.id}/abort`)
  await going
  await undo(project, session)
  expect(await project.read('a.js')).toBe('a=0\nb=0\n')
})

story(
  'what a formatter changes right after an undo, before the host tells of it, is undone as well',
  async () => {
    const { project, session } = await startCommands({
      when: 'turn',
      '*.js': `touch begun; until grep -q a=0 {path}; do sleep 0.01; done; ${SPACES}; touch ended`,
    }, { snapshot: true })
    await session.turn('go', edit(project, 'a.js', 'a=0', 'a=1'))
    await reached(project)
    await undo(project, session)
    expect(await project.read('a.js')).toBe('a=0\nb=0\n')
  },
)

story('a turn that is undone while what it left is formatted leaves the file as before it', async () => {
  const { project, session } = await startCommands({ when: 'turn', '*.js': SLOW }, { snapshot: true })
  await session.turn('go', edit(project, 'a.js', 'a=0', 'a=1'))
  await reached(project)
  await undo(project, session)
  expect(await project.read('a.js')).toBe('a=0\nb=0\n')
})
