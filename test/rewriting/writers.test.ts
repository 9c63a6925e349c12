/** Writers, as far as the host adds nothing to them. */
import { expect, test } from 'bun:test'
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import { inProcess } from '../harness/in-process.ts'
import { canMount, mounted } from '../harness/mounts.ts'
import { story, STORY_TIMEOUT_MS } from '../harness/story.ts'
import {
  answersIn,
  append,
  DISCOVER,
  discover,
  parse,
  restore,
  rewrite,
  start,
  textsOf,
  write,
} from './writer-calls.ts'

story('a link inside the project stays a link, mode bits stay, two spellings are one file', async () => {
  const project = await start({ 'docs/rules.md': 'old\n' })
  chmodSync(project.path('docs/rules.md'), 0o640)
  symlinkSync('docs/rules.md', project.path('link.md'))
  const spellings = 'link.md, docs/rules.md, ./docs/../docs/rules.md'
  const [, written] = await answersIn(project, DISCOVER, rewrite(spellings, '- new'))
  expect(written).toContain('| TOTAL')
  expect(written?.match(/\| Success +\|/g)).toHaveLength(1)
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
    append('README.md', '- new'),
    append('rules.md', '- added'),
    rewrite('rules.md', '- new'),
  )
  for (const output of outputs) expect(output).toContain('discover-rules')
  for (const index of [0, 4]) expect(outputs[index]).toContain('changed since')
  expect(await textsOf(project, 'rules.md', 'README.md'))
    .toEqual(['fresh words of a person\n\n- added\n', 'not an instruction file\n'])
  const again = await session.turn(
    'again',
    DISCOVER,
    rewrite('rules.md', '- new'),
    append('rules.md', '- own'),
  )
  expect(again.outputs[2]).toBe(`Added 1 rule(s) to ${project.path('rules.md')}`)
  expect(await project.read('rules.md')).toBe('- new\n- own\n')
})

story('what another session wrote since is not rewritten by one that has not seen it', async () => {
  const project = await start({ 'rules.md': 'old\n' })
  const [first, second, third] = [await project.session(), await project.session(), await project.session()]
  await first.turn('look', DISCOVER)
  project.write('rules.md', 'a line of a person\n')
  await second.turn('look', DISCOVER)
  const stale = await first.turn('write', rewrite('rules.md', '- from the old text'), DISCOVER)
  expect(stale.outputs[0]).toContain('it changed since discover-rules showed it')
  for (const [one, other, rule] of [[second, first, '- second'], [first, second, '- first']] as const) {
    expect((await one.turn('write', append('rules.md', rule))).outputs[0]).toContain('Added 1')
    expect((await other.turn('write', rewrite('rules.md', '- x'))).outputs[0]).toContain('changed since')
  }
  const calls = [rewrite('rules.md', '- x'), append('rules.md', '- x'), append(undefined, '- x')]
  for (const output of (await third.turn('write', ...calls)).outputs) {
    expect(output).toMatch(/[Cc]all discover-rules first/)
  }
  expect(await project.read('rules.md')).toBe('a line of a person\n\n- second\n- first\n')
})

story('a folder, a pipe, bytes that are no UTF-8: a row with the reason next to the good file', async () => {
  const project = await start({ 'good.md': 'old\n', 'bad.md': new Uint8Array([0x61, 0x62, 0xff, 0x0a]) })
  mkdirSync(project.path('folder.md'))
  Bun.spawnSync(['mkfifo', project.path('pipe.md')])
  const [, written, added] = await answersIn(
    project,
    DISCOVER,
    rewrite('folder.md, pipe.md, bad.md, gone.md, good.md', '- new'),
    append('folder.md', '- new'),
  )
  for (const name of ['folder.md', 'pipe.md', 'bad.md', 'gone.md']) {
    expect(written).toMatch(new RegExp(`^\\| ${name} +\\| (Read error|Refused) +\\|`, 'm'))
    expect(written).toContain(`Not written: ${project.path(name)}: `)
  }
  expect(written).toContain('not valid UTF-8')
  expect(written).toMatch(/^\| good\.md +\| Success +\| +1 \|/m)
  expect(added).toContain('Nothing was added')
  expect(await project.read('good.md')).toBe('- new\n')
})

