/** Rules without sources replace whole files, and `restore` brings the files back. */
import { expect } from 'bun:test'
import { toParsedRule } from '../harness/parsed-rule.ts'
import { story } from '../harness/story.ts'
import { DISCOVER, format, parse, replace, restore, rewrite, twice } from './calls.ts'
import { anyAnswer, expectAnswers, projectOf, textsOf } from './play.ts'

const [A, B] = ['a/AGENTS.md', 'b/AGENTS.md'] as const
const SHOP = '# Shop\n\nThe shop sells tea.\n\n- Prices stand in `src/prices.ts`.\n- Call `make` first.\n'
const RULES = ['Rule: use tabs']

const asksToConfirm = (...lines: Array<string>) => ({
  is: [
    'Nothing was written: rules without sources would replace',
    ...lines,
    `To replace only the words that the rules come from, call parse-rules with the source of each rule. ${
      lines.length > 1 ? 'To replace one file only, name it in "files". ' : ''
    }To replace whole files anyway, send the same call again in another message.`,
  ].join('\n'),
})

story('files are replaced as a whole when the same call comes again in another message', async () => {
  const project = await projectOf({ [A]: SHOP, [B]: 'Ask Ann.\n' })
  const [toA, toBoth] = [rewrite({ rules: RULES, files: A }), rewrite({ rules: RULES })]
  const otherRulesToA = rewrite({ rules: ['Rule: use spaces'], files: A })
  // Of the four lines, the answer quotes three.
  const lostOfA = `- \`${project.path(A)}\`: 4 lines in no rule: \`# Shop\`, \`The shop sells tea.\`, `
    + '`` - Prices stand in `src/prices.ts`. ``; names in no rule: `src/prices.ts`, `make`'
  const lostOfB = `- \`${project.path(B)}\`: 1 line in no rule: \`Ask Ann.\``
  const [aboutA, aboutBoth] = [asksToConfirm(lostOfA), asksToConfirm(lostOfA, lostOfB)]
  const session = await expectAnswers(
    project,
    ...anyAnswer(DISCOVER),
    // Neither a copy in the same message nor a call with other rules confirms a call.
    [[toA, toA, toBoth, toBoth], aboutA, aboutA, aboutBoth, aboutBoth],
    [otherRulesToA, aboutA],
  )
  expect(await textsOf(project, A, B)).toEqual([SHOP, 'Ask Ann.\n'])
  const diff = `--- ${B}\n+++ ${B}\n@@ -1,1 +1,1 @@\n-Ask Ann.\n+Rule: use tabs\n`
  const canBeRestored = /The backup contains these lines, and \/restore-rules restores the file/
  await expectAnswers(session, [toBoth, 'The same rules were written to 2 files.', diff, canBeRestored])
})

story('if no line would be lost, SAT asks only if a call would replace several files', async () => {
  const project = await projectOf({ [A]: 'Rule: use tabs\n', [B]: 'Rule: use tabs\n' })
  const lines = [A, B].map((name) => `- \`${project.path(name)}\`: every line is in a rule`)
  const toBoth = rewrite()
  const session = await expectAnswers(
    project,
    ...anyAnswer(DISCOVER, parse(toParsedRule('obligatory, use, tabs')), format(RULES)),
    [toBoth, asksToConfirm(...lines)],
    [rewrite({ files: B }), /^\| AGENTS\.md +\| Success/m, { lacks: 'in no rule' }],
  )
  project.write(A, 'A person wrote this.\n')
  const onlyB = [/^\| a\/AGENTS\.md +\| Refused/m, /^\| b\/AGENTS\.md +\| Success/m]
  await expectAnswers(session, [toBoth, ...onlyB, { lacks: 'The same rules' }])
  expect(await textsOf(project, A, B)).toEqual(['A person wrote this.\n', 'Rule: use tabs\n'])
})

const noBackup =
  'None of the discovered files in the project has the backup that "restore" names, so nothing was written. Name the'

story('a file outside the project is not restored unless the call names it', async () => {
  const other = await projectOf({ 'a.md': 'a\n' })
  await expectAnswers(other, ...anyAnswer(DISCOVER, ...twice(replace('a.md', '- x'))))
  const project = await projectOf({}, { instructions: [other.path('a.md')] })
  await expectAnswers(project, [DISCOVER, other.path('a.md')], [restore(), noBackup])
  expect(await other.read('a.md')).toBe('- x\n')
})

story('a file is restored only if it has a backup, and has not changed since its discovery', async () => {
  const project = await projectOf({ 'a.md': 'a\n', 'b.md': 'b\n', 'c.md': 'c\n' })
  const [a, b, c] = ['a.md', 'b.md', 'c.md'].map(project.path)
  const session = await expectAnswers(
    project,
    [restore(), noBackup],
    [restore('a.md'), 'Call discover-rules first'],
    ...anyAnswer(DISCOVER),
    [restore(), noBackup],
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
