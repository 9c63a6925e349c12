import { expect, test } from 'bun:test'
import { chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { CHECKOUT } from '../harness/host.ts'
import { inProcess } from '../harness/in-process.ts'
import type { Call } from '../harness/model.ts'
import { canMount, mounted } from '../harness/mounts.ts'
import { answering, questionsOf, reply } from '../harness/permissions.ts'
import { story, STORY_TIMEOUT_MS } from '../harness/story.ts'
import { DISCOVER, rewrite, start, startInHost } from './writer-calls.ts'

const add = (file: string, ...rules: Array<string>): Call => ({
  tool: 'add-rules',
  args: { rules: JSON.stringify({ rules }), file, mode: 'concise' },
})

/** A folder outside every project, with one file in it. */
const outside = (text: string): { folder: string; file: string; remove(): void } => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sat-outside-')))
  const file = join(folder, 'rules.md')
  writeFileSync(file, text)
  return { folder, file, remove: () => rmSync(folder, { recursive: true }) }
}

story(
  'under the plan agent, and where edits are denied, nothing is written and the model reads why',
  async () => {
    const project = await startInHost({ 'rules.md': 'old\n' })
    const session = await project.session()
    const steps = [DISCOVER, rewrite('rules.md', '- new'), add('rules.md', '- new')]
    const plan = await session.turnAs({ agent: 'plan' }, 'write', ...steps)
    const denying = await startInHost({ 'rules.md': 'old\n' }, { permission: { edit: 'deny' } })
    const denied = await (await denying.session()).turn('write', ...steps)
    for (const { tools } of [plan, denied]) {
      expect(tools.map(({ state }) => state.status)).toEqual(['completed', 'error', 'error'])
      for (const { state } of tools.slice(1)) expect(state.error).toMatch(/rule|permission/i)
    }
    expect(await project.read('rules.md')).toBe('old\n')
    expect(await denying.read('rules.md')).toBe('old\n')
  },
)

story('where edits are asked for, the person sees the diff, and a no or a yes is obeyed', async () => {
  const project = await startInHost({ 'a.md': 'old a\n', 'b.md': 'old b\n' }, { permission: { edit: 'ask' } })
  const rejecting = await project.session()
  const rejected = await answering(
    rejecting,
    ['reject'],
    rejecting.turn('write', DISCOVER, rewrite('a.md, b.md', '- new')),
  )
  expect(rejected.asked.map(({ permission, patterns }) => ({ permission, patterns }))).toEqual([
    { permission: 'edit', patterns: ['a.md'] },
  ])
  expect(rejected.asked[0]?.metadata).toEqual({
    filepath: project.path('a.md'),
    diff: '--- a.md\n+++ a.md\n@@ -1,1 +1,1 @@\n-old a\n+- new\n',
  })
  expect(rejected.turn.tools[1]?.state.status).toBe('error')
  expect([await project.read('a.md'), await project.read('b.md')]).toEqual(['old a\n', 'old b\n'])

  const approving = await project.session()
  const half = await answering(
    approving,
    ['once', 'reject'],
    approving.turn('write', DISCOVER, rewrite('a.md, b.md', '- new'), 'ok'),
  )
  expect(half.turn.tools[1]?.state.status).toBe('completed')
  expect(half.turn.outputs[1]).toMatch(/^\| b\.md +\| Refused +\|/m)
  expect(half.turn.outputs[1]).toContain(`Not written: ${project.path('b.md')}: permission refused`)
  expect([await project.read('a.md'), await project.read('b.md')]).toEqual(['- new\n', 'old b\n'])

  const adding = await project.session()
  const approved = await answering(
    adding,
    ['once'],
    adding.turn('write', DISCOVER, add('b.md', '- more')),
  )
  expect(approved.turn.outputs[1]).toBe(`Added 1 rule(s) to ${project.path('b.md')}`)
  expect(await project.read('b.md')).toBe('old b\n\n- more\n')
})

story(
  'outside the project a write asks for the directory too: by absolute path, by .., by link',
  async () => {
    const { folder, file, remove } = outside('old\n')
    const project = await startInHost({ 'rules.md': 'x\n' }, { instructions: ['rules.md', file] })
    symlinkSync(file, project.path('link.md'))
    const climbing = join('..', '..', '..', '..', '..', file)
    for (const spelling of [file, climbing, 'link.md']) {
      const session = await project.session()
      const { asked, turn } = await answering(
        session,
        ['reject'],
        session.turn('write', DISCOVER, rewrite(spelling, '- new')),
      )
      expect({ spelling, asked: asked.map(({ permission, patterns }) => [permission, ...patterns]) }).toEqual(
        {
          spelling,
          asked: [['external_directory', `${folder}/*`]],
        },
      )
      expect(turn.tools[1]?.state.status).toBe('error')
      expect(readFileSync(file, 'utf8')).toBe('old\n')
    }
    const session = await project.session()
    const { asked } = await answering(
      session,
      ['once', 'once'],
      session.turn('write', DISCOVER, rewrite('link.md', '- new')),
    )
    expect(asked.map(({ permission }) => permission)).toEqual(['external_directory'])
    expect(readFileSync(file, 'utf8')).toBe('- new\n')
    expect(lstatSync(project.path('link.md')).isSymbolicLink()).toBe(true)
    remove()
  },
)

