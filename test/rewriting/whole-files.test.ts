/** What would remove words of a file is asked once; what was refused replaces nothing; few words correct many rules. */
import { expect } from 'bun:test'
import { toParsedRule } from '../harness/parsed-rule.ts'
import { story } from '../harness/story.ts'
import { add, answersIn, DISCOVER, format, parse, start, taken, textsOf, write } from './writer-calls.ts'

const SHOP = '# Shop\n\nThe shop sells tea.\n\n- Prices stand in `src/prices.ts`.\n- Call `make` first.\n'
const RULES = ['Rule: use tabs']
const [TABS, EVAL] = ['obligatory, use, tabs', 'forbidden, call, eval'].map(toParsedRule)

const question = (...files: Array<string>): string =>
  [
    'Nothing was written: rules without sources would replace',
    ...files,
    `To keep everything else, call parse-rules with the source of each rule. ${
      files.length > 1 ? 'To replace one file only, name it in "files". ' : ''
    }To replace it anyway, send the same call again in another message.`,
  ].join('\n')

story('files are replaced as a whole when the same call comes again in another message', async () => {
  const project = await start({ 'a.md': SHOP, 'b.md': 'Ask Ann.\n' })
  const [toA, toAll] = [write({ rules: RULES, files: 'a.md' }), write({ rules: RULES })]
  const outputs = await answersIn(
    project,
    DISCOVER,
    // Not in one message, whatever its calls name.
    [toA, toA, toAll, toAll],
    // Other rules are another question.
    write({ rules: ['Rule: use spaces'], files: 'a.md' }),
    async () => {
      expect(await textsOf(project, 'a.md', 'b.md')).toEqual([SHOP, 'Ask Ann.\n'])
      return toAll
    },
    // Several files are asked about though each rule says all of them, one that is named is not.
    ...[parse(TABS), format(RULES), write(), write({ files: 'b.md' })],
    async () => {
      project.write('a.md', 'A person wrote this.\n')
      return write()
    },
  )
  const [a, b] = ['a.md', 'b.md'].map((name) => `- \`${project.path(name)}\`: `)
  const ofA =
    `${a}4 lines in no rule: \`# Shop\`, \`The shop sells tea.\`, \`\` - Prices stand in \`src/prices.ts\`. \`\`; with \`src/prices.ts\`, \`make\``
  for (const at of [1, 2, 5]) expect(outputs[at]).toBe(question(ofA))
  for (const at of [3, 4]) expect(outputs[at]).toBe(question(ofA, `${b}1 line in no rule: \`Ask Ann.\``))
  expect(outputs[6]).toContain('The same rules were written to 2 files.')
  expect(outputs[9]).toBe(question(`${a}every line is in a rule`, `${b}every line is in a rule`))
  for (const at of [10, 11]) expect(outputs[at]).toMatch(/^\| b\.md +\| Success/m)
  expect(outputs[11]).toMatch(/^\| a\.md +\| Refused/m)
  expect(outputs[11]).not.toContain('The same rules')
  expect(await textsOf(project, 'a.md', 'b.md')).toEqual(['A person wrote this.\n', 'Rule: use tabs\n'])
})

story('two files of the same name are told apart', async () => {
  const names = ['a/AGENTS.md', 'b/AGENTS.md', 'b/old.md']
  const project = await start(Object.fromEntries(names.map((name) => [name, `${name}\n`])))
  const call = write({ rules: RULES, files: names })
  const [, , written] = await answersIn(project, DISCOVER, call, call)
  for (const name of names) {
    expect(written).toMatch(new RegExp(`^\\| ${name} +\\| Success`, 'm'))
    expect(written).toContain(`--- ${name}\n+++ ${name}\n@@ -1,1 +1,1 @@\n-${name}\n+Rule: use tabs\n`)
  }
})

const PARSE_REFUSED = 'parse-rules refused the last rules'
const CUT = { tool: 'parse-rules', args: { rules: '[{"strength":' } }

