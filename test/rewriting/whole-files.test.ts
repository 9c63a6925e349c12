/** Tests rules without sources, which replace whole files, and rules that SAT refuses, doubts or lets correct. */
import { expect } from 'bun:test'
import type { Call } from '../harness/model.ts'
import { toParsedRule } from '../harness/parsed-rule.ts'
import { story } from '../harness/story.ts'
import { add, correct, DISCOVER, format, parse, replace, restore, rewrite, twice } from './calls.ts'
import { accepted, anyAnswer, expectAnswers, projectOf, textsOf } from './play.ts'

const SHOP = '# Shop\n\nThe shop sells tea.\n\n- Prices stand in `src/prices.ts`.\n- Call `make` first.\n'
const RULES = ['Rule: use tabs']
const TABS = toParsedRule('obligatory, use, tabs')
const EVAL = toParsedRule('forbidden, call, eval')

/** Creates the expectation that the whole answer asks to confirm a replacement, with a line about each file. */
const asksToConfirm = (...lines: Array<string>) => ({
  is: [
    'Nothing was written: rules without sources would replace',
    ...lines,
    `To keep everything else, call parse-rules with the source of each rule. ${
      lines.length > 1 ? 'To replace one file only, name it in "files". ' : ''
    }To replace it anyway, send the same call again in another message.`,
  ].join('\n'),
})

story('files are replaced as a whole when the same call comes again in another message', async () => {
  const [fileA, fileB] = ['a/AGENTS.md', 'b/AGENTS.md'] as const
  const project = await projectOf({ [fileA]: SHOP, [fileB]: 'Ask Ann.\n' })
  const [toA, toBoth] = [rewrite({ rules: RULES, files: fileA }), rewrite({ rules: RULES })]
  const otherRulesToA = rewrite({ rules: ['Rule: use spaces'], files: fileA })
  const [a, b] = [fileA, fileB].map((name) => `- \`${project.path(name)}\`: `)
  const lostOfA =
    `${a}4 lines in no rule: \`# Shop\`, \`The shop sells tea.\`, \`\` - Prices stand in \`src/prices.ts\`. \`\`; with \`src/prices.ts\`, \`make\``
  const aboutA = asksToConfirm(lostOfA)
  const aboutBoth = asksToConfirm(lostOfA, `${b}1 line in no rule: \`Ask Ann.\``)
  const session = await expectAnswers(
    project,
    ...anyAnswer(DISCOVER),
    // Neither a copy in the same message nor a call with other rules confirms a call.
    [[toA, toA, toBoth, toBoth], aboutA, aboutA, aboutBoth, aboutBoth],
    [otherRulesToA, aboutA],
  )
  expect(await textsOf(project, fileA, fileB)).toEqual([SHOP, 'Ask Ann.\n'])
  const diff = `--- ${fileB}\n+++ ${fileB}\n@@ -1,1 +1,1 @@\n-Ask Ann.\n+Rule: use tabs\n`
  const canBeRestored = /The backup has them, and \/restore-rules brings the file back/
  await expectAnswers(session, [toBoth, 'The same rules were written to 2 files.', diff, canBeRestored])
})

story('if no line would be lost, SAT asks to confirm the replacement of several files only', async () => {
  const [fileA, fileB] = ['a/AGENTS.md', 'b/AGENTS.md'] as const
  const project = await projectOf({ [fileA]: 'Rule: use tabs\n', [fileB]: 'Rule: use tabs\n' })
  const lines = [fileA, fileB].map((name) => `- \`${project.path(name)}\`: every line is in a rule`)
  const session = await expectAnswers(
    project,
    ...anyAnswer(DISCOVER, parse(TABS), format(RULES)),
    [rewrite(), asksToConfirm(...lines)],
    [rewrite({ files: fileB }), /^\| AGENTS\.md +\| Success/m, { lacks: 'in no rule' }],
  )
  // The call comes again, but a person has changed one of the files: only the other one is written.
  project.write(fileA, 'A person wrote this.\n')
  const onlyB = [/^\| a\/AGENTS\.md +\| Refused/m, /^\| b\/AGENTS\.md +\| Success/m]
  await expectAnswers(session, [rewrite(), ...onlyB, { lacks: 'The same rules' }])
  expect(await textsOf(project, fileA, fileB)).toEqual(['A person wrote this.\n', 'Rule: use tabs\n'])
})

