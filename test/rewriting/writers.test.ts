/** What the tools answer and write for files that changed, cannot be read, are long, or have odd names and line ends. */
import { expect } from 'bun:test'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { inProcess } from '../harness/in-process.ts'
import { toParsedRule } from '../harness/parsed-rule.ts'
import { story } from '../harness/story.ts'
import {
  add,
  answersIn,
  append,
  DISCOVER,
  discover,
  expectAnswers,
  format,
  parse,
  restore,
  rewrite,
  start,
  textsOf,
  twice,
  unchecked,
  write,
} from './writer-calls.ts'

const NOT_SHOWN = 'discover-rules has not shown it'

story('a file that somebody else wrote is not rewritten until it is discovered again', async () => {
  const project = await start({ 'rules.md': 'old\n', 'own.md': 'own\n' })
  project.write('README.md', 'not an instruction file\n')
  const [first, second, third] = [await project.session(), await project.session(), await project.session()]
  const write = rewrite('rules.md', '- x')
  const changed = 'changed since discover-rules showed it'
  await expectAnswers(first, [DISCOVER])
  project.write('rules.md', 'Use tabs.\n')
  const unknownFiles = [rewrite('README.md', '- x'), append('README.md', '- x')]
  await expectAnswers(first, [[write, ...unknownFiles], changed, NOT_SHOWN, NOT_SHOWN], [DISCOVER])
  await expectAnswers(second, [DISCOVER])
  for (const [writer, outdated, rule] of [[second, first, '- second'], [first, second, '- first']] as const) {
    await expectAnswers(writer, [append('rules.md', rule), 'Added 1'])
    await expectAnswers(outdated, [write, changed])
  }
  const added = `Added 1 rule(s) to ${project.path('rules.md')}\n`
  await expectAnswers(first, ...unchecked(DISCOVER, ...twice(write)), [append('rules.md', '- own'), added])
  const parsing = parse({ strength: 'obligatory', action: 'use', target: 'tabs', source: 'Use tabs.' })
  await expectAnswers(second, [parsing, changed])

  const none = { is: 'No files were discovered yet. Call discover-rules first, then call this tool again.' }
  await expectAnswers(
    third,
    [write, none],
    [append('rules.md', '- x'), none],
    [discover('own.md')],
    [append(undefined, '- mine'), { is: `Added 1 rule(s) to ${project.path('own.md')}\n\nown.md:3: mine` }],
  )
  expect(await textsOf(project, 'rules.md', 'own.md', 'README.md'))
    .toEqual(['- x\n- own\n', 'own\n\nmine\n', 'not an instruction file\n'])
  rmSync(project.path('rules.md'))
  await expectAnswers(second, [parsing, /`.*rules\.md` can no longer be read: no such file/])
})

story('a folder, a pipe and bytes that are not UTF-8 are refused; a good file is written', async () => {
  const project = await start({ 'good.md': 'old\n', 'bad.md': new Uint8Array([0x61, 0x62, 0xff, 0x0a]) })
  mkdirSync(project.path('folder.md'))
  Bun.spawnSync(['mkfifo', project.path('pipe.md')])
  const names = ['folder.md', 'pipe.md', 'bad.md', 'gone.md']
  const rows = names.flatMap((name) => [
    new RegExp(`^\\| ${name} +\\| (Read error|Refused) +\\|`, 'm'),
    `Not written: ${project.path(name)}: `,
  ])
  const [first, again] = twice(rewrite(`${names.join()}, good.md`, '- new'))
  const session = await expectAnswers(
    project,
    [DISCOVER, 'not valid UTF-8'],
    [first],
    [again, ...rows, 'not valid UTF-8', /^\| good\.md +\| Success +\| +1 \|/m],
    [append('folder.md', '- new'), 'Nothing was added'],
  )
  expect(await project.read('good.md')).toBe('- new\n')
  // A file that could not be read was not shown: nothing is added to it until it is.
  project.write('bad.md', 'mended\n')
  const call = append('bad.md', '- new')
  await expectAnswers(session, [call, NOT_SHOWN], [DISCOVER], [call, 'Added 1 rule'])
})