story(
  'after a refused parse-rules no file is replaced, rules are added, other sets are written',
  async () => {
    const project = await start({
      'a.md': '- Ask Ann.\n',
      'b.md': '- Never call eval!\n',
      'c.md': 'use tabs\n',
    })
    const parsed = parse({ ...EVAL, source: ['Never call eval!', ' '] })
    const replacing = [{}, { rules: RULES }, { rules: ['Rule: x'] }]
      .map((given) => write({ files: 'c.md', ...given }))
    const outputs = await answersIn(
      project,
      ...[DISCOVER, parsed, format(['Rule: do not call eval']), CUT, format(RULES)],
      ...[replacing, replacing],
      ...[
        add({ file: 'a.md' }),
        add({ file: 'a.md', rules: ['Rule: do not shout'] }),
        write({ files: 'b.md' }),
      ],
      ...[parse({ ...TABS, source: ['', ' '] }), format(RULES), write({ files: 'c.md' })],
    )
    expect(outputs[4]).toBe(taken(...RULES))
    for (const output of outputs.slice(5, 11)) expect(output).toContain(PARSE_REFUSED)
    for (const output of outputs.slice(11, 13)) expect(output).toStartWith('Added 1 rule(s)')
    for (const at of [13, 16]) expect(outputs[at]).toContain('| Success |')
    expect(await textsOf(project, 'a.md', 'b.md', 'c.md')).toEqual([
      '- Ask Ann.\n- use tabs\n- do not shout\n',
      '- do not call eval\n',
      'Rule: use tabs\n',
    ])
  },
)

story('of two files in one message, a correction is of the rules that were refused', async () => {
  const texts = { 'a.md': 'Use tabs!\n\nPlease run `it`.\n', 'b.md': 'Use npm!\n\nAlways ask.\n' }
  const project = await start(texts)
  const correct = (tool: string, rules: unknown) => ({ tool, args: { rules } })
  const rules = (...both: Array<[action: string, target: string, source: string]>) =>
    parse(...both.map(([action, target, source]) => ({ strength: 'obligatory', action, target, source })))
  const wrong = rules(['use', 'tabs', 'Use tabs!'], ['run', '`it`', 'Run it!!'])
  const outputs = await answersIn(
    project,
    ...[DISCOVER, [wrong, rules(['use', 'npm', 'Use npm!'], ['ask', 'me', 'Always ask.'])]],
    correct('parse-rules', { 2: { source: 'Please run `it`.' } }),
    [format(['Rule: use tabs', 'Rule: run']), format(['Rule: use npm', 'Rule: ask'])],
    ...[correct('format-rules', { 2: 'Rule: run `it`' }), write()],
  )
  expect(outputs[3]).toMatch(/"tabs"[^]*"Please run `it`\."/)
  expect(outputs[4]).toContain('rule 2 does not say `it`')
  expect(outputs[6]).toBe(taken('Rule: use tabs', 'Rule: run `it`'))
  expect(await textsOf(project, 'a.md', 'b.md')).toEqual(['use tabs\n\nrun `it`\n', 'use npm\n\nask\n'])
})