story('after parse-rules refuses rules, it must accept others before a whole file is replaced', async () => {
  const project = await projectOf({ 'a.md': '- Ask Ann.\n', 'b.md': '- No eval!\n', 'c.md': 'use tabs\n' })
  const evalWithSource = { ...EVAL, source: ['No eval!', ' '] }
  const refusedParsing: Call = { tool: 'parse-rules', args: { rules: '[{"strength":' } }
  const replacing = [{}, { rules: RULES }, { rules: ['Rule: x'] }]
    .map((args) => rewrite({ files: 'c.md', ...args }))
  const refused = replacing.map(() => 'parse-rules refused the last rules')
  await expectAnswers(
    project,
    ...anyAnswer(DISCOVER, parse(evalWithSource), format(['Rule: do not call eval']), refusedParsing),
    [format(RULES), accepted(...RULES)],
    [replacing, ...refused],
    // Sending them again confirms nothing.
    [replacing, ...refused],
    [add({ file: 'a.md' }), 'Added 1 rule(s)'],
    [add({ file: 'a.md', rules: ['Rule: do not shout'] }), 'Added 1 rule(s)'],
    [rewrite({ files: 'b.md' }), '| Success |'],
    // A rule whose sources are all blank has none, so it replaces the file.
    ...anyAnswer(parse({ ...TABS, source: ['', ' '] }), format(RULES)),
    [rewrite({ files: 'c.md' }), '| Success |'],
  )
  expect(await textsOf(project, 'a.md', 'b.md', 'c.md'))
    .toEqual(['- Ask Ann.\n- use tabs\n- do not shout\n', '- do not call eval\n', 'Rule: use tabs\n'])
})

story('single rules are corrected by number, also after a refusal', async () => {
  const project = await projectOf({ 'a.md': 'Use tabs!\n\nNever call eval!\n\nPlease run it.\n' })
  const tabs = { ...TABS, source: 'Use tabs!' }
  const misspelt = { ...EVAL, source: 'Never call evil!' }
  const right = { ...EVAL, source: 'Never call eval!' }
  const run = { ...toParsedRule('obligatory, run, it'), source: 'Please run it.' }
  const session = await expectAnswers(
    project,
    ...anyAnswer(DISCOVER),
    [parse(tabs, misspelt, run), /rules\.1\.source[^]*by number: \{"2": …\}/],
    [correct('parse-rules', { 4: misspelt }), 'no rule 4 to correct: parse-rules was sent 3 rules in this'],
    [correct('parse-rules', { 2: { source: right.source } }), accepted(tabs, right, run)],
  )

  const [evalText, runText, runAll] = ['Rule: do not call eval', 'Rule: run it', 'Rule: run it all']
  await expectAnswers(
    session,
    [format([...RULES, 'Rule: call eval', runText]), /rules\.1: rule 2 does not forbid[^]*by number/],
    [correct('format-rules', JSON.stringify({ 2: evalText })), accepted(...RULES, evalText, runText)],
    [correct('format-rules', [{ index: 1, rule: 'Rule: tabs' }]), accepted('Rule: tabs', evalText, runText)],
    [correct('format-rules', { 3: { rule: runAll } }), accepted('Rule: tabs', evalText, runAll)],
    ...anyAnswer(rewrite()),
  )
  expect(await project.read('a.md')).toBe('tabs\n\ndo not call eval\n\nrun it all\n')

  const twoForRule1 = [{ index: 1, rule: 'Rule: x' }, { index: '1', rule: 'Rule: y' }]
  await expectAnswers(
    session,
    [correct('format-rules', twoForRule1), { is: 'Rule 1 is corrected twice: send it once.' }],
    ...anyAnswer(correct('format-rules', { 1: 'Rule: use soft tabs' })),
    // The sources of these rules are replaced already, so the corrected texts would replace the whole file.
    [rewrite(), 'every line is in a rule\nTo keep everything else'],
  )
  expect(await project.read('a.md')).toBe('tabs\n\ndo not call eval\n\nrun it all\n')
})

