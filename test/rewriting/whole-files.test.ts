/** Rules without sources replace a whole file, which is confirmed first; accepted and refused sets of rules; restores. */
import { expect } from 'bun:test'
import { toParsedRule } from '../harness/parsed-rule.ts'
import { story } from '../harness/story.ts'
import {
  accepted,
  add,
  answersIn,
  correct,
  DISCOVER,
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

const SHOP = '# Shop\n\nThe shop sells tea.\n\n- Prices stand in `src/prices.ts`.\n- Call `make` first.\n'
const RULES = ['Rule: use tabs']
const [TABS, EVAL] = ['obligatory, use, tabs', 'forbidden, call, eval'].map(toParsedRule)

const question = (...files: Array<string>) => ({
  is: [
    'Nothing was written: rules without sources would replace',
    ...files,
    `To keep everything else, call parse-rules with the source of each rule. ${
      files.length > 1 ? 'To replace one file only, name it in "files". ' : ''
    }To replace it anyway, send the same call again in another message.`,
  ].join('\n'),
})

story('files are replaced as a whole when the same call comes again in another message', async () => {
  const project = await start({ 'a.md': SHOP, 'b.md': 'Ask Ann.\n' })
  const [toA, toAll] = [write({ rules: RULES, files: 'a.md' }), write({ rules: RULES })]
  const [a, b] = ['a.md', 'b.md'].map((name) => `- \`${project.path(name)}\`: `)
  const ofA =
    `${a}4 lines in no rule: \`# Shop\`, \`The shop sells tea.\`, \`\` - Prices stand in \`src/prices.ts\`. \`\`; with \`src/prices.ts\`, \`make\``
  const [aboutA, aboutBoth] = [question(ofA), question(ofA, `${b}1 line in no rule: \`Ask Ann.\``)]
  const session = await expectAnswers(
    project,
    [DISCOVER],
    // Not in one message, whatever its calls name.
    [[toA, toA, toAll, toAll], aboutA, aboutA, aboutBoth, aboutBoth],
    // Other rules are another question.
    [write({ rules: ['Rule: use spaces'], files: 'a.md' }), aboutA],
  )
  expect(await textsOf(project, 'a.md', 'b.md')).toEqual([SHOP, 'Ask Ann.\n'])
  await expectAnswers(
    session,
    [toAll, 'The same rules were written to 2 files.'],
    // Several files are a question even if each rule says all of them; a file that is named is not.
    ...unchecked(parse(TABS), format(RULES)),
    [write(), question(`${a}every line is in a rule`, `${b}every line is in a rule`)],
    [write({ files: 'b.md' }), /^\| b\.md +\| Success/m],
  )
  project.write('a.md', 'A person wrote this.\n')
  await expectAnswers(session, [
    write(),
    /^\| a\.md +\| Refused/m,
    /^\| b\.md +\| Success/m,
    /^(?![^]*The same rules)/,
  ])
  expect(await textsOf(project, 'a.md', 'b.md')).toEqual(['A person wrote this.\n', 'Rule: use tabs\n'])
})

story('two files of the same name are told apart in table and diff', async () => {
  const names = ['a/AGENTS.md', 'b/AGENTS.md', 'b/old.md']
  const project = await start(Object.fromEntries(names.map((name) => [name, `${name}\n`])))
  const rows = names.flatMap((name) => [
    new RegExp(`^\\| ${name} +\\| Success`, 'm'),
    `--- ${name}\n+++ ${name}\n@@ -1,1 +1,1 @@\n-${name}\n+Rule: use tabs\n`,
  ])
  const call = write({ rules: RULES, files: names })
  await expectAnswers(project, ...unchecked(DISCOVER, call), [call, ...rows])
})

story('after a refused parse-rules, no file is replaced, but other sets of rules are written', async () => {
  const project = await start({
    'a.md': '- Ask Ann.\n',
    'b.md': '- Never call eval!\n',
    'c.md': 'use tabs\n',
  })
  const replacing = [{}, { rules: RULES }, { rules: ['Rule: x'] }].map((args) =>
    write({ files: 'c.md', ...args })
  )
  const refused = replacing.map(() => 'parse-rules refused the last rules')
  await expectAnswers(
    project,
    ...unchecked(
      DISCOVER,
      parse({ ...EVAL, source: ['Never call eval!', ' '] }),
      format(['Rule: do not call eval']),
    ),
    ...unchecked({ tool: 'parse-rules', args: { rules: '[{"strength":' } }),
    [format(RULES), { is: accepted(...RULES) }],
    [replacing, ...refused],
    [replacing, ...refused],
    [add({ file: 'a.md' }), 'Added 1 rule(s)'],
    [add({ file: 'a.md', rules: ['Rule: do not shout'] }), 'Added 1 rule(s)'],
    [write({ files: 'b.md' }), '| Success |'],
    ...unchecked(parse({ ...TABS, source: ['', ' '] }), format(RULES)),
    [write({ files: 'c.md' }), '| Success |'],
  )
  expect(await textsOf(project, 'a.md', 'b.md', 'c.md')).toEqual([
    '- Ask Ann.\n- use tabs\n- do not shout\n',
    '- do not call eval\n',
    'Rule: use tabs\n',
  ])
})

story('single rules are corrected by number, also after a refusal', async () => {
  const project = await start({ 'a.md': 'Use tabs!\n\nNever call eval!\n\nPlease run it.\n' })
  const tabs = { ...TABS!, source: 'Use tabs!' }
  const wrong = { ...EVAL!, source: 'Never call evil!' }
  const right = { ...wrong, source: 'Never call eval!' }
  const run = { ...toParsedRule('obligatory, run, it'), source: 'Please run it.' }
  const texts = ['Rule: use tabs', 'Rule: do not call eval', 'Rule: run it']
  const sent = 'parse-rules was sent'
  const session = await expectAnswers(
    project,
    [correct('parse-rules', { 2: wrong }), `There is no rule 2 to correct: ${sent} 0 rules in this session`],
    [DISCOVER],
    [parse(tabs, wrong, run), /rules\.1\.source[^]*by number: \{"2": …\}/],
    [correct('parse-rules', { 4: wrong }), `There is no rule 4 to correct: ${sent} 3 rules in this session.`],
    [correct('parse-rules', { 2: { source: 'Never call eval!' } }), accepted(tabs, right, run)],
    [format(texts.with(1, 'Rule: call eval')), /rules\.1: rule 2 does not forbid[^]*by number/],
    [correct('format-rules', '{"2":"Rule: do not call eval"}'), { is: accepted(...texts) }],
    [
      correct('format-rules', [{ index: 1, rule: 'Rule: use hard tabs' }]),
      { is: accepted('Rule: use hard tabs', ...texts.slice(1)) },
    ],
    [
      correct('format-rules', { 3: { rule: 'Rule: run it always' } }),
      { is: accepted('Rule: use hard tabs', texts[1], 'Rule: run it always') },
    ],
    [write()],
    [
      correct('format-rules', [{ index: 1, rule: 'Rule: x' }, { index: '1', rule: 'Rule: y' }]),
      { is: 'Rule 1 is corrected twice: send it once.' },
    ],
    [correct('format-rules', { 1: 'Rule: use soft tabs' })],
    // Other texts for rules that are in place ask before they replace the file.
    [write(), 'every line is in a rule\nTo keep everything else'],
  )
  expect(await project.read('a.md')).toBe('use hard tabs\n\ndo not call eval\n\nrun it always\n')
  const written = ['Rule: use soft tabs', 'Rule: do not call eval', 'Rule: run it always']
  await expectAnswers(session, [write()], [write({ rules: written }), 'a.md: it says this already.'])
})

story('a restore has the same guards as a rewrite', async () => {
  const project = await start({ 'a.md': 'a\n', 'b.md': 'b\n', 'c.md': 'c\n' })
  const [a, b, c] = ['a.md', 'b.md', 'c.md'].map((name) => project.path(name))
  const session = await expectAnswers(
    project,
    [restore(), 'No files were discovered yet. Call discover-rules first'],
    [restore('a.md'), 'Call discover-rules first'],
    [DISCOVER],
    [restore(), {
      is: 'None of the discovered files has such a backup, so nothing was written. Name the file in "files".',
    }],
    ...unchecked(...twice(rewrite('a.md, b.md', '- x'))),
    [restore(), `Name one in "files": ${a}, ${b}`],
    [restore('c.md'), `Not restored: ${c}: it has no backup`],
    [restore('a.md', '/etc/hostname'), 'it has no backup called /etc/hostname'],
    [write({ rules: ['- y'], restore: 'latest', files: 'a.md' }), 'not both'],
    [write(), '"rules" was left out'],
  )
  expect(await project.read('a.md')).toBe('- x\n')
  project.write('a.md', 'by hand\n')
  await expectAnswers(
    session,
    [restore('a.md'), 'it changed since discover-rules showed it'],
    [DISCOVER],
    [restore('a.md'), `Restored ${a} from `],
    [restore('a.md, b.md, c.md')],
  )
  expect(await project.read('b.md')).toBe('b\n')
})

const EVAL_RULE = { strength: 'forbidden', action: 'use', target: 'eval', reason: 'unsafe' }

story('the writers write what format-rules last accepted in the session, in its mode', async () => {
  const project = await start({ 'a.md': 'a\n', 'b.md': 'b\n' })
  const last = 'Written: the 2 rules that format-rules last validated.'
  const none = 'Call format-rules first'
  const toB = write({ files: 'b.md' })
  await expectAnswers(
    project,
    [DISCOVER],
    [write({ files: 'a.md' }), none],
    [add({ file: 'a.md' }), none],
    [format(['- use tabs', '- use semicolons'], 'concise')],
    [write({ files: 'a.md', mode: 'verbose' }), /mode verbose[\s\S]*rules\.0/],
    [write({ files: 'a.md', rules: null }), 'the 2 rules that format-rules last validated'],
    [add({ file: 'b.md' }), {
      is: `Added 2 rule(s) to ${project.path('b.md')}\n\nb.md:3: use tabs\nb.md:5: use semicolons\n\n${last}`,
    }],
    ...unchecked(format(['Rule: use tabs'], 'concise')),
    [toB, none],
    ...unchecked(format(['- use spaces']), format([7])),
    [toB, none],
    ...unchecked(format(['- use spaces']), parse(EVAL_RULE)),
    [toB, none],
  )
  expect(await textsOf(project, 'a.md', 'b.md'))
    .toEqual(['- use tabs\n- use semicolons\n', 'b\n\nuse tabs\n\nuse semicolons\n'])
  expect(await answersIn(project, format(['Rule: write haiku']))).toEqual([accepted('Rule: write haiku')])
})

story('doubted texts are accepted when sent again, but not in a wrong form', async () => {
  // Its words are in the rules.
  const project = await start({ 'rules.md': 'no eval\n' })
  const rules = ['- use eval', '- use early returns']
  const toFile = write({ files: 'rules.md' })
  const formless = [/expected for mode verbose[^]*rule 1 does not forbid/, /^(?![^]*send the same again)/]
  await expectAnswers(
    project,
    ...unchecked(
      DISCOVER,
      parse(...['forbidden, use, eval', 'obligatory, use, early returns'].map(toParsedRule)),
    ),
    [format(rules, 'verbose'), ...formless],
    [toFile, 'Call format-rules first'],
    [write({ files: 'rules.md', rules }), 'refused these rules'],
    [add({ rules }), 'refused these rules'],
    [format(rules, 'verbose'), ...formless],
    [
      format(['- call eval', ...rules.slice(1)]),
      /\nIf the rules say what is meant, send the same again in another message\.$/,
    ],
    [format(rules, 'concise'), { is: accepted(...rules) }],
    [toFile],
  )
  expect(await project.read('rules.md')).toBe(`${rules.join('\n')}\n`)
})
