/** Writers where the host asks, refuses, opens sessions or runs calls at once. */
import { expect } from 'bun:test'
import { lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { CHECKOUT } from '../harness/host.ts'
import { answering, questionsOf, reply, replyToNext } from '../harness/permissions.ts'
import { story } from '../harness/story.ts'
import { append, DISCOVER, discover, restore, rewrite, startInHost, textsOf } from './writer-calls.ts'

story(
  'under the plan agent, and where edits are denied, nothing is written and the model reads why',
  async () => {
    const strict = { mode: 'primary', prompt: 'Be strict.', permission: { edit: 'deny' } }
    const project = await startInHost({ 'rules.md': 'older\n' }, { agent: { strict } })
    const steps = [DISCOVER, rewrite('rules.md', '- old')]
    await (await project.session()).turn('write', ...steps)
    const writers = [rewrite('rules.md', '- new'), append('rules.md', '- new'), restore('rules.md')]
    for (const agent of ['plan', 'strict']) {
      const { tools } = await (await project.session()).turnAs({ agent }, 'write', DISCOVER, writers)
      expect(tools.map(({ state }) => state.status)).toEqual(['completed', 'error', 'error', 'error'])
      for (const { state } of tools.slice(1)) expect(state.error).toMatch(/rule|permission/i)
    }
    expect(await project.read('rules.md')).toBe('- old\n')
  },
)

story('where edits are asked for, the person sees the diff, and a no or a yes is obeyed', async () => {
  const project = await startInHost({ 'a.md': 'old a\n', 'b.md': 'old b\n' }, { permission: { edit: 'ask' } })
  const session = await project.session()
  const both = rewrite('a.md, b.md', '- new')
  const rejected = await answering(session, ['reject'], session.turn('write', DISCOVER, both))
  expect(rejected.asked).toMatchObject([{ permission: 'edit', patterns: ['a.md'] }])
  expect(rejected.asked[0]?.metadata).toEqual({
    filepath: project.path('a.md'),
    diff: '--- a.md\n+++ a.md\n@@ -1,1 +1,1 @@\n-old a\n+- new\n',
  })
  expect(rejected.turn.tools[1]?.state.status).toBe('error')
  expect(await textsOf(project, 'a.md', 'b.md')).toEqual(['old a\n', 'old b\n'])

  const half = await answering(session, ['once', 'reject'], session.turn('write', both, 'ok'))
  expect(half.turn.tools[0]?.state.status).toBe('completed')
  expect(half.turn.outputs[0]).toMatch(/^\| b\.md +\| Refused +\|/m)
  expect(half.turn.outputs[0]).toContain(`Not written: ${project.path('b.md')}: permission refused`)
  expect(await textsOf(project, 'a.md', 'b.md')).toEqual(['- new\n', 'old b\n'])

  const approved = await answering(session, ['once'], session.turn('write', append('b.md', '- more')))
  expect(approved.turn.outputs[0]).toBe(`Added 1 rule(s) to ${project.path('b.md')}`)
  expect(await project.read('b.md')).toBe('old b\n\n- more\n')
})

story(
  'outside the project, also in a folder of like prefix, a write asks for the directory too: by absolute path, by .., by link',
  async () => {
    const project = await startInHost({ 'rules.md': 'x\n' })
    const folder = `${project.directory}-evil`
    const file = join(folder, 'rules.md')
    mkdirSync(folder)
    writeFileSync(file, 'old\n')
    symlinkSync(file, project.path('link.md'))
    project.write('opencode.json', JSON.stringify({ plugin: [CHECKOUT], instructions: ['rules.md', file] }))
    const session = await project.session()
    await session.turn('look', DISCOVER)
    for (
      const spelling of [file, `${'../'.repeat(9)}${file}`, `../${basename(folder)}/rules.md`, 'link.md']
    ) {
      const { asked, turn } = await answering(
        session,
        ['reject'],
        session.turn('write', rewrite(spelling, '- new')),
      )
      expect([spelling, ...asked]).toMatchObject([
        spelling,
        { permission: 'external_directory', patterns: [`${folder}/*`] },
      ])
      expect(turn.tools[0]?.state.status).toBe('error')
      expect(readFileSync(file, 'utf8')).toBe('old\n')
    }
    const writing = session.turn('write', rewrite('link.md', '- new'))
    const { asked } = await answering(session, ['once', 'once'], writing)
    expect(asked.map(({ permission }) => permission)).toEqual(['external_directory'])
    expect(readFileSync(file, 'utf8')).toBe('- new\n')
    expect(lstatSync(project.path('link.md')).isSymbolicLink()).toBe(true)
  },
)

story(
  'additions in one message all arrive, each once, and no rewrite next to them removes one',
  async () => {
    const project = await startInHost({ 'rules.md': 'old\n', 'more.md': 'old\n' })
    const numbers = [1, 2, 3, 4, 5, 6]
    const { outputs } = await (await project.session()).turn('add', DISCOVER, [
      ...numbers.map((number) => append('rules.md', `- rule ${number}`)),
      rewrite('more.md', '- all'),
      append('more.md', '- one'),
      rewrite('more.md', '- new'),
      append('more.md', '- two'),
    ])
    const text = await project.read('rules.md')
    expect(text).toStartWith('old\n\n- rule ')
    for (const number of numbers) expect(text.split(`- rule ${number}\n`)).toHaveLength(2)
    expect(readdirSync(project.directory).filter((name) => !name.startsWith('.git')).sort())
      .toEqual(['more.md', 'opencode.json', 'rules.md'])
    expect(await project.read('more.md')).toBe('- all\n- one\n- two\n')
    expect(outputs[9]).toContain('another call wrote it after this one was made')
  },
)

story(
  'a session that another one started may use what that was shown; it has its own first file',
  async () => {
    const project = await startInHost({ 'a.md': 'a\n', 'b.md': 'b\n' })
    const parent = await project.session()
    await parent.turn('look', discover('b.md'))
    const child = await project.session({ parentID: parent.id })
    expect((await child.turn('write', rewrite('b.md', '- child'), append(undefined, '- more'))).outputs[1])
      .toBe(`Added 1 rule(s) to ${project.path('b.md')}`)
    // What the child wrote, the parent has not seen.
    expect((await parent.turn('write', rewrite('b.md', '- parent'))).outputs[0]).toContain('changed since')
    const other = await project.session()
    const { outputs } = await other.turn('write', discover('a.md'), append(undefined, '- here'))
    expect(outputs[1]).toContain(project.path('a.md'))
    expect(await project.read('b.md')).toBe('- child\n- more\n')
  },
)

story(
  'a question that stays open, or whose turn was aborted, keeps no other writer from its own; what was asked before is whole',
  async () => {
    const project = await startInHost({ 'a.md': 'a\n', 'b.md': 'b\n' }, { permission: { edit: 'ask' } })
    const [one, two] = [await project.session(), await project.session()]
    // In one message: three questions stand at once.
    const calls = [append('a.md', '- 1'), append('b.md', '- 2'), append('a.md', '- 3')]
    const turn = one.turn('write', DISCOVER, calls)
    const asked = await questionsOf(one, 3)
    const other = two.turn('write', DISCOVER, append('a.md', '- other'))
    await replyToNext(two, 'once')
    expect((await other).outputs[1]).toContain('Added 1')
    expect(await project.read('a.md')).toBe('a\n\n- other\n')
    await reply(one, asked[1]!, 'once')
    while ((await project.read('b.md')) === 'b\n') await Bun.sleep(20)
    await project.http('POST', `/session/${one.id}/abort`)
    await turn

    // A call that the person stops leaves each file wholly old or wholly new.
    const stopped = one.turn('again', DISCOVER, rewrite('b.md, a.md', '- later'))
    const first = await questionsOf(one, 1, asked)
    await reply(one, first[0]!, 'once')
    await questionsOf(one, 1, [...asked, ...first])
    await project.http('POST', `/session/${one.id}/abort`)
    await stopped
    await Bun.sleep(200)
    expect(await textsOf(project, 'a.md', 'b.md')).toEqual(['a\n\n- other\n', '- later\n'])
  },
)

story("a deny of the config's is for its own file, a person's no for all that are left", async () => {
  const edit = { '*': 'allow', 'b.md': 'deny' }
  const names = ['a.md', 'b.md', 'c.md']
  const project = await startInHost(Object.fromEntries(names.map((name) => [name, `${name}\n`])), {
    permission: { edit },
  })
  const session = await project.session()
  const { outputs, tools } = await session.turn(
    'write',
    DISCOVER,
    rewrite(names.join(), '- new'),
    restore('b.md, a.md, c.md'),
  )
  expect(outputs[1]).toMatch(/^\| b\.md +\| Refused/m)
  expect(outputs[1]?.match(/\| Success/g)).toHaveLength(2)
  expect(tools[2]?.state.title).toBe('2 files restored')
  expect(await textsOf(project, ...names)).toEqual(names.map((name) => `${name}\n`))
})

story('a file that was deleted is restored, after the question for it', async () => {
  // Its backups' names end in a blank, too.
  const name = 'docs/rules.md '
  const project = await startInHost({ [name]: 'old\n' }, { permission: { edit: 'ask' } })
  const session = await project.session()
  await answering(session, ['once'], session.turn('write', DISCOVER, rewrite(name, '- new')))
  Bun.spawnSync(['rm', '-r', project.path('docs')])
  const other = await project.session()
  const refused = await answering(other, ['reject'], other.turn('restore', restore([name])))
  expect(refused.turn.tools[0]?.state.status).toBe('error')
  expect(await Bun.file(project.path(name)).exists()).toBe(false)
  const restored = await answering(other, ['once'], other.turn('restore', restore([name])))
  expect(restored.turn.outputs[0]).toStartWith(`Restored ${project.path(name)} from `)
  expect(await project.read(name)).toBe('old\n')
})