story('a file is restored only if it was discovered, has a backup, and is unchanged since', async () => {
  const project = await projectOf({ 'a.md': 'a\n', 'b.md': 'b\n', 'c.md': 'c\n' })
  const [a, b, c] = ['a.md', 'b.md', 'c.md'].map(project.path)
  const session = await expectAnswers(
    project,
    [restore(), 'No files were discovered yet. Call discover-rules first'],
    [restore('a.md'), 'Call discover-rules first'],
    ...anyAnswer(DISCOVER),
    [
      restore(),
      'None of the discovered files has the backup that "restore" names, so nothing was written. Name the',
    ],
    ...anyAnswer(...twice(replace('a.md, b.md', '- x'))),
    [restore(), `Name one in "files": ${a}, ${b}`],
    [restore('c.md'), `Not restored: ${c}: it has no backup`],
    [restore('a.md', '/etc/hostname'), 'it has no backup called /etc/hostname'],
    [rewrite({ rules: ['- y'], restore: 'latest', files: 'a.md' }), 'not both'],
    [rewrite(), '"rules" was left out'],
  )
  expect(await project.read('a.md')).toBe('- x\n')
  project.write('a.md', 'by hand\n')
  await expectAnswers(
    session,
    [restore('a.md'), 'it changed since discover-rules showed it'],
    ...anyAnswer(DISCOVER),
    [restore('a.md'), `Restored ${a} from `],
    ...anyAnswer(restore('a.md, b.md, c.md')),
  )
  expect(await project.read('b.md')).toBe('b\n')
})

story('a call without rules writes those that format-rules last accepted, in their mode', async () => {
  const project = await projectOf({ 'a.md': 'a\n', 'b.md': 'b\n' })
  const lastAccepted = 'the 2 rules that format-rules last validated'
  const added = `Added 2 rule(s) to ${project.path('b.md')}\n\nb.md:3: use tabs\nb.md:5: use semicolons`
  const none = 'Call format-rules first'
  const [toA, toB] = [rewrite({ files: 'a.md' }), rewrite({ files: 'b.md' })]
  await expectAnswers(
    project,
    ...anyAnswer(DISCOVER),
    [[toA, add({ file: 'a.md' })], none, none],
    ...anyAnswer(format(['- use tabs', '- use semicolons'], 'concise')),
    [rewrite({ files: 'a.md', mode: 'verbose' }), /mode verbose[\s\S]*rules\.0/],
    [rewrite({ files: 'a.md', rules: null }), lastAccepted],
    [add({ file: 'b.md' }), { is: `${added}\n\nWritten: ${lastAccepted}.` }],
    // If format-rules then refuses rules, or parse-rules accepts others, there is nothing to write.
    ...anyAnswer(format(['Rule: use tabs'], 'concise')),
    [toB, none],
    ...anyAnswer(format(['- use spaces']), format([7])),
    [toB, none],
    ...anyAnswer(format(['- use spaces']), parse(EVAL)),
    [toB, none],
  )
  expect(await textsOf(project, 'a.md', 'b.md'))
    .toEqual(['- use tabs\n- use semicolons\n', 'b\n\nuse tabs\n\nuse semicolons\n'])
})

story('texts that SAT doubts are accepted when they are sent again in a valid form', async () => {
  const project = await projectOf({ 'rules.md': 'no eval\n' })
  const rules = ['- use eval', '- use early returns']
  const toFile = rewrite({ files: 'rules.md' })
  const wrongForm = /expected for mode verbose[^]*rule 1 does not forbid/
  const doubt = /\nIf the rules say what is meant, send the same again in another message\.$/
  await expectAnswers(
    project,
    ...anyAnswer(DISCOVER, parse(EVAL, toParsedRule('obligatory, use, early returns'))),
    [format(rules, 'verbose'), wrongForm, { lacks: 'send the same again' }],
    [toFile, 'Call format-rules first'],
    [rewrite({ files: 'rules.md', rules }), 'refused these rules'],
    [add({ rules }), 'refused these rules'],
    [format(rules, 'verbose'), wrongForm],
    [format(['- call eval', rules[1]]), doubt],
    // SAT has doubted these texts, too, when they came in the wrong form, so this call sends them again.
    [format(rules, 'concise'), accepted(...rules)],
    ...anyAnswer(toFile),
  )
  expect(await project.read('rules.md')).toBe(`${rules.join('\n')}\n`)
})
