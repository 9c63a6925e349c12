/** Writers of several sessions, and of questions that stay open. */
import { expect } from 'bun:test'
import type { Call } from '../harness/model.ts'
import { questionsOf, reply, replyToNext } from '../harness/permissions.ts'
import { story } from '../harness/story.ts'
import { DISCOVER, rewrite, start, startInHost } from './writer-calls.ts'

const add = (rule: string, file?: string): Call => ({
  tool: 'add-rules',
  args: {
    rules: JSON.stringify({ rules: [rule] }),
    mode: 'concise',
    ...(file === undefined ? {} : { file }),
  },
})

story('what another session wrote since is not rewritten by one that has not seen it', async () => {
  const project = await start({ 'rules.md': 'old\n' })
  const [first, second, third] = [await project.session(), await project.session(), await project.session()]
  await first.turn('look', DISCOVER)
  project.write('rules.md', 'a line of a person\n')
  await second.turn('look', DISCOVER)
  const stale = await first.turn('write', rewrite('rules.md', '- from the old text'))
  expect(stale.outputs[0]).toContain('it changed since discover-rules showed it')

  await first.turn('look', DISCOVER)
  expect((await second.turn('write', add('- second', 'rules.md'))).outputs[0]).toContain('Added 1')
  expect((await first.turn('write', rewrite('rules.md', '- x'))).outputs[0]).toContain('changed since')
  expect((await first.turn('write', add('- first', 'rules.md'))).outputs[0]).toContain('Added 1')
  expect((await second.turn('write', rewrite('rules.md', '- x'))).outputs[0]).toContain('changed since')
  const unseen = await third.turn('write', rewrite('rules.md', '- x'), add('- x', 'rules.md'), add('- x'))
  for (const output of unseen.outputs) expect(output).toMatch(/[Cc]all discover-rules first/)
  expect(await project.read('rules.md')).toBe('a line of a person\n\n- second\n- first\n')
})

story(
  'a session that another one started may use what that was shown; it has its own first file',
  async () => {
    const project = await startInHost({ 'a.md': 'a\n', 'b.md': 'b\n' })
    const parent = await project.session()
    await parent.turn('look', { tool: 'discover-rules', args: { files: 'b.md' } })
    const child = await project.session({ parentID: parent.id })
    expect((await child.turn('write', rewrite('b.md', '- child'), add('- more'))).outputs[1])
      .toBe(`Added 1 rule(s) to ${project.path('b.md')}`)
    // What the child wrote, the parent has not seen.
    expect((await parent.turn('write', rewrite('b.md', '- parent'))).outputs[0]).toContain('changed since')

    const other = await project.session()
    await other.turn('look', { tool: 'discover-rules', args: { files: 'a.md' } })
    expect((await other.turn('write', add('- here'))).outputs[0]).toContain(project.path('a.md'))
    expect(await project.read('b.md')).toBe('- child\n- more\n')
  },
)

story(
  'a question that stays open, or whose turn was aborted, keeps no other writer from its own',
  async () => {
    const project = await startInHost({ 'a.md': 'a\n', 'b.md': 'b\n' }, { permission: { edit: 'ask' } })
    const [one, two] = [await project.session(), await project.session()]
    // In one message: three questions stand at once.
    const turn = one.turn('write', DISCOVER, [add('- 1', 'a.md'), add('- 2', 'b.md'), add('- 3', 'a.md')])
    const asked = await questionsOf(one, 3)
    const other = two.turn('write', DISCOVER, add('- other', 'a.md'))
    await replyToNext(two, 'once')
    expect((await other).outputs[1]).toContain('Added 1')
    expect(await project.read('a.md')).toBe('a\n\n- other\n')
    await reply(one, asked[1]!, 'once')
    while ((await project.read('b.md')) === 'b\n') await Bun.sleep(20)
    await project.http('POST', `/session/${one.id}/abort`)
    await turn

    const again = one.turn('again', DISCOVER, rewrite('b.md', '- later'))
    await replyToNext(one, 'once', asked)
    expect((await again).outputs[1]).toContain('| Success')
    expect([await project.read('a.md'), await project.read('b.md')]).toEqual(['a\n\n- other\n', '- later\n'])
  },
)

story("a deny of the config's is for its own file, a person's no for all that are left", async () => {
  const edit = { '*': 'allow', 'b.md': 'deny' }
  const project = await startInHost({ 'a.md': 'a\n', 'b.md': 'b\n', 'c.md': 'c\n' }, { permission: { edit } })
  const session = await project.session()
  const { outputs } = await session.turn(
    'write',
    DISCOVER,
    rewrite('a.md, b.md, c.md', '- new'),
  )
  expect(outputs[1]).toMatch(/^\| b\.md +\| Refused/m)
  expect(outputs[1]?.match(/\| Success/g)).toHaveLength(2)

  const more = await project.session()
  project.write('opencode.json', JSON.stringify({ instructions: ['a.md', 'b.md', 'c.md'] }))
  const restored = await more.turn('restore', DISCOVER, {
    tool: 'rewrite-rules',
    args: { restore: 'latest', files: 'b.md, a.md, c.md' },
  })
  expect(restored.tools[1]?.state.title).toBe('2 files restored')
  expect([await project.read('a.md'), await project.read('b.md'), await project.read('c.md')])
    .toEqual(['a\n', 'b\n', 'c\n'])
})

story('a file that was deleted is restored, after the question for it', async () => {
  // Its backups' names end in a blank, too.
  const name = 'docs/rules.md '
  const project = await startInHost({ [name]: 'old\n' }, { permission: { edit: 'ask' } })
  const session = await project.session()
  const rewriting = session.turn('write', DISCOVER, rewrite(name, '- new'))
  await replyToNext(session, 'once')
  await rewriting
  Bun.spawnSync(['rm', '-r', project.path('docs')])
  const other = await project.session()
  const restore = { tool: 'rewrite-rules', args: { restore: 'latest', files: [name] } }
  const refused = other.turn('restore', restore)
  await replyToNext(other, 'reject')
  expect((await refused).tools[0]?.state.status).toBe('error')
  expect(await Bun.file(project.path(name)).exists()).toBe(false)

  const restoring = other.turn('restore', restore)
  await replyToNext(other, 'once')
  expect((await restoring).outputs[0]).toStartWith(`Restored ${project.path(name)} from `)
  expect(await project.read(name)).toBe('old\n')
})

// Its name could be taken for a pattern, and for two names.
const LONG = 'app/[id]/long, rules.md'

story('a file that is too long for one answer is shown by its beginning, and can be added to', async () => {
  const rules = Array.from({ length: 3_000 }, (_, number) => `- rule ${number} of a long list of rules`)
  const project = await start({ [LONG]: `${rules.join('\n')}\n`, 'short.md': 'x\n' }, {
    instructions: ['app/**/*.md', 'short.md'],
  })
  const session = await project.session()
  const { outputs: [all, unread, read, part, added] } = await session.turn(
    'read',
    DISCOVER,
    rewrite(LONG, '- x'),
    { tool: 'discover-rules', args: { files: LONG } },
    rewrite(LONG, '- x'),
    add('- added', LONG),
  )
  expect(all).toContain('Not shown')
  expect(unread).toContain('discover-rules')
  expect(read).toMatch(/- rule 800 [\s\S]*its first \d+ of 3001 lines are shown/)
  expect(part).toContain('discover-rules has shown only its beginning')
  expect(added).toContain('Added 1 rule(s)')
  expect(await project.read(LONG)).toBe(`${rules.join('\n')}\n- added\n`)
})