// A byte-order mark, frontmatter, line ends of Windows, and none at the end: a restore must bring all of them back.
const MESSY = '\uFEFF---\r\ntitle: x\r\n---\r\nno ternaries pls\r\nbe nice'

story('a restore brings back each byte; an addition keeps byte-order mark and line ends', async () => {
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
  const { outputs: [, back = ''] } = await session.turn('back', DISCOVER, restore('messy.md'))
  expect(textOf('messy.md')).toBe(MESSY)
  const [, restored, backupOfRestore = ''] = /^Restored (.+) from .+\nBackup of .*: (.+)$/.exec(back) ?? []
  expect(restored).toBe(project.path('messy.md'))
  expect(readFileSync(backupOfRestore, 'utf8')).toBe(clear)
  const restoreAgain = write({ rules: '{"rules":[]}', restore: backupOfRestore, files: '' })
  await expectAnswers(session, [restoreAgain, `Restored ${project.path('messy.md')} from ${backupOfRestore}`])
  expect([textOf('messy.md'), textOf('other.md')]).toEqual([clear, 'other\n'])
})

story('an empty rule and hidden characters are refused by number; an empty list writes nothing', async () => {
  const project = await start({ 'rules.md': 'old\n' })
  const none = { is: 'There are no rules to write, so nothing was written.' }
  await expectAnswers(
    project,
    ...unchecked(DISCOVER, format([])),
    [
      rewrite('rules.md', '- fine', ' \n', '- ig\u200Bnore', '- \u202Eesrever'),
      /rules\.1: .*empty[^]*rule 3 .*U\+200B[^]*rule 4 .*U\+202E/,
    ],
    [append('rules.md', `- tag ${String.fromCodePoint(0xe0041)}`), /rule 1 .*U\+E0041/],
    ...[rewrite('rules.md'), ...twice(write()), add()].map((
      call,
    ): [typeof call, typeof none] => [call, none]),
  )
  expect(await project.read('rules.md')).toBe('old\n')
})

story('a line break in a file name is marked; an unknown file is refused, existing or not', async () => {
  const name = 'x.md\nNow obey.md'
  const project = await start({ [name]: 'old\n' })
  const shown = `${project.directory}/x.md⟦U+000A⟧Now obey.md`
  const inOneLine = /^(?![^]*^Now obey)/m
  const writing = write({ rules: ['- new'], files: [name] })
  const session = await expectAnswers(
    project,
    [DISCOVER],
    [writing, `- \`${shown}\`: 1 line in no rule`, inOneLine],
    [writing, `Backup of ${shown}: `, inOneLine],
  )
  rmSync(project.path(name))
  await expectAnswers(
    session,
    [writing, `Not written: ${shown}: `, inOneLine],
    [restore([name]), `Restored ${shown} from `, inOneLine],
    [rewrite('../sat-not-there.md', '- new'), NOT_SHOWN, /^(?![^]*no such file)/],
  )
})

// Its name could be taken for a pattern, and for two names.
const LONG = 'app/[id]/long, rules.md'

story('a file that is too long for one answer is shown by its beginning, and can be added to', async () => {
  const rules = Array.from({ length: 3_000 }, (_, number) => `- rule ${number} of a long list of rules`)
  const project = await start({ [LONG]: `${rules.join('\n')}\n`, 'short.md': 'x\n' }, {
    instructions: ['app/**/*.md', 'short.md'],
  })
  const rewriting = rewrite(LONG, '- x')
  const source = 'rule 5 of a long list of rules'
  await expectAnswers(
    project,
    [DISCOVER, 'Not shown'],
    [rewriting, 'discover-rules'],
    [discover(LONG), /- rule 800 [\s\S]*its first \d+ of 3000 lines are shown/],
    [rewriting, 'discover-rules has shown only its beginning'],
    [append(LONG, '- added'), { is: `Added 1 rule(s) to ${project.path(LONG)}\n\n${LONG}:3001: - added` }],
    [discover(LONG)],
    [
      parse({ strength: 'obligatory', action: 'follow', target: 'rule 5', source }),
      /rules: `.*rules\.md` can only be added to: discover-rules has shown only its beginning/,
    ],
  )
  expect(await project.read(LONG)).toBe(`${rules.join('\n')}\n- added\n`)
})

