import { expect } from 'bun:test'
import { toParsedRule } from '../harness/parsed-rule.ts'
import { story } from '../harness/story.ts'
import { add, correct, DISCOVER, format, parse, rewrite } from './calls.ts'
import { accepted, anyAnswer, expectAnswers, projectOf, textsOf } from './play.ts'

const RULES = ['Rule: use tabs']
const TABS = toParsedRule('obligatory, use, tabs')
const EVAL = toParsedRule('forbidden, call, eval')

story(
  'after parse-rules refuses rules, no whole file is replaced until parse-rules accepts rules',
  async () => {
    const project = await projectOf({ 'a.md': '- Ask Ann.\n', 'b.md': '- No eval!\n', 'c.md': 'use tabs\n' })
    const [blank, otherRules] = [' ', ['Rule: x']]
    const parseEval = parse({ ...EVAL, source: ['No eval!', blank] })
    const refusedParsing = { tool: 'parse-rules', args: { rules: '[{"strength":' } }
    const replacingC = [undefined, RULES, otherRules].map((rules) => rewrite({ files: 'c.md', rules }))
    const refused = 'parse-rules refused the last rules'
    await expectAnswers(
      project,
      ...anyAnswer(DISCOVER, parseEval, format(['Rule: do not call eval']), refusedParsing),
      [format(RULES), accepted(...RULES)],
      [replacingC, refused, refused, refused],
      // Sending the same calls again confirms nothing.
      [replacingC, refused, refused, refused],
      [add({ file: 'a.md' }), 'Added 1 rule(s)'],
      [add({ file: 'a.md', rules: ['Rule: do not shout'] }), 'Added 1 rule(s)'],
      // Rules that were accepted before the refusal can still replace their sources.
      [rewrite({ files: 'b.md' }), '| Success |'],
      // A rule whose sources are all blank replaces the whole file.
      ...anyAnswer(parse({ ...TABS, source: ['', blank] }), format(RULES)),
      [rewrite({ files: 'c.md' }), '| Success |'],
    )
    expect(await textsOf(project, 'a.md', 'b.md', 'c.md'))
      .toEqual(['- Ask Ann.\n- use tabs\n- do not shout\n', '- do not call eval\n', 'Rule: use tabs\n'])
  },
)

story('single rules are corrected by number after a refusal and after an acceptance', async () => {
  const project = await projectOf({ 'a.md': 'Use tabs!\n\nNever call eval!\n\nPlease run it.\n' })
  const tabs = { ...TABS, source: 'Use tabs!' }
  const misspelt = { ...EVAL, source: 'Never call evil!' }
  const source = 'Never call eval!'
  const run = { ...toParsedRule('obligatory, run, it'), source: 'Please run it.' }
  const [evalText, runText, runAll] = ['Rule: do not call eval', 'Rule: run it', 'Rule: run it all']
  const session = await expectAnswers(
    project,
    ...anyAnswer(DISCOVER),
    [parse(tabs, misspelt, run), /rules\.1\.source[^]*by number: \{"2": …\}/],
    [correct('parse-rules', { 4: misspelt }), 'no rule 4 to correct: parse-rules was sent 3 rules in this'],
    [correct('parse-rules', { 2: { source } }), accepted(tabs, { ...EVAL, source }, run)],
    [format([...RULES, 'Rule: call eval', runText]), /rules\.1: rule 2 does not forbid[^]*by number/],
    [correct('format-rules', JSON.stringify({ 2: evalText })), accepted(...RULES, evalText, runText)],
    [correct('format-rules', [{ index: 1, rule: 'Rule: tabs' }]), accepted('Rule: tabs', evalText, runText)],
    [correct('format-rules', { 3: { rule: runAll } }), accepted('Rule: tabs', evalText, runAll)],
    ...anyAnswer(rewrite()),
  )
  const rewritten = 'tabs\n\ndo not call eval\n\nrun it all\n'
  expect(await project.read('a.md')).toBe(rewritten)

  const twoForRule1 = [{ index: 1, rule: 'Rule: x' }, { index: '1', rule: 'Rule: y' }]
  await expectAnswers(
    session,
    [correct('format-rules', twoForRule1), { is: 'Rule 1 is corrected twice: send it once.' }],
    ...anyAnswer(correct('format-rules', { 1: 'Rule: use soft tabs' })),
    // The rules have replaced their sources, so a second rewrite would replace the whole file.
    [rewrite(), 'every line is in a rule\nTo replace only the words'],
  )
  expect(await project.read('a.md')).toBe(rewritten)
})

story('a call without rules writes the rules that format-rules last accepted, in their mode', async () => {
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
    // format-rules refuses a text that is not in mode concise.
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
  // SAT doubts the first text, because the parsed rule EVAL is a prohibition.
  const rules = ['- use eval', '- use early returns']
  const toFile = rewrite({ files: 'rules.md' })
  const wrongFormAndDoubt = /expected for mode verbose[^]*rule 1 does not forbid/
  const doubtOnly = /\nIf the texts have the right meaning, send the same again in another message\.$/
  await expectAnswers(
    project,
    ...anyAnswer(DISCOVER, parse(EVAL, toParsedRule('obligatory, use, early returns'))),
    [format(rules, 'verbose'), wrongFormAndDoubt, { lacks: 'send the same again' }],
    [toFile, 'Call format-rules first'],
    [rewrite({ files: 'rules.md', rules }), 'refused `- use eval`. Fix what'],
    [add({ rules }), 'refused `- use eval`'],
    [format(rules, 'verbose'), 'expected for mode verbose', { lacks: 'does not forbid' }],
    [format(['- call eval', rules[1]]), doubtOnly],
    // SAT has doubted these texts before, and now the form is valid, too.
    [format(rules, 'concise'), accepted(...rules)],
    ...anyAnswer(toFile),
  )
  expect(await project.read('rules.md')).toBe(`${rules.join('\n')}\n`)
})

story('if one of two doubted texts is corrected, the other text counts as sent again', async () => {
  const project = await projectOf({ 'rules.md': 'no eval\n' })
  await expectAnswers(
    project,
    ...anyAnswer(DISCOVER, parse(EVAL, toParsedRule('forbidden, use, goto'))),
    [format(['- use eval', '- use goto']), /rule 1 does not forbid[^]*rule 2 does not forbid/],
    [correct('format-rules', { 2: '- do not use goto' }), accepted('- use eval', '- do not use goto')],
  )
})
