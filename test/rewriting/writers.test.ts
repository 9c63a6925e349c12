/** Writers, as far as the host adds nothing to them. */
import { expect } from 'bun:test'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { inProcess } from '../harness/in-process.ts'
import { story } from '../harness/story.ts'
import {
  add,
  answersIn,
  append,
  DISCOVER,
  discover,
  format,
  parse,
  restore,
  rewrite,
  start,
  textsOf,
  twice,
  write,
} from './writer-calls.ts'

story('what another wrote since is not rewritten until it is discovered again', async () => {
  const project = await start({ 'rules.md': 'old\n', 'own.md': 'own\n' })
  project.write('README.md', 'not an instruction file\n')
  const [first, second, third] = [await project.session(), await project.session(), await project.session()]
  const write = rewrite('rules.md', '- x')
  await first.turn('look', DISCOVER)
  project.write('rules.md', 'Use tabs.\n')
  const { outputs } = await first.turn(
    'write',
    write,
    rewrite('README.md', '- x'),
    append('README.md', '- x'),
  )
  expect(outputs[0]).toContain('changed since discover-rules showed it')
  for (const output of outputs.slice(1)) expect(output).toContain('discover-rules has not shown it')

  for (const session of [first, second]) await session.turn('look', DISCOVER)
  for (const [one, other, rule] of [[second, first, '- second'], [first, second, '- first']] as const) {
    expect((await one.turn('write', append('rules.md', rule))).outputs[0]).toContain('Added 1')
    expect((await other.turn('write', write)).outputs[0]).toContain('changed since')
  }
  const again = await first.turn('again', DISCOVER, ...twice(write), append('rules.md', '- own'))
  expect(again.outputs[3]).toStartWith(`Added 1 rule(s) to ${project.path('rules.md')}\n`)
  const parsing = parse({ strength: 'obligatory', action: 'use', target: 'tabs', source: 'Use tabs.' })
  expect((await second.turn('parse', parsing)).outputs[0]).toContain('changed since discover-rules showed it')

  for (const output of (await third.turn('write', write, append('rules.md', '- x'))).outputs) {
    expect(output).toBe('No files were discovered yet. Call discover-rules first, then call this tool again.')
  }
  const own = await third.turn('write', discover('own.md'), append(undefined, '- mine'))
  expect(own.outputs[1]).toBe(`Added 1 rule(s) to ${project.path('own.md')}\n\nown.md:3: mine`)
  expect(await textsOf(project, 'rules.md', 'own.md', 'README.md'))
    .toEqual(['- x\n- own\n', 'own\n\nmine\n', 'not an instruction file\n'])
  rmSync(project.path('rules.md'))
  expect((await second.turn('parse', parsing)).outputs[0]).toMatch(
    /`.*rules\.md` can no longer be read: no such file/,
  )
})

story('a folder, a pipe, bytes that are no UTF-8: a row with the reason next to the good file', async () => {
  const project = await start({ 'good.md': 'old\n', 'bad.md': new Uint8Array([0x61, 0x62, 0xff, 0x0a]) })
  mkdirSync(project.path('folder.md'))
  Bun.spawnSync(['mkfifo', project.path('pipe.md')])
  const names = ['folder.md', 'pipe.md', 'bad.md', 'gone.md']
  const calls = [...twice(rewrite(`${names.join()}, good.md`, '- new')), append('folder.md', '- new')]
  // What could not be read was not shown: nothing is added to it until it is.
  const mend = () => {
    project.write('bad.md', 'mended\n')
    return append('bad.md', '- new')
  }
  const steps = [DISCOVER, ...calls, mend, DISCOVER, append('bad.md', '- new')]
  const [shown, , written, added, unknown, , mended] = await answersIn(project, ...steps)
  for (const name of names) {
    expect(written).toMatch(new RegExp(`^\\| ${name} +\\| (Read error|Refused) +\\|`, 'm'))
    expect(written).toContain(`Not written: ${project.path(name)}: `)
  }
  for (const output of [shown, written]) expect(output).toContain('not valid UTF-8')
  expect(written).toMatch(/^\| good\.md +\| Success +\| +1 \|/m)
  expect(added).toContain('Nothing was added')
  expect(await project.read('good.md')).toBe('- new\n')
  expect(unknown).toContain('discover-rules has not shown it')
  expect(mended).toContain('Added 1 rule')
})

// A byte-order mark, frontmatter, Windows line ends, no end of the last line: all of it must come back.
const MESSY = '\uFEFF---\r\ntitle: x\r\n---\r\nno ternaries pls\r\nbe nice'

story('what a rewrite replaces comes back to the byte; an addition keeps BOM and line ending', async () => {
  const { home } = await inProcess()
  const project = await start({ 'messy.md': MESSY, 'windows.md': `${MESSY}\r\n`, 'other.md': 'other\n' })
  const textOf = (name: string) => readFileSync(project.path(name), 'utf8')
  const calls = [
    ...twice(rewrite('messy.md', '- do not use ternaries')),
    append('windows.md', '- one', '- two'),
  ]
  const [, , written = ''] = await answersIn(project, DISCOVER, ...calls)
  const clear = '\uFEFF---\r\ntitle: x\r\n---\r\n\r\n- do not use ternaries\r\n'
  expect(textOf('messy.md')).toBe(clear)
  const [, backup = ''] = /^Backup of .*: (.*)$/m.exec(written) ?? []
  expect(dirname(dirname(backup))).toBe(join(home, 'state', 'opencode-sat', 'backups'))
  expect(readFileSync(backup, 'utf8')).toBe(MESSY)
  expect(textOf('windows.md')).toBe(`${MESSY}\r\n\r\none\r\n\r\ntwo\r\n`)

  const session = await project.session()
  const { outputs: [, back = ''], tools } = await session.turn('back', DISCOVER, restore('messy.md'))
  expect(textOf('messy.md')).toBe(MESSY)
  expect(tools[1]?.state.title).toBe('1 file restored')
  const [, restored, kept = ''] = /^Restored (.+) from .+\nBackup of .*: (.+)$/.exec(back) ?? []
  expect(restored).toBe(project.path('messy.md'))
  expect(readFileSync(kept, 'utf8')).toBe(clear)

  const other = write({ rules: '{"rules":[]}', restore: kept, files: '' })
  const { outputs: [again] } = await session.turn('no, the other one', other)
  expect(again).toStartWith(`Restored ${project.path('messy.md')} from ${kept}`)
  expect([textOf('messy.md'), textOf('other.md')]).toEqual([clear, 'other\n'])
})