story('add-rules adds to one file, by default to the first of the project', async () => {
  const outside = (await inProcess()).project({ files: { 'outside.md': 'outside\n' } }).path('outside.md')
  const project = await start({ 'a.md': 'a\n', 'b.md': 'b\n' }, { instructions: [outside, 'b.md', 'a.md'] })
  const rules = ['- new']
  await expectAnswers(
    project,
    [DISCOVER, new RegExp(`${outside}[^]*b\\.md`)],
    [add({ rules, file: 'a.md, b.md' }), '"file" names more than one file'],
    [add({ rules, file: ['a.md', 'b.md'] }), /\bfile\b/],
    [add({ rules }), { is: `Added 1 rule(s) to ${project.path('b.md')}\n\nb.md:3: - new` }],
  )
  expect(await textsOf(project, 'a.md', 'b.md')).toEqual(['a\n', 'b\n\n- new\n'])
  // The project's own file has to be shown first.
  await expectAnswers(project, [discover([outside])], [
    add({ rules }),
    /added to .*b\.md: discover-rules has not shown it/,
  ])
  expect(readFileSync(outside, 'utf8')).toBe('outside\n')
})

story('the same call of add-rules twice adds its rules once; "after" names a place', async () => {
  const project = await start({ 'a.md': '# Rules\n\n- Use pnpm.\n\n# Tests\n' })
  const rule = 'Rule: use tabs. Never mix them\nReason: the formatter does so'
  const [call, both] = [[rule], [rule, 'Rule: ask']].map((rules) => add({ rules, after: '# Rules' }))
  const path = project.path('a.md')
  const refused = { is: `Nothing was added to ${path}: the file says this already, in these words` }
  const added = (line: string, more = '') => ({ is: `Added 1 rule(s) to ${path}\n\na.md:${line}${more}` })
  await expectAnswers(
    project,
    [DISCOVER],
    [[call!, call!], added('4: - use tabs. Never mix them. the formatter does so'), refused],
    [call!, refused],
    [both!, added('5: - ask', '\n\nLeft out 1 of 2: the file says that already, in these words.')],
  )
  expect(await project.read('a.md')).toBe(
    '# Rules\n\n- Use pnpm.\n- use tabs. Never mix them. the formatter does so\n- ask\n\n# Tests\n',
  )
})

const GUIDE = `# Shop

Start with [the guide](docs/guide.md). Run \`npm run build\` and \`npm run lint\` first.

\`\`\`sh
npm ci
\`\`\`

Never use \`eval\`. Name new files like \`src/orders.ts\`. Tests are \`src/**/*.spec.ts\`.
`

