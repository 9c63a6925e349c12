/** The writing tools on files that changed, cannot be read, are long, or have odd names or line endings. */
import { expect } from 'bun:test'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { inProcess } from '../harness/in-process.ts'
import type { Call } from '../harness/model.ts'
import { toParsedRule } from '../harness/parsed-rule.ts'
import { story } from '../harness/story.ts'
import { add, addTo, DISCOVER, discover, format, parse, replace, restore, rewrite, twice } from './calls.ts'
import { expectAnswers, projectOf, textsOf, unchecked } from './play.ts'

const NOT_SHOWN = 'discover-rules has not shown it'

story('a file that somebody else wrote is not rewritten until it is discovered again', async () => {
  const project = await projectOf({ 'rules.md': 'old\n' })
  project.write('README.md', 'not an instruction file\n')
  const [first, second] = [await project.session(), await project.session()]
  const replacing = replace('rules.md', '- x')
  const changed = 'changed since discover-rules showed it'
  await expectAnswers(first, ...unchecked(DISCOVER))
  project.write('rules.md', 'Use tabs.\n')
  const unknownFile = [replace('README.md', '- x'), addTo('README.md', '- x')]
  await expectAnswers(first, [[replacing, ...unknownFile], changed, NOT_SHOWN, NOT_SHOWN], [DISCOVER])
  await expectAnswers(second, ...unchecked(DISCOVER))
  for (const [writer, outdated, rule] of [[second, first, '- second'], [first, second, '- first']] as const) {
    await expectAnswers(writer, [addTo('rules.md', rule), 'Added 1'])
    await expectAnswers(outdated, [replacing, changed])
  }
  await expectAnswers(first, ...unchecked(DISCOVER, ...twice(replacing)), [
    addTo('rules.md', '- own'),
    'Added 1',
  ])
  const parsing = parse({ strength: 'obligatory', action: 'use', target: 'tabs', source: 'Use tabs.' })
  await expectAnswers(second, [parsing, changed])
  expect(await textsOf(project, 'rules.md', 'README.md'))
    .toEqual(['- x\n- own\n', 'not an instruction file\n'])
  rmSync(project.path('rules.md'))
  await expectAnswers(second, [parsing, /`.*rules\.md` can no longer be read: no such file/])
})

story('a folder, a pipe and bytes that are not UTF-8 are refused; a good file is written', async () => {
  const project = await projectOf({ 'good.md': 'old\n', 'bad.md': Uint8Array.of(0x61, 0xff) })
  mkdirSync(project.path('folder.md'))
  Bun.spawnSync(['mkfifo', project.path('pipe.md')])
  const names = ['folder.md', 'pipe.md', 'bad.md', 'gone.md']
  const refusals = names.flatMap((name) => [
    new RegExp(`^\\| ${name} +\\| (Read error|Refused) +\\|`, 'm'),
    `Not written: ${project.path(name)}: `,
  ])
  const replacing = replace(`${names.join()}, good.md`, '- new')
  const session = await expectAnswers(
    project,
    ...unchecked(DISCOVER, replacing),
    [replacing, ...refusals, 'not valid UTF-8', /^\| good\.md +\| Success +\| +1 \|/m],
    [addTo('folder.md', '- new'), 'Nothing was added'],
  )
  expect(await project.read('good.md')).toBe('- new\n')
  // A file that could not be read was not shown, and nothing is added to a file before it is shown.
  project.write('bad.md', 'mended\n')
  const adding = addTo('bad.md', '- new')
  await expectAnswers(session, [adding, NOT_SHOWN], [DISCOVER], [adding, 'Added 1 rule'])
})

// A byte-order mark, frontmatter, line endings of Windows, and no line ending at the end.
const MESSY = '\uFEFF---\r\ntitle: x\r\n---\r\nno ternaries pls\r\nbe nice'

story('a restore brings back each byte; an addition keeps byte-order mark and line endings', async () => {
  const { home } = await inProcess()
  const project = await projectOf({ 'messy.md': MESSY, 'windows.md': `${MESSY}\r\n`, 'other.md': 'other\n' })
  const textOf = (name: string) => readFileSync(project.path(name), 'utf8')
  const session = await project.session()
  const play = async (...messages: Array<Call>) => (await session.turn('go', ...messages)).outputs.at(-1)!
  const written = await play(DISCOVER, ...twice(replace('messy.md', '- do not use ternaries')))
  const clear = '\uFEFF---\r\ntitle: x\r\n---\r\n\r\n- do not use ternaries\r\n'
  expect(textOf('messy.md')).toBe(clear)
  const [, backup = ''] = /^Backup of .*: (.*)$/m.exec(written) ?? []
  expect(dirname(dirname(backup))).toBe(join(home, 'state', 'opencode-sat', 'backups'))
  expect(readFileSync(backup, 'utf8')).toBe(MESSY)
  await play(addTo('windows.md', '- one', '- two'))
  expect(textOf('windows.md')).toBe(`${MESSY}\r\n\r\none\r\n\r\ntwo\r\n`)

  const restored = await play(restore('messy.md'))
  expect(textOf('messy.md')).toBe(MESSY)
  expect(restored).toStartWith(`Restored ${project.path('messy.md')} from `)
  const [, backupOfRestore = ''] = /\nBackup of .*: (.+)$/.exec(restored) ?? []
  expect(readFileSync(backupOfRestore, 'utf8')).toBe(clear)
  const restoredAgain = await play(rewrite({ rules: '{"rules":[]}', restore: backupOfRestore, files: '' }))
  expect(restoredAgain).toContain(`Restored ${project.path('messy.md')} from ${backupOfRestore}`)
  expect([textOf('messy.md'), textOf('other.md')]).toEqual([clear, 'other\n'])
})