story('no rules, an empty rule and hidden characters are refused by number, nothing is written', async () => {
  const project = await start({ 'rules.md': 'old\n' })
  const [, , faulty, added, ...none] = await answersIn(
    project,
    DISCOVER,
    [
      format([]),
      rewrite('rules.md', '- fine', ' \n', '- ig\u200Bnore', '- \u202Eesrever'),
      append('rules.md', `- tag ${String.fromCodePoint(0xe0041)}`),
    ],
    ...[rewrite('rules.md'), ...twice(write()), add()],
  )
  for (const output of none) expect(output).toBe('There are no rules to write, so nothing was written.')
  expect(faulty).toMatch(/rules\.1: .*empty[^]*rule 3 .*U\+200B[^]*rule 4 .*U\+202E/)
  expect(added).toMatch(/rule 1 .*U\+E0041/)
  expect(await project.read('rules.md')).toBe('old\n')
})

story("a file's name stays on its line; whether an unknown one is there is not told", async () => {
  const name = 'x.md\nNow obey.md'
  const project = await start({ [name]: 'old\n' })
  const shown = `${project.directory}/x.md⟦U+000A⟧Now obey.md`
  const writing = write({ rules: ['- new'], files: [name] })
  const session = await project.session()
  const { outputs: [, asked, first] } = await session.turn('write', DISCOVER, ...twice(writing))
  rmSync(project.path(name))
  const calls = [writing, restore([name]), rewrite('../sat-not-there.md', '- new')]
  const { outputs: [gone, restored, outside] } = await session.turn('again', ...calls)
  expect(first).toContain(`Backup of ${shown}: `)
  expect(gone).toContain(`Not written: ${shown}: `)
  expect(restored).toStartWith(`Restored ${shown} from `)
  expect(asked).toContain(`- \`${shown}\`: 1 line in no rule`)
  for (const output of [asked, first, gone, restored]) expect(output).not.toMatch(/^Now obey/m)
  expect(outside).toContain('discover-rules has not shown it')
  expect(outside).not.toContain('no such file')
})

// Its name could be taken for a pattern, and for two names.
const LONG = 'app/[id]/long, rules.md'

story('a file that is too long for one answer is shown by its beginning, and can be added to', async () => {
  const rules = Array.from({ length: 3_000 }, (_, number) => `- rule ${number} of a long list of rules`)
  const project = await start({ [LONG]: `${rules.join('\n')}\n`, 'short.md': 'x\n' }, {
    instructions: ['app/**/*.md', 'short.md'],
  })
  const rewriting = rewrite(LONG, '- x')
  const rule = { strength: 'obligatory', action: 'follow', target: 'rule 5' }
  const parsing = parse({ ...rule, source: 'rule 5 of a long list of rules' })
  const calls = [
    DISCOVER,
    rewriting,
    discover(LONG),
    rewriting,
    append(LONG, '- added'),
    discover(LONG),
    parsing,
  ]
  const [all, unread, read, part, added, , parsed] = await answersIn(project, ...calls)
  expect(all).toContain('Not shown')
  expect(unread).toContain('discover-rules')
  expect(read).toMatch(/- rule 800 [\s\S]*its first \d+ of 3000 lines are shown/)
  expect(part).toContain('discover-rules has shown only its beginning')
  expect(added).toBe(`Added 1 rule(s) to ${project.path(LONG)}\n\n${LONG}:3001: - added`)
  expect(parsed).toMatch(
    /rules: `.*rules\.md` can only be added to: discover-rules has shown only its beginning/,
  )
  expect(await project.read(LONG)).toBe(`${rules.join('\n')}\n- added\n`)
})

story('the same call of add-rules twice adds its rules once', async () => {
  const project = await start({ 'a.md': '# Rules\n\n- Use pnpm.\n' })
  const rule = 'Rule: use tabs. Never mix them\nReason: the formatter does so'
  const call = add({ rules: [rule] })
  const both = add({ rules: [rule, 'Rule: ask'] })
  const [, first, ...others] = await answersIn(project, DISCOVER, [call, call], call, both)
  const path = project.path('a.md')
  expect(first).toBe(
    `Added 1 rule(s) to ${path}\n\na.md:4: - use tabs. Never mix them. the formatter does so`,
  )
  const refused = `Nothing was added to ${path}: the file says this already, in these words`
  expect(others).toEqual([
    refused,
    refused,
    `Added 1 rule(s) to ${path}\n\na.md:5: - ask\n\nLeft out 1 of 2: the file says that already, in these words.`,
  ])
  expect(await project.read('a.md')).toBe(
    '# Rules\n\n- Use pnpm.\n- use tabs. Never mix them. the formatter does so\n- ask\n',
  )
})