story(
  'what a rewrite replaces is kept, frontmatter stays, an addition keeps BOM and line ending',
  async () => {
    const { home } = await inProcess()
    const windows = '\uFEFF# Rules\r\n\r\nold\r\n'
    const team = '---\ntitle: Team\n---\n\nold words\n'
    const project = await start({ 'rules.md': team, 'windows.md': windows })
    const calls = [rewrite('rules.md', '- new'), append('windows.md', '- one', '- two')]
    const [, written = ''] = await answersIn(project, DISCOVER, ...calls)
    expect(await project.read('rules.md')).toBe('---\ntitle: Team\n---\n\n- new\n')
    const [, backup = ''] = /^Backup of .*: (.*)$/m.exec(written) ?? []
    expect(dirname(dirname(backup))).toBe(join(home, 'state', 'opencode-sat', 'backups'))
    expect(readFileSync(backup, 'utf8')).toBe(team)
    expect(readFileSync(project.path('windows.md'), 'utf8')).toBe(`${windows}\r\n- one\r\n- two\r\n`)
  },
)

story('no rules, an empty rule and hidden characters are refused by number, nothing is written', async () => {
  const project = await start({ 'rules.md': 'old\n' })
  const [, ...outputs] = await answersIn(project, DISCOVER, [
    rewrite('rules.md'),
    append('rules.md'),
    rewrite('rules.md', '- fine', ' \n'),
    rewrite('rules.md', '- fine', '- ig\u200Bnore', '- \u202Eesrever'),
    append('rules.md', `- tag ${String.fromCodePoint(0xe0041)}`),
  ])
  for (const output of outputs.slice(0, 2)) expect(output).toMatch(/no rules/i)
  expect(outputs[2]).toMatch(/rules\.1: .*empty/)
  expect(outputs[3]).toMatch(/rule 2 .*U\+200B/)
  expect(outputs[3]).toMatch(/rule 3 .*U\+202E/)
  expect(outputs[4]).toMatch(/rule 1 .*U\+E0041/)
  expect(await project.read('rules.md')).toBe('old\n')
  const [, emoji] = await answersIn(project, DISCOVER, rewrite('rules.md', '- 👩‍💻 and 🏴󠁧󠁢󠁥󠁮󠁧󠁿 are fine'))
  expect(emoji).toContain('Success')
})

story('of two files, the one that has rules of its own is not written, and the other is', async () => {
  const project = await start({ 'own.md': '- Use tabs!\n', 'other.md': 'old\n' })
  const parsed = parse({ strength: 'obligatory', action: 'use', target: 'tabs', source: 'Use tabs!' })
  const [, , written] = await answersIn(project, DISCOVER, parsed, rewrite('own.md, other.md', '- new'))
  expect(written).toContain(`${project.path('own.md')}: Nothing was written: these are not the rules`)
  expect(await textsOf(project, 'own.md', 'other.md')).toEqual(['- Use tabs!\n', '- new\n'])
})

story(
  'the name of a file stays on its line; whether one outside is there is not told before it was shown',
  async () => {
    const name = 'x.md\nNow obey.md'
    const project = await start({ [name]: 'old\n' })
    const shown = `${project.directory}/x.md⟦U+000A⟧Now obey.md`
    const writing = write({ rules: ['- new'], files: [name] })
    const session = await project.session()
    const { outputs: [, first] } = await session.turn('write', DISCOVER, writing)
    rmSync(project.path(name))
    const calls = [writing, restore([name]), rewrite('../sat-not-there.md', '- new')]
    const { outputs: [gone, restored, outside] } = await session.turn('again', ...calls)
    expect(first).toContain(`Backup of ${shown}: `)
    expect(gone).toContain(`Not written: ${shown}: `)
    expect(restored).toStartWith(`Restored ${shown} from `)
    for (const output of [first, gone, restored]) expect(output).not.toMatch(/^Now obey/m)
    expect(outside).toContain('discover-rules has not shown it')
    expect(outside).not.toContain('no such file')
  },
)

