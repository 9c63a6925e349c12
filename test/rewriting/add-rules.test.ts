import { expect } from 'bun:test'
import { readFileSync } from 'node:fs'
import { story } from '../harness/story.ts'
import { add, DISCOVER, discover, playIn, projectOf, rewrite, ruleStory, textsOf } from './calls.ts'

const rules = ['- new']
const NOTHING_SHOWN = 'No files were discovered yet. Call discover-rules first, then call this tool again.'

ruleStory(
  'add-rules refuses to add to a file that was not shown, or to two files',
  { 'a.md': 'a\n', 'b.md': 'b\n' },
  [[add({ rules, file: 'a.md' }), rewrite({ rules, files: 'a.md' })], NOTHING_SHOWN, NOTHING_SHOWN],
  [DISCOVER, add({ rules, file: ['a.md', 'b.md'] }), '"file" names more than one file'],
)

story(
  'without "file", add-rules adds to a shown file of the project, and prefers a file that the host loads',
  async () => {
    const outside = (await projectOf({ 'outside.md': 'outside\n' })).path('outside.md')
    const files = { 'a.md': 'a\n', 'b.md': 'b\n', 'own.md': 'own\n' }
    // `b.md` is the first file of the project in "instructions".
    const project = await projectOf(files, { instructions: [outside, 'b.md', 'a.md'] })
    const adding = add({ rules })
    const added = (name: string) => ({ is: `Added 1 rule(s) to …/${name}\n\n${name}:3: - new` })
    await playIn(project, [discover([outside]), adding, 'added to …/b.md: discover-rules has not shown it'])
    // DISCOVER shows the files of "instructions".
    await playIn(project, [DISCOVER, new RegExp(`${outside}[^]*b\\.md`), adding, added('b.md')])
    await playIn(project, [discover('own.md'), adding, added('own.md')], [
      discover('a.md'),
      adding,
      added('a.md'),
    ])
    expect(textsOf(project, 'a.md', 'b.md')).toEqual(['a\n\n- new\n', 'b\n\n- new\n'])
    expect(readFileSync(outside, 'utf8')).toBe('outside\n')
  },
)

const TABS = 'Rule: use tabs. Never mix them\nReason: the formatter does so'
const addAfterRules = (...rules: Array<string>) => add({ rules, after: '# Rules' })
const ADDED_TABS = 'Added 1 rule(s) to …/a.md\n\na.md:4: - use tabs. Never mix them. the formatter does so'
const HAS_RULES = 'the file already has these rules (reasons are not compared)'
const NOT_ADDED = { is: `Nothing was added to …/a.md: ${HAS_RULES}` }
const LEFT_OUT =
  `Not added, because ${HAS_RULES}: \`Rule: use tabs. Never mix them Reason: the formatter does so\``

ruleStory(
  'add-rules adds to the section that "after" names, and omits rules that the file has',
  {
    'a.md': [
      '# Rules\n\n- Use pnpm.\n\n# Tests\n',
      '# Rules\n\n- Use pnpm.\n- use tabs. Never mix them. the formatter does so\n- ask\n\n# Tests\n',
    ],
  },
  [DISCOVER, [addAfterRules(TABS), addAfterRules(TABS)], { is: ADDED_TABS }, NOT_ADDED],
  [addAfterRules(TABS), NOT_ADDED],
  [addAfterRules(TABS, 'Rule: ask'), { is: `Added 1 rule(s) to …/a.md\n\na.md:5: - ask\n\n${LEFT_OUT}` }],
)