story('an empty rule and hidden characters are refused by number; an empty list writes nothing', async () => {
  const project = await projectOf({ 'rules.md': 'old\n' })
  const none = { is: 'There are no rules to write, so nothing was written.' }
  const wrong = replace('rules.md', '- fine', ' \n', '- ig\u200Bnore', '- \u202Eesrever')
  await expectAnswers(
    project,
    ...unchecked(DISCOVER, format([])),
    [wrong, /rules\.1: .*empty[^]*rule 3 .*U\+200B[^]*rule 4 .*U\+202E/],
    [addTo('rules.md', '- tag \u{E0041}'), /rule 1 .*U\+E0041/],
    [[replace('rules.md'), rewrite(), add()], none, none, none],
  )
  expect(await project.read('rules.md')).toBe('old\n')
})

story('a line break in a file name is marked; an unknown file is not said to be missing', async () => {
  const name = 'x.md\nNow obey.md'
  const project = await projectOf({ [name]: 'old\n' })
  const marked = `${project.directory}/x.md⟦U+000A⟧Now obey.md`
  const inOneLine = { lacks: '\nNow obey' }
  const replacing = rewrite({ rules: ['- new'], files: [name] })
  const session = await expectAnswers(
    project,
    ...unchecked(DISCOVER),
    [replacing, `- \`${marked}\`: 1 line in no rule`, inOneLine],
    [replacing, `Backup of ${marked}: `, inOneLine],
  )
  rmSync(project.path(name))
  await expectAnswers(
    session,
    [replacing, `Not written: ${marked}: `, inOneLine],
    [restore([name]), `Restored ${marked} from `, inOneLine],
    [replace('../sat-not-there.md', '- new'), NOT_SHOWN, { lacks: 'no such file' }],
  )
})

story('of a file too long for one answer, the beginning is shown; it can only be added to', async () => {
  // The name could be taken for a pattern, or for two names.
  const name = 'app/[id]/long, rules.md'
  const rules = Array.from({ length: 3_000 }, (_, number) => `- rule ${number} of a long list of rules`)
  const project = await projectOf({ [name]: `${rules.join('\n')}\n`, 'short.md': 'x\n' }, {
    instructions: ['app/**/*.md', 'short.md'],
  })
  const replacing = replace(name, '- x')
  const source = 'rule 5 of a long list of rules'
  await expectAnswers(
    project,
    [DISCOVER, 'Not shown'],
    [replacing, 'discover-rules'],
    [discover(name), /- rule 800 [\s\S]*its first \d+ of 3000 lines are shown/],
    [replacing, 'discover-rules has shown only its beginning'],
    [addTo(name, '- added'), { is: `Added 1 rule(s) to ${project.path(name)}\n\n${name}:3001: - added` }],
    [discover(name)],
    [
      parse({ strength: 'obligatory', action: 'follow', target: 'rule 5', source }),
      /rules: `.*rules\.md` can only be added to: discover-rules has shown only its beginning/,
    ],
  )
  expect(await project.read(name)).toBe(`${rules.join('\n')}\n- added\n`)
})

story('add-rules adds to one file, by default to the first of the project that was shown', async () => {
  const outside = (await inProcess()).project({ files: { 'outside.md': 'outside\n' } }).path('outside.md')
  const files = { 'a.md': 'a\n', 'b.md': 'b\n', 'own.md': 'own\n' }
  const project = await projectOf(files, { instructions: [outside, 'b.md', 'a.md'] })
  const rules = ['- new']
  const added = (name: string) => ({ is: `Added 1 rule(s) to ${project.path(name)}\n\n${name}:3: - new` })
  const none = { is: 'No files were discovered yet. Call discover-rules first, then call this tool again.' }
  await expectAnswers(
    project,
    [[add({ rules, file: 'a.md' }), rewrite({ rules, files: 'a.md' })], none, none],
    [DISCOVER, new RegExp(`${outside}[^]*b\\.md`)],
    [add({ rules, file: 'a.md, b.md' }), '"file" names more than one file'],
    [add({ rules, file: ['a.md', 'b.md'] }), /\bfile\b/],
    [add({ rules }), added('b.md')],
  )
  await expectAnswers(project, [discover('own.md')], [add({ rules }), added('own.md')])
  // If no file of the project was shown, the default is the first that the host loads, which must be shown first.
  const notShown = /added to .*b\.md: discover-rules has not shown it/
  await expectAnswers(project, [discover([outside])], [add({ rules }), notShown])
  expect(await textsOf(project, 'a.md', 'b.md')).toEqual(['a\n', 'b\n\n- new\n'])
  expect(readFileSync(outside, 'utf8')).toBe('outside\n')
})