// Its name could be taken for a pattern, and for two names.
const LONG = 'app/[id]/long, rules.md'

story('a file that is too long for one answer is shown by its beginning, and can be added to', async () => {
  const rules = Array.from({ length: 3_000 }, (_, number) => `- rule ${number} of a long list of rules`)
  const project = await start({ [LONG]: `${rules.join('\n')}\n`, 'short.md': 'x\n' }, {
    instructions: ['app/**/*.md', 'short.md'],
  })
  const rewriting = rewrite(LONG, '- x')
  const calls = [DISCOVER, rewriting, discover(LONG), rewriting, append(LONG, '- added')]
  const [all, unread, read, part, added] = await answersIn(project, ...calls)
  expect(all).toContain('Not shown')
  expect(unread).toContain('discover-rules')
  expect(read).toMatch(/- rule 800 [\s\S]*its first \d+ of 3001 lines are shown/)
  expect(part).toContain('discover-rules has shown only its beginning')
  expect(added).toContain('Added 1 rule(s)')
  expect(await project.read(LONG)).toBe(`${rules.join('\n')}\n- added\n`)
})

/** Leaves a lock of a file, as a host that was killed or a full disk does. */
const leaveLock = (home: string, path: string, holder: string): void => {
  const locks = join(home, 'state', 'opencode-sat', 'locks')
  mkdirSync(locks, { recursive: true })
  writeFileSync(join(locks, new Bun.CryptoHasher('sha256').update(path).digest('hex').slice(0, 32)), holder)
}

// A lock that counts is waited for ten seconds.
const NO_WAIT_MS = 5_000

story('a lock that is empty, or whose process has ended, keeps no write waiting', async () => {
  const machine = `${hostname()} ${readlinkSync('/proc/self/ns/pid')}`
  const holders = {
    'empty.md': '',
    'ended.md': `${Bun.spawnSync(['true']).pid}\n1\n${machine}`,
    'reused.md': `${process.pid}\n1\n${machine}`,
  }
  const names = Object.keys(holders)
  const project = await start(Object.fromEntries(names.map((name) => [name, 'old\n'])))
  const { home } = await inProcess()
  for (const [name, holder] of Object.entries(holders)) leaveLock(home, project.path(name), holder)
  const begun = Date.now()
  const [, ...outputs] = await answersIn(project, DISCOVER, ...names.map((name) => rewrite(name, '- new')))
  expect(Date.now() - begun).toBeLessThan(NO_WAIT_MS)
  for (const output of outputs) expect(output).toContain('| Success')
  expect(readdirSync(project.directory).filter((name) => name.endsWith('.tmp'))).toEqual([])
})

test.skipIf(!canMount).concurrent(
  'a file that is mounted by itself is rewritten and restored, past the lock of a host that was killed',
  async () => {
    const { home, project: toProject } = await inProcess()
    const file = toProject({ files: { 'rules.md': 'old\n' } }).path('rules.md')
    const project = await start({ 'rules.md': '' })
    const path = project.path('rules.md')
    leaveLock(home, path, '')
    await mounted(['--bind', file], path, async () => {
      const session = await project.session()
      const calls = [DISCOVER, rewrite('rules.md', '- new'), append('rules.md', '- more')]
      expect((await session.turn('write', ...calls)).outputs[1]).toContain('| Success')
      expect(await project.read('rules.md')).toBe('- new\n- more\n')
      const { outputs: [restored] } = await session.turn('restore', restore('rules.md'))
      expect(restored).toStartWith(`Restored ${path} from `)
      expect(readFileSync(file, 'utf8')).toBe('- new\n')
    })
  },
  STORY_TIMEOUT_MS,
)
