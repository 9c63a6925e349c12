/** Tests to which of several files the tools write which rules. Rules with a source replace it, others a whole file. */
import { expect } from 'bun:test'
import type { ParsedRule } from '../../src/rule-schema.ts'
import { toParsedRule } from '../harness/parsed-rule.ts'
import { story } from '../harness/story.ts'
import { correct, DISCOVER, format, parse, replace, restore, rewrite } from './calls.ts'
import { accepted, anyAnswer, expectAnswers, projectOf, textsOf } from './play.ts'

const sourced = (rule: string, source: string): ParsedRule => ({ ...toParsedRule(rule), source })

story('if two files have the sources, the rules are parsed and written once for each file', async () => {
  const text = '# A\n\nThe shop sells tea.\n\n- use tabs!\n'
  const project = await projectOf({ 'AGENTS.md': text, 'CLAUDE.md': text })
  const rules = ['Rule: Use tabs.']
  const parseAndFormat = anyAnswer(parse(sourced('obligatory, use, tabs', 'use tabs!')), format(rules))
  const [toAgents, toClaude] = [rewrite({ files: 'AGENTS.md' }), rewrite({ files: 'CLAUDE.md' })]
  const asWholeClaude = rewrite({ files: 'CLAUDE.md', rules })
  const parseAgain = 'after parse-rules with the source'
  const alreadyReplaced = 'these rules have already replaced their sources'
  await expectAnswers(
    project,
    ...anyAnswer(DISCOVER),
    ...parseAndFormat,
    [rewrite(), /several files have the sources, `.*AGENTS\.md` or `.*CLAUDE\.md`\. Name one in "files"/],
    [toAgents, /Success \| +1 \|/],
    // Written rules must be parsed again before they can be written to another file.
    [toClaude, parseAgain],
    ...parseAndFormat,
    [toClaude, /Success \| +1 \|/],
    [toClaude, parseAgain],
    [rewrite(), parseAgain],
    // These rules are in the file already, so they do not replace the whole file, either.
    [asWholeClaude, alreadyReplaced],
    ...anyAnswer(format(rules)),
    [toClaude, alreadyReplaced],
    [asWholeClaude, alreadyReplaced],
    // After the restore, the file lacks the rules, so they may replace it as a whole. The second call confirms that.
    ...anyAnswer(restore('CLAUDE.md'), toClaude, toClaude),
  )
  expect(await textsOf(project, 'AGENTS.md', 'CLAUDE.md'))
    .toEqual(['# A\n\nThe shop sells tea.\n\n- Use tabs.\n', 'Rule: Use tabs.\n'])
})

const TABS = sourced('obligatory, use, tabs', 'Use tabs!')
const EVAL = sourced('forbidden, call, eval', 'Never call eval!')

story('a rewrite that names no file writes all accepted texts, and says which files have none', async () => {
  const files = { 'a.md': '- Use tabs!\n', 'b.md': '- Never call eval!\n', 'c.md': '- ask pls\n' }
  const project = await projectOf(files)
  const notWritten =
    /^\| TOTAL \| 2\/2[^]*Not written: `.*b\.md`: format-rules has not accepted its rules yet\./m
  await expectAnswers(
    project,
    ...anyAnswer(DISCOVER, parse(TABS), format(['Rule: use tabs']), parse(EVAL)),
    // This text is for the rule of `a.md`, which it fits, although that of `b.md` was parsed last.
    [format(['Rule: Use tabs.']), accepted('Rule: Use tabs.')],
    [format(['Rule: call eval']), 'rule 1 does not forbid'],
    ...anyAnswer(parse(sourced('obligatory, ask, Ann', 'ask pls')), format(['Rule: ask Ann'])),
    [rewrite(), notWritten],
  )
  expect(await textsOf(project, ...Object.keys(files)))
    .toEqual(['- Use tabs.\n', '- Never call eval!\n', '- ask Ann\n'])
})

story('of two lists in one message, a correction by number changes the refused one', async () => {
  const project = await projectOf({ 'a.md': 'Use tabs!\n\nPlease run `it`.\n', 'b.md': 'Use npm!\n\nAsk!\n' })
  const rulesOfA = parse(TABS, sourced('obligatory, run, `it`', 'Run it!!'))
  const rulesOfB = parse(sourced('obligatory, use, npm', 'Use npm!'), sourced('obligatory, ask, me', 'Ask!'))
  // Of `a.md`, parse-rules refuses the list (it has no `Run it!!`), and format-rules the texts (the second lacks `it`).
  const texts = [format(['Rule: use tabs', 'Rule: run']), format(['Rule: use npm', 'Rule: ask'])]
  await expectAnswers(
    project,
    ...anyAnswer(DISCOVER, [rulesOfA, rulesOfB]),
    [correct('parse-rules', { 2: { source: 'Please run `it`.' } }), /"tabs"[^]*"Please run `it`\."/],
    [texts, 'rule 2 does not say `it`'],
    [correct('format-rules', { 2: 'Rule: run `it`' }), accepted('Rule: use tabs', 'Rule: run `it`')],
    ...anyAnswer(rewrite()),
  )
  expect(await textsOf(project, 'a.md', 'b.md')).toEqual(['use tabs\n\nrun `it`\n', 'use npm\n\nask\n'])
})

story('rules without sources replace the file that the next rewrite names', async () => {
  const files = { 'a.md': 'Tabs!\n', 'b.md': 'Spaces?\n', 'c.md': 'First!\n', 'd.md': 'Tabs?\n' }
  const project = await projectOf(files)
  const parseTabs = parse(toParsedRule('obligatory, use, tabs'))
  const parseSpaces = parse(toParsedRule('obligatory, use, spaces'))
  const [tabs, spaces] = [format(['Rule: use tabs']), format(['Rule: use spaces'])]
  const [toB, toD] = [rewrite({ files: 'b.md' }), rewrite({ files: 'd.md' })]
  const notReplaced = `${project.path('a.md')}: Nothing was written: these are not the rules`
  const severalLists = 'several sets of rules without sources came in one message'
  await expectAnswers(
    project,
    // By its source, this rule belongs to `a.md`: no other rules replace that file, and the rule replaces no other.
    ...anyAnswer(DISCOVER, parse(sourced('obligatory, use, tabs', 'Tabs!'))),
    [replace('a.md, c.md', '- first'), notReplaced],
    ...anyAnswer(tabs),
    [toB, /these rules belong to `.*a\.md`, by their sources/],
    // If a rewrite follows two lists in one message, SAT cannot know which to write. If one follows each list, it can.
    [[parseTabs, parseSpaces, tabs, spaces, toB], ...['', '', '', ''], severalLists],
    ...anyAnswer([parseSpaces, spaces, toB, parseTabs, tabs, toD]),
  )
  expect(await textsOf(project, ...Object.keys(files)))
    .toEqual(['Tabs!\n', 'Rule: use spaces\n', '- first\n', 'Rule: use tabs\n'])
})
