/** Rules without a `source` (the words that they come from) replace whole files. `restore` brings the files back. */
import { expect } from 'bun:test'
import { toParsedRule } from '../harness/parsed-rule.ts'
import { story } from '../harness/story.ts'
import { DISCOVER, format, parse, playIn, projectOf, replace } from './calls.ts'
import { restore, rewrite, ruleStory, textsOf, twice, writeTo } from './calls.ts'

const [A, B] = ['a/AGENTS.md', 'b/AGENTS.md'] as const
const SHOP = '# Shop\n\nThe shop sells tea.\n\n- Prices stand in `src/prices.ts`.\n- Call `make` first.\n'
const RULES = ['Rule: use tabs']
const TABS_FILE = 'Rule: use tabs\n'

const asksToConfirm = (...lines: Array<string>) => ({
  is: [
    'Nothing was written: rules without sources would replace',
    ...lines,
    `To replace only the words that the rules come from, call parse-rules with the source of each rule. ${
      lines.length > 1 ? 'To replace one file only, name it in "files". ' : ''
    }To replace whole files anyway, send the same call again in another message.`,
  ].join('\n'),
})

// The answer quotes only the first three of the four lines of `SHOP`.
const LOST_OF_A = `- \`…/${A}\`: 4 lines in no rule: \`# Shop\`, \`The shop sells tea.\`, `
  + '`` - Prices stand in `src/prices.ts`. ``; names in no rule: `src/prices.ts`, `make`'
const ABOUT_A = asksToConfirm(LOST_OF_A)
const ABOUT_BOTH = asksToConfirm(LOST_OF_A, `- \`…/${B}\`: 1 line in no rule: \`Ask Ann.\``)
const [TO_A, TO_BOTH] = [writeTo(A, RULES), rewrite({ rules: RULES })]

ruleStory(
  'files are replaced as a whole when the same call comes again in another message',
  { [A]: [SHOP, TABS_FILE], [B]: ['Ask Ann.\n', TABS_FILE] },
  // Neither a copy in the same message nor a call with other rules confirms a call.
  [DISCOVER, [TO_A, TO_A, TO_BOTH, TO_BOTH], ABOUT_A, ABOUT_A, ABOUT_BOTH, ABOUT_BOTH],
  [writeTo(A, ['Rule: use spaces']), ABOUT_A],
  [(project) => expect(textsOf(project, A, B)).toEqual([SHOP, 'Ask Ann.\n'])],
  [TO_BOTH, 'The same rules were written to 2 files.'],
  [`--- ${B}\n+++ ${B}\n@@ -1,1 +1,1 @@\n-Ask Ann.\n+Rule: use tabs\n`],
  ['The backup contains these lines, and /restore-rules restores the file'],
)

ruleStory(
  'a call that loses no line needs a confirmation only if it replaces several files',
  { [A]: [TABS_FILE, 'A person wrote this.\n'], [B]: TABS_FILE },
  [DISCOVER, parse(toParsedRule('obligatory, use, tabs')), format(RULES)],
  [rewrite(), asksToConfirm(...[A, B].map((name) => `- \`…/${name}\`: every line is in a rule`))],
  [writeTo(B), /^\| AGENTS\.md +\| Success/m, { lacks: 'in no rule' }],
  [(project) => project.write(A, 'A person wrote this.\n')],
  [rewrite(), /^\| a\/AGENTS\.md +\| Refused/m, /^\| b\/AGENTS\.md +\| Success/m],
  [{ lacks: 'The same rules' }],
)

const NO_BACKUP =
  'None of the discovered files in the project has the backup that "restore" names, so nothing was written. Name the'

story('a file outside the project is not restored unless the call names it', async () => {
  const other = await projectOf({ 'a.md': 'a\n' })
  await playIn(other, [DISCOVER, ...twice(replace('a.md', '- x'))])
  const project = await projectOf({}, { instructions: [other.path('a.md')] })
  await playIn(project, [DISCOVER, other.path('a.md'), restore(), NO_BACKUP])
  expect(await other.read('a.md')).toBe('- x\n')
})

ruleStory(
  'a file is restored only if it has a backup, and has not changed since its discovery',
  { 'a.md': ['a\n', 'by hand\n'], 'b.md': 'b\n', 'c.md': 'c\n' },
  [restore(), NO_BACKUP, restore('a.md'), 'Call discover-rules first'],
  [DISCOVER, restore(), NO_BACKUP, ...twice(replace('a.md, b.md', '- x'))],
  [restore(), 'Name one in "files": …/a.md, …/b.md'],
  [restore('c.md'), 'Not restored: …/c.md: it has no backup'],
  [restore('a.md', '/etc/hostname'), 'it has no backup called /etc/hostname'],
  [rewrite({ rules: ['- y'], restore: 'latest', files: 'a.md' }), 'not both'],
  [rewrite(), '"rules" was left out'],
  [
    (project) => expect(textsOf(project, 'a.md')).toEqual(['- x\n']),
    (project) => project.write('a.md', 'by hand\n'),
  ],
  [restore('a.md'), 'it changed since discover-rules showed it'],
  // The second restore of `a.md` undoes the first.
  [DISCOVER, restore('a.md'), 'Restored …/a.md from ', restore('a.md, b.md, c.md')],
)
