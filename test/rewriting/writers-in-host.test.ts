/** Writers where the host asks, refuses, opens sessions or runs calls at once. */
import { expect } from 'bun:test'
import { lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { CHECKOUT, type Project, sharedHost } from '../harness/host.ts'
import { answering, questionsOf, reply, replyToNext } from '../harness/permissions.ts'
import { story } from '../harness/story.ts'
import { append, DISCOVER, discover, restore, rewrite, textsOf, write } from './writer-calls.ts'

const DENIED = ['denied/a.md', 'denied/b.md', 'denied/c.md']
// The names of the backups of the first end in a blank, too.
const ASKED = ['ask/new/rules.md ', 'ask/b.md'] as const
const OPEN = ['ask/open/a.md', 'ask/open/b.md', 'ask/open/c.md', 'ask/open/d.md'] as const
const PATHS = [...DENIED, ...ASKED, ...OPEN, 'at-once/rules.md', 'at-once/more.md', 'child.md']

/** A project where edits are asked for in one folder, and a file next to it that is loaded as well. */
const makeProject = async (): Promise<Project & { outside: string }> => {
  const files = Object.fromEntries(PATHS.map((path) => [path, 'old\n']))
  const project = (await sharedHost()).project({ files, git: true })
  const outside = join(`${project.directory}-evil`, 'rules.md')
  mkdirSync(`${project.directory}-evil`)
  writeFileSync(outside, 'old\n')
  symlinkSync(outside, project.path('link.md'))
  const config = {
    plugin: [CHECKOUT],
    instructions: [...PATHS, outside],
    // Not `*`: that would be for the plan agent, too.
    permission: { edit: { 'ask/*': 'ask', 'denied/b.md': 'deny' } },
    agent: { strict: { mode: 'primary', prompt: 'Be strict.', permission: { edit: 'deny' } } },
  }
  project.write('opencode.json', JSON.stringify(config))
  return { ...project, outside }
}

let shared: ReturnType<typeof makeProject> | undefined
const start = () => (shared ??= makeProject())

story('where the config or the agent denies edits, nothing is written and the model reads why', async () => {
  const project = await start()
  const session = await project.session()
  const { outputs, tools } = await session.turn(
    'write',
    DISCOVER,
    rewrite(DENIED.join(), '- new'),
    restore('denied/b.md, denied/a.md, denied/c.md'),
  )
  expect(outputs[1]).toMatch(/^\| b\.md +\| Refused/m)
  expect(outputs[1]?.match(/\| Success/g)).toHaveLength(2)
  expect(tools[2]?.state.title).toBe('2 files restored')
  const writers = [rewrite('denied/a.md', '- x'), append('denied/a.md', '- x'), restore('denied/a.md')]
  for (const agent of ['plan', 'strict']) {
    const { tools } = await session.turnAs({ agent }, 'write', [DISCOVER, ...writers])
    expect(tools.map(({ state }) => state.status)).toEqual(['completed', 'error', 'error', 'error'])
    for (const { state } of tools.slice(1)) expect(state.error).toMatch(/rule|permission/i)
  }
  expect(await textsOf(project, ...DENIED)).toEqual(['old\n', 'old\n', 'old\n'])
})

story('where edits are asked for, the person sees the diff, and a no or a yes is obeyed', async () => {
  const project = await start()
  const [gone, asked] = ASKED
  const path = project.path(gone)
  const session = await project.session()
  const both = write({ rules: ['- new'], files: [...ASKED] })
  const rejected = await answering(session, ['reject'], session.turn('write', DISCOVER, both))
  expect(rejected.asked).toMatchObject([{ permission: 'edit', patterns: [gone] }])
  expect(rejected.asked[0]?.metadata).toEqual({
    filepath: path,
    diff: `--- ${gone}\n+++ ${gone}\n@@ -1,1 +1,1 @@\n-old\n+- new\n`,
  })
  expect(rejected.turn.tools[1]?.state.status).toBe('error')
  expect(await textsOf(project, ...ASKED)).toEqual(['old\n', 'old\n'])

  const writing = session.turn('write', both, append(asked, '- more'))
  const { turn: { tools, outputs } } = await answering(session, ['once', 'reject', 'once'], writing)
  expect(tools[0]?.state.status).toBe('completed')
  expect(outputs[0]).toMatch(/^\| b\.md +\| Refused +\|/m)
  expect(outputs[0]).toContain(`Not written: ${project.path(asked)}: permission refused`)
  expect(outputs[1]).toBe(`Added 1 rule(s) to ${project.path(asked)}`)
  expect(await textsOf(project, ...ASKED)).toEqual(['- new\n', 'old\n\n- more\n'])

  Bun.spawnSync(['rm', '-r', project.path('ask/new')])
  const other = await project.session()
  const restoring = restore([gone])
  const refused = await answering(other, ['reject'], other.turn('restore', restoring))
  expect(refused.turn.tools[0]?.state.status).toBe('error')
  expect(await Bun.file(path).exists()).toBe(false)
  const restored = await answering(other, ['once'], other.turn('restore', restoring))
  expect(restored.turn.outputs[0]).toStartWith(`Restored ${path} from `)
  expect(await project.read(gone)).toBe('old\n')
})

story(
  'outside the project a write asks for the directory: by absolute path, by .., by link, by glob',
  async () => {
    const { outside, ...project } = await start()
    const folder = `${project.directory}-evil`
    const spellings = [
      outside,
      `${'../'.repeat(9)}${outside}`,
      `../${basename(folder)}/rules.md`,
      'link.md',
      `${folder}/*.md`,
    ]
    const session = await project.session()
    const calls = spellings.map((spelling) => rewrite(spelling, '- new'))
    const refused = session.turn('write', DISCOVER, calls)
    const questions = await questionsOf(session, calls.length)
    expect(questions).toMatchObject(
      calls.map(() => ({ permission: 'external_directory', patterns: [`${folder}/*`] })),
    )
    // A no is one for all that is asked.
    await reply(session, questions[0]!, 'reject')
    expect((await refused).tools.slice(1).map(({ state }) => state.status)).toEqual(calls.map(() => 'error'))
    expect(readFileSync(outside, 'utf8')).toBe('old\n')
    const writing = session.turn('write', rewrite('link.md', '- new'))
    const { asked } = await answering(session, ['once', 'once'], writing)
    expect(asked.map(({ permission }) => permission)).toEqual(['external_directory'])
    expect(readFileSync(outside, 'utf8')).toBe('- new\n')
    expect(lstatSync(project.path('link.md')).isSymbolicLink()).toBe(true)
  },
)

story('additions in one message all arrive once, and no rewrite next to them removes one', async () => {
  const project = await start()
  const [rules, more] = ['at-once/rules.md', 'at-once/more.md']
  const numbers = [1, 2, 3, 4, 5, 6]
  const { outputs } = await (await project.session()).turn('add', DISCOVER, [
    ...numbers.map((number) => append(rules, `- rule ${number}`)),
    rewrite(more, '- all'),
    append(more, '- one'),
    rewrite(more, '- new'),
    append(more, '- two'),
  ])
  const text = await project.read(rules)
  expect(text).toStartWith('old\n\n- rule ')
  for (const number of numbers) expect(text.split(`- rule ${number}\n`)).toHaveLength(2)
  expect(readdirSync(project.path('at-once')).sort()).toEqual(['more.md', 'rules.md'])
  expect(await project.read(more)).toBe('- all\n- one\n- two\n')
  expect(outputs[9]).toContain('another call wrote it after this one was made')
})

story('a session that another one started may use what that was shown', async () => {
  const project = await start()
  const parent = await project.session()
  let added: string | undefined
  const { outputs } = await parent.turn('write', discover('child.md'), async () => {
    const child = await project.session({ parentID: parent.id })
    const calls = [rewrite('child.md', '- child'), append(undefined, '- more')]
    added = (await child.turn('write', calls)).outputs[1]
    return rewrite('child.md', '- parent')
  })
  expect(added).toBe(`Added 1 rule(s) to ${project.path('child.md')}`)
  // What the child wrote, the parent has not seen.
  expect(outputs[1]).toContain('changed since')
  expect(await project.read('child.md')).toBe('- child\n- more\n')
})

story('a question that stays open, or whose turn was aborted, keeps no other writer waiting', async () => {
  const project = await start()
  const [a, b, c, d] = OPEN
  const [one, two] = [await project.session(), await project.session()]
  // In one message: three questions stand at once.
  const calls = [append(a, '- 1'), append(b, '- 2'), append(a, '- 3')]
  const turn = one.turn('write', DISCOVER, calls)
  const asked = await questionsOf(one, 3)
  const other = two.turn('write', DISCOVER, append(a, '- other'))
  await replyToNext(two, 'once')
  expect((await other).outputs[1]).toContain('Added 1')
  expect(await project.read(a)).toBe('old\n\n- other\n')
  await reply(one, asked[1]!, 'once')
  while ((await project.read(b)) === 'old\n') await Bun.sleep(20)
  await project.http('POST', `/session/${one.id}/abort`)
  await turn

  // A call that the person stops leaves each file wholly old or wholly new.
  const stopped = one.turn('again', rewrite(`${c}, ${d}`, '- later'))
  const first = await questionsOf(one, 1, asked)
  await reply(one, first[0]!, 'once')
  await questionsOf(one, 1, [...asked, ...first])
  await project.http('POST', `/session/${one.id}/abort`)
  await stopped
  await Bun.sleep(200)
  expect(await textsOf(project, ...OPEN)).toEqual([
    'old\n\n- other\n',
    'old\n\n- 2\n',
    '- later\n',
    'old\n',
  ])
})
