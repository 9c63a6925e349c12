/** Rules with sources (words to replace) change the file that contains the words. */
import { expect } from 'bun:test'
import { toParsedRule } from '../harness/parsed-rule.ts'
import { story } from '../harness/story.ts'
import { correct, DISCOVER, format, parse, replace, restore, rewrite, twice } from './calls.ts'
import { accepted, anyAnswer, expectAnswers, projectOf, textsOf } from './play.ts'

const sourced = (rule: string, source: string) => ({ ...toParsedRule(rule), source })

const TABS = sourced('obligatory, use, tabs', 'Use tabs!')
const EVAL = sourced('forbidden, call, eval', 'No eval!')

story('if two files have the sources, the rules must be parsed and written once for each file', async () => {
  const project = await projectOf({ 'a.md': 'Tea.\n\n- Use tabs!\n', 'b.md': '- Use tabs!\n' })
  const parseAndFormat = [parse(TABS), format(['Rule: Use tabs.'])]
  const [toA, toB] = [rewrite({ files: 'a.md' }), rewrite({ files: 'b.md' })]
  const mustParseAgain = 'after parse-rules with the source'
  await expectAnswers(
    project,
    ...anyAnswer(DISCOVER, ...parseAndFormat),
    [rewrite(), /several files contain the sources: `.*a\.md` or `.*b\.md`\. Name one in "files"/],
    [toA, /Success \| +1 \|/],
    [toB, mustParseAgain],
    ...anyAnswer(...parseAndFormat),
    [toB, 'Success'],
    [toB, mustParseAgain],
    [rewrite(), mustParseAgain],
  )
  expect(await textsOf(project, 'a.md', 'b.md')).toEqual(['Tea.\n\n- Use tabs.\n', '- Use tabs.\n'])
})

story('rules that replaced their sources cannot replace the whole file, unless it is restored', async () => {
  const project = await projectOf({ 'a.md': 'Tea.\n\n- Use tabs!\n' })
  const rules = ['Rule: Use tabs.']
  const [withRules, withoutRules] = [rewrite({ files: 'a.md', rules }), rewrite({ files: 'a.md' })]
  const alreadyReplaced = 'these rules have already replaced their sources'
  await expectAnswers(
    project,
    ...anyAnswer(DISCOVER, parse(TABS), format(rules), withoutRules),
    [withRules, alreadyReplaced],
    // format-rules accepts the same texts again, now as rules without sources.
    ...anyAnswer(format(rules)),
    [withoutRules, alreadyReplaced],
    [withRules, alreadyReplaced],
    ...anyAnswer(restore('a.md'), ...twice(withoutRules)),
  )
  expect(await textsOf(project, 'a.md')).toEqual(['Rule: Use tabs.\n'])
})

story('a rewrite without "files" writes accepted texts, and names files with no accepted text', async () => {
  const project = await projectOf({ 'a.md': 'Use tabs!\n', 'b.md': 'No eval!\n', 'c.md': 'Ask!\n' })
  const askAnn = sourced('obligatory, ask, Ann', 'Ask!')
  await expectAnswers(
    project,
    ...anyAnswer(DISCOVER, parse(TABS), format(['Rule: use tabs']), parse(EVAL)),
    // EVAL was parsed last, but this text fits TABS, the rule of `a.md`.
    [format(['Rule: Use tabs.']), accepted('Rule: Use tabs.')],
    [format(['Rule: call eval']), 'rule 1 does not forbid'],
    ...anyAnswer(parse(askAnn), format(['Rule: ask Ann'])),
    [
      rewrite(),
      /^\| TOTAL \| 2\/2[^]*Not written, because format-rules has not accepted the rules yet: `.*b\.md`\./m,
    ],
  )
  expect(await textsOf(project, 'a.md', 'b.md', 'c.md')).toEqual(['Use tabs.\n', 'No eval!\n', 'ask Ann\n'])
})

story('if a message sends two lists, a correction by number changes the refused list', async () => {
  const project = await projectOf({ 'a.md': 'Use tabs!\n\nPlease run `it`.\n', 'b.md': 'Use npm!\n\nAsk!\n' })
  const rulesOfA = [TABS, sourced('obligatory, run, `it`', 'Run it!!')]
  const rulesOfB = [sourced('obligatory, use, npm', 'Use npm!'), sourced('obligatory, ask, me', 'Ask!')]
  await expectAnswers(
    project,
    ...anyAnswer(DISCOVER),
    [[parse(...rulesOfA), parse(...rulesOfB)], 'its source "Run it!!" is not in'],
    [correct('parse-rules', { 2: { source: 'Please run `it`.' } }), /"tabs"[^]*"Please run `it`\."/],
    [
      [format(['Rule: use tabs', 'Rule: run']), format(['Rule: use npm', 'Rule: ask'])],
      'rule 2 does not say `it`',
    ],
    [correct('format-rules', { 2: 'Rule: run `it`' }), accepted('Rule: use tabs', 'Rule: run `it`')],
    ...anyAnswer(rewrite()),
  )
  expect(await textsOf(project, 'a.md', 'b.md')).toEqual(['use tabs\n\nrun `it`\n', 'use npm\n\nask\n'])
})

story('rules with sources are written only to their file, and other rules cannot replace it', async () => {
  const project = await projectOf({ 'a.md': 'Use tabs!\n', 'b.md': 'Spaces?\n', 'c.md': 'First!\n' })
  await expectAnswers(
    project,
    ...anyAnswer(DISCOVER, parse(TABS)),
    [replace('a.md, c.md', '- first'), /a\.md: Nothing was written: these are not the rules/],
    ...anyAnswer(format(['Rule: use tabs'])),
    [rewrite({ files: 'b.md' }), /the sources of these rules are in `.*a\.md`\./],
  )
  expect(await textsOf(project, 'a.md', 'b.md', 'c.md')).toEqual(['Use tabs!\n', 'Spaces?\n', '- first\n'])
})

story('rules without sources replace the file that the next rewrite names', async () => {
  const project = await projectOf({ 'a.md': 'Tabs?\n', 'b.md': 'Pnpm?\n' })
  const [parseTabs, formatTabs] = [parse(toParsedRule('obligatory, use, tabs')), format(['Rule: use tabs'])]
  const [parsePnpm, formatPnpm] = [parse(toParsedRule('obligatory, use, pnpm')), format(['Rule: use pnpm'])]
  const [toA, toB] = [rewrite({ files: 'a.md' }), rewrite({ files: 'b.md' })]
  await expectAnswers(
    project,
    ...anyAnswer(DISCOVER),
    // After two lists in one message, SAT cannot tell which list a rewrite is for.
    [[parseTabs, parsePnpm, formatTabs, formatPnpm, toB], '', '', '', '', /several sets of rules/],
    ...anyAnswer([parseTabs, formatTabs, toA, parsePnpm, formatPnpm, toB]),
  )
  expect(await textsOf(project, 'a.md', 'b.md')).toEqual(['Rule: use tabs\n', 'Rule: use pnpm\n'])
})
