import { toParsedRule } from '../harness/parsed-rule.ts'
import { accepted, add, correct, DISCOVER, format, parse } from './calls.ts'
import { rewrite, ruleStory, sourced, writeTo } from './calls.ts'

const RULES = ['Rule: use tabs']
const TABS = toParsedRule('obligatory, use, tabs')
const EVAL = toParsedRule('forbidden, call, eval')
const [TO_A, TO_B, TO_C] = [writeTo('a.md'), writeTo('b.md'), writeTo('c.md')]

const BLANK = ' '
const PARSE_REFUSED = 'parse-rules refused the last rules'
const replacingC = [TO_C, writeTo('c.md', RULES), writeTo('c.md', ['Rule: x'])]

ruleStory(
  'after parse-rules refuses rules, no file is replaced as a whole until parse-rules accepts rules',
  {
    'a.md': ['- Ask Ann.\n', '- Ask Ann.\n- use tabs\n- do not shout\n'],
    'b.md': ['- No eval!\n', '- do not call eval\n'],
    'c.md': ['use tabs\n', 'Rule: use tabs\n'],
  },
  [DISCOVER, parse({ ...EVAL, source: ['No eval!', BLANK] }), format(['Rule: do not call eval'])],
  [{ tool: 'parse-rules', args: { rules: '[{"strength":' } }, format(RULES), accepted(...RULES)],
  [replacingC, PARSE_REFUSED, PARSE_REFUSED, PARSE_REFUSED],
  // The calls are refused even if the model sends them again.
  [replacingC, PARSE_REFUSED, PARSE_REFUSED, PARSE_REFUSED],
  [add({ file: 'a.md' }), add({ file: 'a.md', rules: ['Rule: do not shout'] })],
  // Rules that were accepted before the refusal can still replace their sources.
  [TO_B, '| Success |'],
  // A rule whose sources are all blank replaces the whole file.
  [parse({ ...TABS, source: ['', BLANK] }), format(RULES), TO_C],
)

const tabs = sourced('obligatory, use, tabs', 'Use tabs!')
const evil = sourced('forbidden, call, eval', 'Never call evil!')
const run = sourced('obligatory, run, it', 'Please run it.')
const source = 'Never call eval!'
const [evalText, runText, runAll] = ['Rule: do not call eval', 'Rule: run it', 'Rule: run it all']
const twoForRule1 = [{ index: 1, rule: 'Rule: x' }, { index: '1', rule: 'Rule: y' }]

ruleStory(
  'single rules are corrected by number after a refusal and after an acceptance',
  {
    'a.md': ['Use tabs!\n\nNever call eval!\n\nPlease run it.\n', 'tabs\n\ndo not call eval\n\nrun it all\n'],
  },
  [DISCOVER, parse(tabs, evil, run), /rules\.1\.source[^]*by number: \{"2": …\}/],
  [correct('parse-rules', { 4: evil }), 'no rule 4 to correct: parse-rules was sent 3 rules in this'],
  [correct('parse-rules', { 2: { source } }), accepted(tabs, { ...EVAL, source }, run)],
  [format([...RULES, 'Rule: call eval', runText]), /rules\.1: rule 2 does not forbid[^]*by number/],
  [correct('format-rules', JSON.stringify({ 2: evalText })), accepted(...RULES, evalText, runText)],
  [correct('format-rules', [{ index: 1, rule: 'Rule: tabs' }]), accepted('Rule: tabs', evalText, runText)],
  [correct('format-rules', { 3: { rule: runAll } }), accepted('Rule: tabs', evalText, runAll)],
  [rewrite(), '| Success |'],
  [correct('format-rules', twoForRule1), { is: 'Rule 1 is corrected twice: send it once.' }],
  // After the rewrite, no sources are left to replace, so the next rewrite would replace the whole file.
  [
    correct('format-rules', { 1: 'Rule: use soft tabs' }),
    rewrite(),
    'every line is in a rule\nTo replace only',
  ],
)

const LAST_ACCEPTED = 'the 2 rules that format-rules last validated'
const ADDED = 'Added 2 rule(s) to …/b.md\n\nb.md:3: use tabs\nb.md:5: use semicolons'
const NONE = 'Call format-rules first'

ruleStory(
  'a call without rules uses the rules and the mode that format-rules last accepted',
  {
    'a.md': ['a\n', '- use tabs\n- use semicolons\n'],
    'b.md': ['b\n', 'b\n\nuse tabs\n\nuse semicolons\n'],
  },
  [DISCOVER, [TO_A, add({ file: 'a.md' })], NONE, NONE],
  [format(['- use tabs', '- use semicolons'], 'concise')],
  [rewrite({ files: 'a.md', mode: 'verbose' }), /mode verbose[\s\S]*rules\.0/],
  [writeTo('a.md', null), LAST_ACCEPTED],
  [add({ file: 'b.md' }), { is: `${ADDED}\n\nWritten: ${LAST_ACCEPTED}.` }],
  // format-rules refuses a text that is not in mode concise.
  [format(['Rule: use tabs'], 'concise'), TO_B, NONE],
  [format(['- use spaces']), format([7]), TO_B, NONE],
  [format(['- use spaces']), parse(EVAL), TO_B, NONE],
)

const DOUBT_ONLY = /\nIf the texts have the right meaning, send the same again in another message\.$/
// SAT doubts the first text, because the parsed rule EVAL is a prohibition.
const DOUBTED = ['- use eval', '- use early returns'] as const

ruleStory(
  'texts that SAT doubts are accepted when they are sent again in a valid form',
  { 'a.md': ['no eval\n', '- use eval\n- use early returns\n'] },
  [DISCOVER, parse(EVAL, toParsedRule('obligatory, use, early returns'))],
  [format(DOUBTED, 'verbose'), /expected for mode verbose[^]*rule 1 does not forbid/],
  [{ lacks: 'send the same again' }, TO_A, NONE],
  [writeTo('a.md', DOUBTED), 'refused `- use eval`. Fix what'],
  [add({ rules: DOUBTED }), 'refused `- use eval`'],
  [format(DOUBTED, 'verbose'), 'expected for mode verbose', { lacks: 'does not forbid' }],
  [format(['- call eval', DOUBTED[1]]), DOUBT_ONLY],
  // SAT has already doubted these texts, and they are valid in mode concise.
  [format(DOUBTED, 'concise'), accepted(...DOUBTED), TO_A],
)

ruleStory(
  'if one of two doubted texts is corrected, the other text counts as sent again',
  { 'a.md': 'no eval\n' },
  [DISCOVER, parse(EVAL, toParsedRule('forbidden, use, goto'))],
  [format(['- use eval', '- use goto']), /rule 1 does not forbid[^]*rule 2 does not forbid/],
  [correct('format-rules', { 2: '- do not use goto' }), accepted('- use eval', '- do not use goto')],
)
