/** Rules with sources (words to replace) change the file that contains the words. */
import { toParsedRule } from '../harness/parsed-rule.ts'
import { accepted, correct, DISCOVER, format, parse, replace, restore, rewrite } from './calls.ts'
import { ruleStory, sourced, twice, writeTo } from './calls.ts'

const TABS = sourced('obligatory, use, tabs', 'Use tabs!')
const EVAL = sourced('forbidden, call, eval', 'No eval!')
const RULES = ['Rule: Use tabs.']
const [TO_A, TO_B] = [writeTo('a.md'), writeTo('b.md')]
const MUST_PARSE_AGAIN = 'after parse-rules with the source'

ruleStory(
  'if two files have the sources, the rules must be parsed and written once for each file',
  { 'a.md': ['Tea.\n\n- Use tabs!\n', 'Tea.\n\n- Use tabs.\n'], 'b.md': ['- Use tabs!\n', '- Use tabs.\n'] },
  [DISCOVER, parse(TABS), format(RULES)],
  [rewrite(), 'several files contain the sources: `…/a.md` or `…/b.md`. Name one in "files"'],
  [TO_A, /Success \| +1 \|/],
  [TO_B, MUST_PARSE_AGAIN],
  [parse(TABS), format(RULES), TO_B, 'Success'],
  [TO_B, MUST_PARSE_AGAIN],
  [rewrite(), MUST_PARSE_AGAIN],
)

const ALREADY_REPLACED = 'these rules have already replaced their sources'

ruleStory(
  'rules that have replaced their sources cannot replace the whole file until it is restored',
  { 'a.md': ['Tea.\n\n- Use tabs!\n', 'Rule: Use tabs.\n'] },
  [DISCOVER, parse(TABS), format(RULES), TO_A, writeTo('a.md', RULES), ALREADY_REPLACED],
  // format-rules accepts the same texts again, now as rules without sources.
  [format(RULES), TO_A, ALREADY_REPLACED, writeTo('a.md', RULES), ALREADY_REPLACED],
  [restore('a.md'), ...twice(TO_A)],
)

ruleStory(
  'a rewrite without "files" writes accepted texts, and names files with no accepted text',
  { 'a.md': ['Use tabs!\n', 'Use tabs.\n'], 'b.md': 'No eval!\n', 'c.md': ['Ask!\n', 'ask Ann\n'] },
  [DISCOVER, parse(TABS), format(['Rule: use tabs']), parse(EVAL)],
  // EVAL was parsed last, but this text fits TABS, the rule of `a.md`.
  [format(RULES), accepted(...RULES)],
  [format(['Rule: call eval']), 'rule 1 does not forbid'],
  [parse(sourced('obligatory, ask, Ann', 'Ask!')), format(['Rule: ask Ann'])],
  [rewrite(), '| TOTAL | 2/2', 'Not written, because format-rules has not accepted the rules yet: `…/b.md`.'],
)

const rulesOfA = [TABS, sourced('obligatory, run, `it`', 'Run it!!')]
const rulesOfB = [sourced('obligatory, use, npm', 'Use npm!'), sourced('obligatory, ask, me', 'Ask!')]

ruleStory(
  'if a message sends two lists, a correction by number changes the refused list',
  {
    'a.md': ['Use tabs!\n\nPlease run `it`.\n', 'use tabs\n\nrun `it`\n'],
    'b.md': ['Use npm!\n\nAsk!\n', 'use npm\n\nask\n'],
  },
  [DISCOVER, [parse(...rulesOfA), parse(...rulesOfB)], 'its source "Run it!!" is not in'],
  [correct('parse-rules', { 2: { source: 'Please run `it`.' } }), /"tabs"[^]*"Please run `it`\."/],
  [[format(['Rule: use tabs', 'Rule: run']), format(['Rule: use npm', 'Rule: ask'])]],
  ['rule 2 does not say `it`'],
  [correct('format-rules', { 2: 'Rule: run `it`' }), accepted('Rule: use tabs', 'Rule: run `it`'), rewrite()],
)

ruleStory(
  'rules are written only to the file with their sources, and no other rules replace this file',
  { 'a.md': 'Use tabs!\n', 'b.md': 'Spaces?\n', 'c.md': ['First!\n', '- first\n'] },
  [DISCOVER, parse(TABS)],
  [replace('a.md, c.md', '- first'), 'a.md: Nothing was written: these are not the rules'],
  [format(RULES), TO_B, 'the sources of these rules are in `…/a.md`.'],
)

const steps = (
  word: string,
) => [parse(toParsedRule(`obligatory, use, ${word}`)), format([`Rule: use ${word}`])]
const [STEPS_OF_A, STEPS_OF_B] = [steps('tabs'), steps('pnpm')]

ruleStory(
  'rules without sources replace the file that the next rewrite names',
  { 'a.md': ['Tabs?\n', 'Rule: use tabs\n'], 'b.md': ['Pnpm?\n', 'Rule: use pnpm\n'] },
  // After two lists in one message, SAT cannot tell which list a rewrite is for.
  [DISCOVER, [...STEPS_OF_A, ...STEPS_OF_B, TO_B], '', '', '', '', 'several sets of rules'],
  [[...STEPS_OF_A, TO_A, ...STEPS_OF_B, TO_B]],
)