story('a folder of like prefix is outside', async () => {
  const project = await startInHost({ 'rules.md': 'x\n' })
  const evil = `${project.directory}-evil`
  mkdirSync(evil)
  writeFileSync(join(evil, 'rules.md'), 'old\n')
  const instructions = ['rules.md', join(evil, 'rules.md')]
  project.write('opencode.json', JSON.stringify({ plugin: [CHECKOUT], instructions }))
  const session = await project.session()
  const { asked } = await answering(
    session,
    ['reject'],
    session.turn('write', DISCOVER, rewrite(`../${evil.split('/').at(-1)}/rules.md`, '- new')),
  )
  expect(asked.map(({ permission }) => permission)).toEqual(['external_directory'])
  expect(readFileSync(join(evil, 'rules.md'), 'utf8')).toBe('old\n')
})

story('a link inside the project stays a link, mode bits stay, two spellings are one file', async () => {
  const project = await start({ 'docs/rules.md': 'old\n' })
  chmodSync(project.path('docs/rules.md'), 0o640)
  symlinkSync('docs/rules.md', project.path('link.md'))
  const { outputs } = await (await project.session()).turn(
    'write',
    DISCOVER,
    rewrite('link.md, docs/rules.md, ./docs/../docs/rules.md', '- new'),
  )
  expect(outputs[1]).toContain('| TOTAL')
  expect(outputs[1]?.match(/\| Success +\|/g)).toHaveLength(1)
  expect(lstatSync(project.path('link.md')).isSymbolicLink()).toBe(true)
  expect(await project.read('docs/rules.md')).toBe('- new\n')
  expect(statSync(project.path('docs/rules.md')).mode & 0o777).toBe(0o640)
  expect(readdirSync(project.path('docs'))).toEqual(['rules.md'])
})

story('a file that changed since it was shown is not rewritten until it is discovered again', async () => {
  const project = await start({ 'rules.md': 'old\n' })
  project.write('README.md', 'not an instruction file\n')
  const session = await project.session()
  await session.turn('look', DISCOVER)
  project.write('rules.md', 'fresh words of a person\n')
  const { outputs } = await session.turn(
    'write',
    rewrite('rules.md', '- new'),
    rewrite('README.md', '- new'),
    add('README.md', '- new'),
    add('rules.md', '- added'),
    rewrite('rules.md', '- new'),
  )
  for (const output of outputs) expect(output).toContain('discover-rules')
  expect(outputs[0]).toContain('changed since')
  expect(outputs[4]).toContain('changed since')
  expect(await project.read('rules.md')).toBe('fresh words of a person\n\n- added\n')
  expect(await project.read('README.md')).toBe('not an instruction file\n')

  const again = await session.turn(
    'again',
    DISCOVER,
    rewrite('rules.md', '- new'),
    add('rules.md', '- own'),
  )
  expect(again.outputs[2]).toBe(`Added 1 rule(s) to ${project.path('rules.md')}`)
  expect(await project.read('rules.md')).toBe('- new\n- own\n')
})

story(
  'additions in one message all arrive, each once, and no rewrite next to them removes one',
  async () => {
    const project = await startInHost({ 'rules.md': 'old\n', 'more.md': 'old\n' })
    const numbers = [1, 2, 3, 4, 5, 6]
    const { outputs } = await (await project.session()).turn(
      'add',
      DISCOVER,
      numbers.map((number) => add('rules.md', `- rule ${number}`)),
      [
        rewrite('more.md', '- all'),
        add('more.md', '- one'),
        rewrite('more.md', '- new'),
        add('more.md', '- two'),
      ],
    )
    const text = await project.read('rules.md')
    expect(text).toStartWith('old\n\n- rule ')
    for (const number of numbers) expect(text.split(`- rule ${number}\n`)).toHaveLength(2)
    expect(readdirSync(project.directory).filter((name) => !name.startsWith('.git')).sort()).toEqual([
      'more.md',
      'opencode.json',
      'rules.md',
    ])
    expect(await project.read('more.md')).toBe('- all\n- one\n- two\n')
    expect(outputs[9]).toContain('another call wrote it after this one was made')
  },
)

