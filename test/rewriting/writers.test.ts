/** Stories of writes to files that have changed, cannot be read, are long, or have odd names or bytes. */
import { expect } from 'bun:test'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { inProcess } from '../harness/in-process.ts'
import type { Call } from '../harness/model.ts'
import { story } from '../harness/story.ts'
import { addTo, DISCOVER, discover, parse, replace, restore, rewrite, twice } from './calls.ts'
import { anyAnswer, expectAnswers, projectOf, textsOf } from './play.ts'

const NOT_SHOWN = 'discover-rules has not shown it'
const CHANGED = 'changed since discover-rules showed it'
const REPLACE = replace('rules.md', '- x')
// After a paragraph, `addTo` adds `- x` as the paragraph `x`.

story(
  'rules can be added to a changed file, but it is not rewritten until it is discovered again',
  async () => {
    const project = await projectOf({ 'rules.md': 'old\n' })
    const session = await expectAnswers(project, [DISCOVER])
    project.write('rules.md', 'new\n')
    await expectAnswers(session, [REPLACE, CHANGED], [addTo('rules.md', '- more'), 'Added 1'])
    await expectAnswers(session, [REPLACE, CHANGED])
    await expectAnswers(session, ...anyAnswer(DISCOVER, ...twice(REPLACE), addTo('rules.md', '- own')))
    expect(await project.read('rules.md')).toBe('- x\n- own\n')
    project.write('rules.md', 'Use tabs.\n')
    const parsing = parse({ strength: 'obligatory', action: 'use', target: 'tabs', source: 'Use tabs.' })
    await expectAnswers(session, [parsing, CHANGED])
    rmSync(project.path('rules.md'))
    await expectAnswers(session, [parsing, /`.*rules\.md` can no longer be read: no such file/])
  },
)

story('if a session adds a rule, other sessions must discover the file again to rewrite it', async () => {
  const project = await projectOf({ 'rules.md': 'old\n' })
  const [first, second] = [await project.session(), await project.session()]
  await expectAnswers(first, [DISCOVER])
  await expectAnswers(second, [DISCOVER], [addTo('rules.md', '- second'), 'Added 1'])
  await expectAnswers(first, [REPLACE, CHANGED], [addTo('rules.md', '- first'), 'Added 1'])
  await expectAnswers(second, [REPLACE, CHANGED])
  expect(await project.read('rules.md')).toBe('old\n\nsecond\n\nfirst\n')
})

story('files that cannot be read or were not shown are refused, and a good file is written', async () => {
  const project = await projectOf({ 'good.md': 'old\n', 'bad.md': Uint8Array.of(0x61, 0xff) })
  project.write('README.md', 'not an instruction file\n')
  mkdirSync(project.path('folder.md'))
  Bun.spawnSync(['mkfifo', project.path('pipe.md')])
  const names = ['folder.md', 'pipe.md', 'bad.md', 'gone.md']
  const refusals = names.flatMap((name) => [
    new RegExp(`^\\| ${name} +\\| (Read error|Refused) +\\|`, 'm'),
    `Not written: ${project.path(name)}: `,
  ])
  const [replacing, replacingAgain] = twice(replace(`${names.join()}, good.md`, '- new'))
  const session = await expectAnswers(
    project,
    ...anyAnswer(DISCOVER, replacing),
    [replacingAgain, ...refusals, 'not valid UTF-8', /^\| good\.md +\| Success +\| +1 \|/m],
    [addTo('folder.md', '- new'), 'Nothing was added'],
    [[replace('README.md', '- x'), addTo('README.md', '- x')], NOT_SHOWN, NOT_SHOWN],
    [replace('../sat-not-there.md', '- new'), NOT_SHOWN, { lacks: 'no such file' }],
  )
  expect(await textsOf(project, 'good.md', 'README.md')).toEqual(['- new\n', 'not an instruction file\n'])
  project.write('bad.md', 'mended\n')
  const adding = addTo('bad.md', '- new')
  await expectAnswers(session, [adding, NOT_SHOWN], [DISCOVER], [adding, 'Added 1 rule'])
})

const MESSY = '\uFEFF---\r\ntitle: x\r\n---\r\nno ternaries pls\r\nbe nice'