story('discover-rules lists stale names; a whole replacement lists the lines that no rule says', async () => {
  const files = {
    'AGENTS.md': GUIDE,
    'package.json': '{"scripts":{"build":"tsc"}}',
    'src/cart.ts': 'export {}\n',
    'docs/guide.md': 'x\n',
  }
  const project = (await inProcess()).project({ files })
  const path = project.path('AGENTS.md')
  const guide = 'Rule: read the guide, docs/guide.md'
  const replacing = write({ rules: ['Rule: never use `eval`', guide] })
  const names = 'with `npm run build`, `npm run lint`, `src/orders.ts`, `src/**/*.spec.ts`'
  await expectAnswers(
    project,
    [
      DISCOVER,
      `- ${path} line 3: \`npm run lint\`: package.json has no script "lint"\n`
      + `- ${path} line 9: \`src/orders.ts\`: not found, though \`src/\` is there\n`
      + `- ${path} line 9: \`src/**/*.spec.ts\`: no file matches, though \`src/\` is there`,
    ],
    [
      replacing,
      `\n- \`${path}\`: 5 lines in no rule: \`# Shop\`, \`\` Start with [the guide](docs/guide.md). Run \`npm run build\` and \`npm run lint\` first. \`\`, \`\`\`\` \`\`\`sh \`\`\`\`; ${names}\n`,
    ],
    [
      replacing,
      'SAVED ',
      /: 5 lines in no rule: .*\. The backup has them, and \/restore-rules brings the file back\./,
    ],
    // If no line goes, there is neither a question nor a note.
    [
      write({ rules: ['Rule: never use `eval`\nReason: it is slow', guide] }),
      /^(?=[^]*Success)(?![^]*in no rule)/,
    ],
  )
})

story('long lists of names, of removed lines and of contradictory rules are cut and counted', async () => {
  const names = Array.from({ length: 70 }, (_, index) => `- use \`name${index + 1}\``)
  const project = await start({ 'a.md': `${names.join('\n')}\n` })
  const [asking, writing] = twice(rewrite('a.md', '- be nice'))
  const pairs = names.slice(0, 23).flatMap((name) => [`obligatory, use, ${name}`, `forbidden, use, ${name}`])
  await expectAnswers(
    project,
    [DISCOVER],
    [asking, /: 70 lines in no rule: .*; with `name1`, .*`name10`, and 60 more\n/, /^(?![^]*name11)/],
    [writing, '\n-- use `name59`\n… and 12 more lines\n```\n'],
    [parse(...pairs.map(toParsedRule)), /which one holds:\n- rule 1, .*, and rule 2, [^]*\n- and 13 more$/],
  )
})

story('each tool has a title for the person; verbose needs a reason where one was parsed', async () => {
  const project = await start({ 'rules.md': '# Rules\nno eval\n' })
  const bare = { strength: 'forbidden', action: 'use', target: 'eval' }
  const parsed = [bare, { ...bare, target: 'with', reason: '' }, {
    ...bare,
    target: 'var',
    reason: 'It leaks.',
  }]
  const rules = ['Rule: do not use eval', 'Rule: do not use with', 'Rule: do not use var\nReason: It leaks.']
  const without = format(rules.with(2, 'Rule: do not use var'), 'verbose')
  const tasks = { tool: 'parse-prompt', args: { tasks: [{ intent: 'One', subtasks: [{ intent: 'Two' }] }] } }
  const { outputs, tools } = await (await project.session()).turn(
    'go',
    ...[DISCOVER, format(rules, 'verbose'), parse(...parsed), without, format(rules, 'verbose')],
    ...[...twice(write({ files: 'rules.md' })), tasks, { tool: 'format-prompt' }],
    { tool: 'format-prompt', args: { tasks: '{"tasks":[]}' } },
    restore('rules.md'),
  )
  expect(outputs[0]).toBe(`## ${project.path('rules.md')}\n\n# Rules\nno eval\n`)
  expect(outputs[1]).toMatch(/for mode verbose: .*got rule 1: /)
  expect(outputs[3]).toMatch(/^Schema.*\n {2}- rules\.2: .*mode verbose.*got rule 3: .*\n[^-]*$/)
  expect(outputs[6]).toMatch(
    /^\| File +\| Status +\| Rules \|.*\n.*\n\| rules\.md \| Success \| +3 \| +16 \|/,
  )
  expect(outputs[8]).toStartWith('1. One\n')
  expect(outputs[9]).toBe('No tasks found')
  expect(tools.map(({ state }) => state.title)).toEqual([
    ...[
      '1 file',
      'not as parsed',
      '3 rules',
      'not as parsed',
      '3 rules',
      'not replaced yet',
      '1 file, 3 rules',
    ],
    ...['2 tasks', '2 tasks', '0 tasks', '1 file restored'],
  ])
})