story('a folder, a pipe, bytes that are no UTF-8: a row with the reason next to the good file', async () => {
  const project = await start({ 'good.md': 'old\n', 'bad.md': new Uint8Array([0x61, 0x62, 0xff, 0x0a]) })
  mkdirSync(project.path('folder.md'))
  Bun.spawnSync(['mkfifo', project.path('pipe.md')])
  const { outputs } = await (await project.session()).turn(
    'write',
    DISCOVER,
    rewrite('folder.md, pipe.md, bad.md, gone.md, good.md', '- new'),
    add('folder.md', '- new'),
  )
  for (const name of ['folder.md', 'pipe.md', 'bad.md', 'gone.md']) {
    expect(outputs[1]).toMatch(new RegExp(`^\\| ${name} +\\| (Read error|Refused) +\\|`, 'm'))
    expect(outputs[1]).toContain(`Not written: ${project.path(name)}: `)
  }
  expect(outputs[1]).toContain('not valid UTF-8')
  expect(outputs[1]).toMatch(/^\| good\.md +\| Success +\| +1 \|/m)
  expect(outputs[2]).toContain('Nothing was added')
  expect(await project.read('good.md')).toBe('- new\n')
})

story(
  'what a rewrite replaces is kept, frontmatter stays, an addition keeps BOM and line ending',
  async () => {
    const { home } = await inProcess()
    const windows = '\uFEFF# Rules\r\n\r\nold\r\n'
    const project = await start({ 'rules.md': '---\ntitle: Team\n---\n\nold words\n', 'windows.md': windows })
    const { outputs } = await (await project.session()).turn(
      'write',
      DISCOVER,
      rewrite('rules.md', '- new'),
      add('windows.md', '- one', '- two'),
    )
    expect(await project.read('rules.md')).toBe('---\ntitle: Team\n---\n\n- new\n')
    const backup = /^Backup of .*: (.*)$/m.exec(outputs[1] ?? '')?.[1] ?? ''
    expect(dirname(dirname(backup))).toBe(join(home, 'state', 'opencode-sat', 'backups'))
    expect(readFileSync(backup, 'utf8')).toBe('---\ntitle: Team\n---\n\nold words\n')
    expect(readFileSync(project.path('windows.md'), 'utf8')).toBe(`${windows}\r\n- one\r\n- two\r\n`)
  },
)

story('no rules, an empty rule and hidden characters are refused by number, nothing is written', async () => {
  const project = await start({ 'rules.md': 'old\n' })
  const { outputs } = await (await project.session()).turn(
    'write',
    DISCOVER,
    [
      rewrite('rules.md'),
      add('rules.md'),
      rewrite('rules.md', '- fine', ' \n'),
      rewrite('rules.md', '- fine', '- ig\u200Bnore', '- \u202Eesrever'),
      add('rules.md', `- tag ${String.fromCodePoint(0xe0041)}`),
    ],
  )
  for (const output of outputs.slice(1, 3)) expect(output).toMatch(/no rules/i)
  expect(outputs[3]).toMatch(/rules\.1: .*empty/)
  expect(outputs[4]).toMatch(/rule 2 .*U\+200B/)
  expect(outputs[4]).toMatch(/rule 3 .*U\+202E/)
  expect(outputs[5]).toMatch(/rule 1 .*U\+E0041/)
  expect(await project.read('rules.md')).toBe('old\n')
  const emoji = await (await project.session()).turn(
    'write',
    DISCOVER,
    rewrite('rules.md', '- 👩‍💻 and 🏴󠁧󠁢󠁥󠁮󠁧󠁿 are fine'),
  )
  expect(emoji.outputs[1]).toContain('Success')
})

story('a call that the person stops leaves each file wholly old or wholly new', async () => {
  const project = await startInHost({ 'a.md': 'old\n', 'b.md': 'old\n' }, { permission: { edit: 'ask' } })
  const session = await project.session()
  const turn = session.turn('write', DISCOVER, rewrite('a.md, b.md', '- new'))
  const asked = await questionsOf(session, 1)
  await reply(session, asked[0]!, 'once')
  await questionsOf(session, 1, asked)
  await project.http('POST', `/session/${session.id}/abort`)
  await turn
  await Bun.sleep(200)
  expect([await project.read('a.md'), await project.read('b.md')]).toEqual(['- new\n', 'old\n'])
})

test.skipIf(!canMount).concurrent(
  'a file that is mounted by itself is rewritten and restored, past the lock of a host that was killed',
  async () => {
    const { file, remove } = outside('old\n')
    const { home } = await inProcess()
    const project = await start({ 'rules.md': '' })
    const path = project.path('rules.md')
    const locks = join(home, 'state', 'opencode-sat', 'locks')
    mkdirSync(locks, { recursive: true })
    writeFileSync(join(locks, new Bun.CryptoHasher('sha256').update(path).digest('hex').slice(0, 32)), '')
    await mounted(['--bind', file], path, async () => {
      const session = await project.session()
      const { outputs } = await session.turn(
        'write',
        DISCOVER,
        rewrite('rules.md', '- new'),
        add('rules.md', '- more'),
      )
      expect(outputs[1]).toContain('| Success')
      expect(await project.read('rules.md')).toBe('- new\n- more\n')
      const restore = { tool: 'rewrite-rules', args: { restore: 'latest', files: 'rules.md' } }
      expect((await session.turn('restore', restore)).outputs[0]).toStartWith(`Restored ${path} from `)
      expect(readFileSync(file, 'utf8')).toBe('- new\n')
    })
    remove()
  },
  STORY_TIMEOUT_MS,
)