story('single rules are corrected by number, also after a refusal', async () => {
  const project = await start({ 'a.md': 'Use tabs!\n\nNever call eval!\n\nPlease run it.\n' })
  const [tabs, wrong, run] = [
    { ...TABS!, source: 'Use tabs!' },
    { ...EVAL!, source: 'Never call evil!' },
    { ...toParsedRule('obligatory, run, it'), source: 'Please run it.' },
  ] as const
  const sentences = ['Rule: use tabs', 'Rule: call eval', 'Rule: run it']
  const correct = (tool: string, rules: unknown) => ({ tool, args: { rules } })
  const outputs = await answersIn(
    project,
    ...[correct('parse-rules', { 2: wrong }), DISCOVER, parse(tabs, wrong, run)],
    ...[{ 4: wrong }, { 2: { source: 'Never call eval!' } }].map((rules) => correct('parse-rules', rules)),
    ...[format(sentences), correct('format-rules', '{"2":"Rule: do not call eval"}')],
    correct('parse-rules', [{ index: 3, ...run, target: 'it always' }, { index: 1, target: 'hard tabs' }]),
    correct('format-rules', [{ index: 1, rule: 'Rule: use hard tabs' }]),
    ...[correct('format-rules', { 3: { rule: 'Rule: run it always' } }), write()],
    correct('format-rules', [{ index: 1, rule: 'Rule: x' }, { index: '1', rule: 'Rule: y' }]),
    ...[correct('format-rules', { 1: 'Rule: use soft tabs' }), write()],
    async () => {
      expect(await project.read('a.md')).toBe('use hard tabs\n\ndo not call eval\n\nrun it always\n')
      return write()
    },
    write({ rules: ['Rule: use soft tabs', 'Rule: do not call eval', 'Rule: run it always'] }),
  )
  expect(outputs[11]).toBe('Rule 1 is corrected twice: send it once.')
  // What was put in place is not replaced by other words of it unasked.
  expect(outputs[13]).toContain('every line is in a rule\nTo keep everything else')
  expect(outputs[15]).toContain('a.md: it says this already.')
  expect(outputs[0]).toContain('There is no rule 2 to correct: parse-rules was sent 0 rules in this session')
  expect(outputs[2]).toMatch(/rules\.1\.source[^]*by number: \{"2": …\}/)
  expect(outputs[3]).toContain('There is no rule 4 to correct: parse-rules was sent 3 rules in this session.')
  const mended = { ...wrong, source: 'Never call eval!' }
  expect(outputs[4]).toStartWith(taken(tabs, mended, run))
  expect(outputs[5]).toMatch(/rules\.1: rule 2 does not forbid[^]*by number/)
  expect(outputs[6]).toBe(taken(...sentences.with(1, 'Rule: do not call eval')))
  expect(outputs[7]).toStartWith(
    taken({ ...tabs, target: 'hard tabs' }, mended, { ...run, target: 'it always' }),
  )
  expect(outputs[8]).toBe(taken('Rule: use hard tabs', 'Rule: do not call eval', 'Rule: run it'))
  expect(outputs[9]).toBe(taken('Rule: use hard tabs', 'Rule: do not call eval', 'Rule: run it always'))
})

story('without files what was taken is written, and what was doubted is named', async () => {
  const project = await start({
    'a.md': '- Use tabs!\n',
    'b.md': '- Never call eval!\n',
    'c.md': '- ask pls\n',
  })
  const outputs = await answersIn(
    project,
    ...[DISCOVER, parse({ ...TABS, source: 'Use tabs!' }), format(RULES)],
    ...[parse({ ...EVAL, source: 'Never call eval!' }), format(['Rule: Use tabs.'])],
    format(['Rule: call eval']),
    ...[parse({ ...toParsedRule('obligatory, ask, Ann'), source: 'ask pls' }), format(['Rule: ask Ann'])],
    write(),
  )
  // What fits an earlier set better is not of the last.
  expect(outputs[4]).toBe(taken('Rule: Use tabs.'))
  expect(outputs[5]).toContain('rule 1 does not forbid')
  expect(outputs[8]).toMatch(/^\| TOTAL \| 2\/2/m)
  expect(outputs[8]).toContain(
    `Not written: \`${project.path('b.md')}\`: format-rules has not accepted its rules yet.`,
  )
  expect(await textsOf(project, 'a.md', 'b.md', 'c.md'))
    .toEqual(['- Use tabs.\n', '- Never call eval!\n', '- ask Ann\n'])
})

story('a rule is added after the words that are named, in the form of that place', async () => {
  const text = '# Rules\n\n1. Use tabs.\n2. Ask Ann.\n\n# Tests\n\n- Ask Ann.\n'
  const project = await start({ 'a.md': text })
  const [, added, twice] = await answersIn(
    project,
    DISCOVER,
    ...['# Rules', 'Ask Ann.'].map((after) => add({ rules: ['Rule: Be kind.'], after })),
  )
  expect(added).toStartWith('Added 1 rule(s)')
  expect(twice).toContain('"after" is on the lines 4, 9: copy more')
  expect(await project.read('a.md')).toBe(text.replace('2. Ask Ann.\n', '2. Ask Ann.\n3. Be kind.\n'))
})