story('an addition keeps each byte of a file', async () => {
  const project = await projectOf({ 'rules.md': `${MESSY}\r\n` })
  await expectAnswers(project, ...anyAnswer(DISCOVER, addTo('rules.md', '- one', '- two')))
  expect(readFileSync(project.path('rules.md'), 'utf8')).toBe(`${MESSY}\r\n\r\none\r\n\r\ntwo\r\n`)
})

story('a restore brings back each byte of a file', async () => {
  const { home } = await inProcess()
  const project = await projectOf({ 'messy.md': MESSY, 'other.md': 'other\n' })
  const textOf = (name: string) => readFileSync(project.path(name), 'utf8')
  const session = await project.session()
  const play = async (...messages: Array<Call>) => (await session.turn('go', ...messages)).outputs.at(-1)!

  const answer = await play(DISCOVER, ...twice(replace('messy.md', '- do not use ternaries')))
  const rewritten = '\uFEFF---\r\ntitle: x\r\n---\r\n\r\n- do not use ternaries\r\n'
  expect(textOf('messy.md')).toBe(rewritten)
  const [, backup = ''] = /^Backup of .*: (.*)$/m.exec(answer) ?? []
  expect(dirname(dirname(backup))).toBe(join(home, 'state', 'opencode-sat', 'backups'))
  expect(readFileSync(backup, 'utf8')).toBe(MESSY)

  const restored = await play(restore('messy.md'))
  expect(textOf('messy.md')).toBe(MESSY)
  expect(restored).toStartWith(`Restored ${project.path('messy.md')} from `)
  const [, backupOfRestore = ''] = /\nBackup of .*: (.+)$/.exec(restored) ?? []
  expect(readFileSync(backupOfRestore, 'utf8')).toBe(rewritten)

  // The name of the backup tells which file to restore.
  const restoredAgain = await play(rewrite({ rules: '{"rules":[]}', restore: backupOfRestore, files: '' }))
  expect(restoredAgain).toContain(`Restored ${project.path('messy.md')} from ${backupOfRestore}`)
  expect([textOf('messy.md'), textOf('other.md')]).toEqual([rewritten, 'other\n'])
})

story('a line break in a file name is marked in answers', async () => {
  const name = 'x.md\nNow obey.md'
  const project = await projectOf({ [name]: 'old\n' })
  const marked = `${project.directory}/x.md⟦U+000A⟧Now obey.md`
  const inOneLine = { lacks: '\nNow obey' }
  const replacing = rewrite({ rules: ['- new'], files: [name] })
  const session = await expectAnswers(
    project,
    ...anyAnswer(DISCOVER),
    [replacing, `- \`${marked}\`: 1 line in no rule`, inOneLine],
    [replacing, `Backup of ${marked}: `, inOneLine],
  )
  rmSync(project.path(name))
  await expectAnswers(
    session,
    [replacing, `Not written: ${marked}: `, inOneLine],
    [restore([name]), `Restored ${marked} from `, inOneLine],
  )
})

story('if a file is too long for one answer, rules can only be added to it', async () => {
  const name = 'app/[id]/long, rules.md'
  const rules = Array.from({ length: 3_000 }, (_, number) => `- rule ${number} of a long list of rules`)
  const instructions = ['app/**/*.md', 'short.md']
  const project = await projectOf({ [name]: `${rules.join('\n')}\n`, 'short.md': 'x\n' }, { instructions })
  const replacing = replace(name, '- x')
  const source = 'rule 5 of a long list of rules'
  const parsing = parse({ strength: 'obligatory', action: 'follow', target: 'rule 5', source })
  await expectAnswers(
    project,
    [DISCOVER, 'Not shown'],
    [replacing, 'discover-rules'],
    [discover(name), /- rule 800 [\s\S]*its first \d+ of 3000 lines are shown/],
    [replacing, 'discover-rules has shown only its beginning'],
    [addTo(name, '- added'), { is: `Added 1 rule(s) to ${project.path(name)}\n\n${name}:3001: - added` }],
    [discover(name)],
    [parsing, /rules: `.*rules\.md` cannot be rewritten: discover-rules has shown only its beginning/],
  )
  expect(await project.read(name)).toBe(`${rules.join('\n')}\n- added\n`)
})
