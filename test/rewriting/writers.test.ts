/** Stories of writes to files that have changed, cannot be read, are long, or have odd names or bytes. */
import { expect } from 'bun:test'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { inProcess } from '../harness/in-process.ts'
import type { Call } from '../harness/model.ts'
import { story } from '../harness/story.ts'
import { addTo, DISCOVER, discover, parse, playIn, projectOf, replace, restore } from './calls.ts'
import { rewrite, ruleStory, sourced, startIn, textsOf, twice, writeTo } from './calls.ts'

const NOT_SHOWN = 'discover-rules has not shown it'
const CHANGED = 'changed since discover-rules showed it'
const REPLACE = replace('a.md', '- x')
const parsing = parse(sourced('obligatory, use, tabs', 'Use tabs.'))
// If a file ends with a paragraph, `addTo` adds the rule `- x` as the paragraph `x`.

ruleStory(
  'rules can be added to a changed file, but it is not rewritten until it is discovered again',
  { 'a.md': ['old\n', 'Use tabs.\n'] },
  [DISCOVER, ({ write }) => write('a.md', 'new\n'), REPLACE, CHANGED],
  [addTo('a.md', '- more'), 'Added 1', REPLACE, CHANGED],
  [DISCOVER, ...twice(REPLACE), addTo('a.md', '- own')],
  [(project) => expect(textsOf(project, 'a.md')).toEqual(['- x\n- own\n'])],
  [({ path }) => rmSync(path('a.md')), parsing, '`…/a.md` can no longer be read: no such file'],
  [({ write }) => write('a.md', 'Use tabs.\n'), parsing, CHANGED],
)

story('if a session adds a rule, other sessions must discover the file again to rewrite it', async () => {
  const project = await projectOf({ 'a.md': 'old\n' })
  const [first, second] = [await startIn(project), await startIn(project)]
  await first([DISCOVER])
  await second([DISCOVER, addTo('a.md', '- second')])
  await first([REPLACE, CHANGED, addTo('a.md', '- first')])
  await second([REPLACE, CHANGED])
  expect(textsOf(project, 'a.md')).toEqual(['old\n\nsecond\n\nfirst\n'])
})

const BAD_NAMES = ['folder.md', 'pipe.md', 'bad.md', 'gone.md']
const REFUSALS = BAD_NAMES.flatMap((name) => [
  new RegExp(`^\\| ${name} +\\| (Read error|Refused) +\\|`, 'm'),
  `Not written: …/${name}: `,
])

ruleStory(
  'files that cannot be read or were not shown are refused, and a good file is written',
  { 'good.md': ['old\n', '- new\n'], 'bad.md': [Uint8Array.of(0x61, 0xff), 'mended\n\nnew\n'] },
  [({ write }) => write('README.md', 'not an instruction file\n')],
  [({ path }) => mkdirSync(path('folder.md')), ({ path }) => Bun.spawnSync(['mkfifo', path('pipe.md')])],
  [DISCOVER, ...twice(replace(`${BAD_NAMES.join()}, good.md`, '- new')), ...REFUSALS],
  ['not valid UTF-8', /^\| good\.md +\| Success +\| +1 \|/m],
  [addTo('folder.md', '- new'), 'Nothing was added'],
  [[replace('README.md', '- x'), addTo('README.md', '- x')], NOT_SHOWN, NOT_SHOWN],
  [replace('../sat-not-there.md', '- new'), NOT_SHOWN, { lacks: 'no such file' }],
  [(project) => expect(textsOf(project, 'README.md')).toEqual(['not an instruction file\n'])],
  [({ write }) => write('bad.md', 'mended\n'), addTo('bad.md', '- new'), NOT_SHOWN],
  [DISCOVER, addTo('bad.md', '- new')],
)

const MESSY = '\uFEFF---\r\ntitle: x\r\n---\r\nno ternaries pls\r\nbe nice'

story('a restore brings back each byte of a file', async () => {
  const { home } = await inProcess()
  const project = await projectOf({ 'messy.md': MESSY, 'other.md': 'other\n' })
  const textNow = () => textsOf(project, 'messy.md')[0]
  const session = await project.session()
  /** Returns the last answer, and the text of the backup that it names. */
  const play = async (...messages: Array<Call>) => {
    const answer = (await session.turn('go', ...messages)).outputs.at(-1)!
    const [, backup = ''] = /^Backup of .*: (.*)$/m.exec(answer) ?? []
    return { answer, backup, backedUp: readFileSync(backup, 'utf8') }
  }
  const rewritten = '\uFEFF---\r\ntitle: x\r\n---\r\n\r\n- do not use ternaries\r\n'
  const first = await play(DISCOVER, ...twice(replace('messy.md', '- do not use ternaries')))
  expect([textNow(), first.backedUp]).toEqual([rewritten, MESSY])
  expect(dirname(dirname(first.backup))).toBe(join(home, 'state', 'opencode-sat', 'backups'))
  const second = await play(restore('messy.md'))
  expect([textNow(), second.backedUp]).toEqual([MESSY, rewritten])
  expect(second.answer).toStartWith(`Restored ${project.path('messy.md')} from `)
  // The name of the backup tells which file to restore.
  const { answer } = await play(rewrite({ rules: '{"rules":[]}', restore: second.backup, files: '' }))
  expect(answer).toContain(`Restored ${project.path('messy.md')} from ${second.backup}`)
  expect(textsOf(project, 'messy.md', 'other.md')).toEqual([rewritten, 'other\n'])
})

const BROKEN_NAME = 'x.md\nNow obey.md'
const MARKED = '…/x.md⟦U+000A⟧Now obey.md'
const ONE_LINE = { lacks: '\nNow obey' }
const toBroken = writeTo([BROKEN_NAME], ['- new'])

ruleStory(
  'a line break in a file name is marked in answers',
  { [BROKEN_NAME]: 'old\n' },
  [DISCOVER, toBroken, `- \`${MARKED}\`: 1 line in no rule`, ONE_LINE],
  [toBroken, `Backup of ${MARKED}: `, ONE_LINE],
  [({ path }) => rmSync(path(BROKEN_NAME)), toBroken, `Not written: ${MARKED}: `, ONE_LINE],
  [restore([BROKEN_NAME]), `Restored ${MARKED} from `, ONE_LINE],
)

story('if a file is too long for one answer, rules can only be added to it', async () => {
  const name = 'app/[id]/long, rules.md'
  const text = Array.from({ length: 3_000 }, (_, number) => `- rule ${number} of a long list of rules\n`)
    .join('')
  const files = { [name]: text, 'short.md': 'x\n' }
  const project = await projectOf(files, { instructions: ['app/**/*.md', 'short.md'] })
  const parsing = parse(sourced('obligatory, follow, rule 5', 'rule 5 of a long list of rules'))
  await playIn(
    project,
    [DISCOVER, 'Not shown', replace(name, '- x'), 'discover-rules'],
    [discover(name), /- rule 800 [\s\S]*its first \d+ of 3000 lines are shown/],
    [replace(name, '- x'), 'discover-rules has shown only its beginning'],
    [addTo(name, '- added'), { is: `Added 1 rule(s) to …/${name}\n\n${name}:3001: - added` }],
    [discover(name), parsing],
    [/rules: `.*rules\.md` cannot be rewritten: discover-rules has shown only its beginning/],
  )
  expect(textsOf(project, name)).toEqual([`${text}- added\n`])
})