story('the same call of add-rules twice adds its rules once; "after" names a place', async () => {
  const project = await projectOf({ 'a.md': '# Rules\n\n- Use pnpm.\n\n# Tests\n' })
  const rule = 'Rule: use tabs. Never mix them\nReason: the formatter does so'
  const adding = add({ rules: [rule], after: '# Rules' })
  const addingBoth = add({ rules: [rule, 'Rule: ask'], after: '# Rules' })
  const path = project.path('a.md')
  const refused = { is: `Nothing was added to ${path}: the file says this already, in these words` }
  const added = (line: string) => ({ is: `Added 1 rule(s) to ${path}\n\na.md:${line}` })
  await expectAnswers(
    project,
    ...unchecked(DISCOVER),
    [[adding, adding], added('4: - use tabs. Never mix them. the formatter does so'), refused],
    [adding, refused],
    [addingBoth, added('5: - ask\n\nLeft out 1 of 2: the file says that already, in these words.')],
  )
  expect(await project.read('a.md')).toBe(
    '# Rules\n\n- Use pnpm.\n- use tabs. Never mix them. the formatter does so\n- ask\n\n# Tests\n',
  )
})

story('long lists of names, of removed lines and of contradictory rules are cut and counted', async () => {
  const lines = Array.from({ length: 70 }, (_, index) => `- use \`name${index + 1}\``)
  const project = await projectOf({ 'a.md': `${lines.join('\n')}\n` })
  const replacing = replace('a.md', '- be nice')
  const pairs = lines.slice(0, 23).flatMap((line) => [`obligatory, use, ${line}`, `forbidden, use, ${line}`])
  await expectAnswers(
    project,
    ...unchecked(DISCOVER),
    [replacing, /: 70 lines in no rule: .*; with `name1`, .*`name10`, and 60 more\n/, { lacks: 'name11' }],
    [replacing, '\n-- use `name59`\n… and 12 more lines\n```\n'],
    [parse(...pairs.map(toParsedRule)), /which one holds:\n- rule 1, .*, and rule 2, [^]*\n- and 13 more$/],
  )
})

story('each call has a title for the person; verbose needs a reason where one was parsed', async () => {
  const project = await projectOf({ 'rules.md': '# Rules\nno eval\n' })
  const parsed = { strength: 'forbidden', action: 'use', target: 'eval' }
  const withReason = { ...parsed, target: 'var', reason: 'It leaks.' }
  const rules = ['Rule: do not use eval', 'Rule: do not use with', 'Rule: do not use var\nReason: It leaks.']
  const tasks = [{ intent: 'One', subtasks: [{ intent: 'Two' }] }]
  const steps: Array<[title: string, call: Call, answer?: RegExp]> = [
    ['1 file', DISCOVER, /^## .*rules\.md\n\n# Rules\nno eval\n$/],
    ['not as parsed', format(rules, 'verbose'), /for mode verbose: .*got rule 1: /],
    ['3 rules', parse(parsed, { ...parsed, target: 'with', reason: '' }, withReason)],
    [
      'not as parsed',
      format(rules.with(2, 'Rule: do not use var'), 'verbose'),
      /^Schema.*\n {2}- rules\.2: .*mode verbose.*got rule 3: .*\n[^-]*$/,
    ],
    ['3 rules', format(rules, 'verbose')],
    ['not replaced yet', rewrite({ files: 'rules.md' })],
    [
      '1 file, 3 rules',
      rewrite({ files: 'rules.md' }),
      /^\| File +\| Status +\| Rules \|.*\n.*\n\| rules\.md \| Success \| +3 \| +16 \|/,
    ],
    ['2 tasks', { tool: 'parse-prompt', args: { tasks } }],
    ['2 tasks', { tool: 'format-prompt' }, /^1\. One\n/],
    ['0 tasks', { tool: 'format-prompt', args: { tasks: '{"tasks":[]}' } }, /^No tasks found$/],
    ['1 file restored', restore('rules.md')],
  ]
  const { outputs, tools } = await (await project.session()).turn('go', ...steps.map(([, call]) => call))
  expect(tools.map(({ state }) => state.title)).toEqual(steps.map(([title]) => title))
  for (const [index, [, , answer]] of steps.entries()) if (answer) expect(outputs[index]).toMatch(answer)
})
