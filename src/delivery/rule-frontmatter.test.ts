import { expect, test } from 'bun:test'
import { expectLinear, filled } from '../../test/harness/processor-time.ts'
import { splitFrontmatter } from '../markdown/frontmatter.ts'
import { dialectOf, kindOf, type RuleKind } from './rule-dialects.ts'
import { readRuleText } from './rule-frontmatter.ts'

const OWN = dialectOf('/w/.opencode/rules')
const BODY = 'Be brief.\n\n---\nmore'

const readRule = (text: string, dialect = OWN) => {
  const { keys, body } = readRuleText(text).data!
  return { body, description: keys.description, ...kindOf(dialect, keys) }
}

const withHeader = (header: string): string => `---\n${header}\n---\n\n${BODY}\n`

/** The kind of a rule or, if the kind is `file`, its globs. */
type Sent = 'always' | 'offered' | 'manual' | Array<string>

const expectedKind = (sent: Sent): RuleKind =>
  typeof sent === 'string' ? { kind: sent } : { kind: 'file', globs: sent }

/** Repeats the check for each kind of line break and each line that closes a header. */
const expectSent = (header: string, sent: Sent): void => {
  const text = withHeader(header)
  const crlf = `\uFEFF${text.replaceAll('\n', '\r\n')}`
  const closedDifferently = ['...', '-----------'].map((line) => text.replace('\n---\n', `\n${line}\n`))
  for (const variant of [text, crlf, text.replaceAll('\n', '\r'), ...closedDifferently]) {
    const rule = readRule(variant)
    expect(rule).toMatchObject(expectedKind(sent))
    const bodies = [rule.body, splitFrontmatter(variant).body.trim()]
    expect(bodies.map((body) => body.replace(/\r\n?/g, '\n'))).toEqual([BODY, BODY])
  }
}

test.each<[header: string, globs: Array<string>]>([
  ['globs: a.ts\npaths: b.ts\napplyTo: c.ts', ['a.ts', 'b.ts', 'c.ts']],
  ['globs: README.md  src/** # comment', ['README.md', 'src/**']],
  ['globs: "*.ts  src/**" # comment', ['*.ts  src/**']],
  ['globs: "*.ts" \'*.js\' # both', ['*.ts', '*.js']],
  ['globs: **/*.{ts, tsx}, "{src/**, lib/**}"', ['**/*.{ts,tsx}', '{src/**,lib/**}']],
  ['globs: _*.scss, a/__tests__/b_.ts', ['_*.scss', 'a/__tests__/b_.ts']],
  ['globs: ["app/[[...slug]]/*.tsx", "app/[id]/**"]', ['app/[[...slug]]/*.tsx', 'app/[id]/**']],
  ['globs: [ab]*.[jt]s', ['[ab]*.[jt]s']],
  ['globs: "a \\"b\\".ts"', ['a "b".ts']],
  ['globs: ["src/**", \'lib/#x\'] # it\'s "all"', ['src/**', 'lib/#x']],
  ['globs:\n- "a.ts"\n- b.ts\nalwaysApply: false', ['a.ts', 'b.ts']],
  ['globs: [\n  "**/*.ts",\n  "*.js"\n]', ['**/*.ts', '*.js']],
  ['globs: |\n  **/*.ts\n  *.js', ['**/*.ts', '*.js']],
  ['globs:\n  # all\n  **/*.ts, "*.js",\n  *.md', ['**/*.ts', '*.js', '*.md']],
  ['globs: [*.ts src/**, "**/My Docs/*.md"]', ['*.ts src/**', '**/My Docs/*.md']],
  ['globs: **/Core Data/**, *.md', ['**/Core Data/**', '*.md']],
  // Changed by a Markdown formatter or a word processor
  ['globs: \\*_/_.{ts,tsx}', ['**/*.{ts,tsx}']],
  ['globs: **/_.svelte, src/_.ts', ['**/*.svelte', 'src/*.ts']],
  ['globs: *_/_.ts, src/*_/*.js', ['**/*.ts', 'src/*_/*.js']],
  ['globs: “**/*. {ts,tsx}”', ['**/*.{ts,tsx}']],
  ['globs: ‘src/**’, *.js', ['src/**', '*.js']],
  // Rejected or read differently by YAML
  ['globs:\n  - **/*.ts\n  # but not\n  - !**/*.d.ts\ndescription: x', ['**/*.ts', '!**/*.d.ts']],
  ['globs: [**/*.ts, "a, b.js", \'c.js\']', ['**/*.ts', 'a', 'b.js', 'c.js']],
  ["globs: it's/*.ts, that's/*.ts", ["it's/*.ts", "that's/*.ts"]],
  ['globs: `src/**`, `*.{js,ts}`', ['src/**', '*.{js,ts}']],
  ['\ndescription: a: b\nglobs: a.ts', ['a.ts']],
  ['a b: 1\nc/d: [\n"größe": {\nglobs: a.ts', ['a.ts']],
  ['globs:\n  -src/**\n  -"*.js"', ['src/**', '*.js']],
  ['globs: # all\nsrc/**\n*.js', ['src/**', '*.js']],
  ['globs: |\nsrc/**', ['src/**']],
  ['globs: src/**, # both\n*.js,\n*.md', ['src/**', '*.js', '*.md']],
  // With keys of other tools
  ['trigger: glob\ndescription:\nglobs: **/*.ts,*.js', ['**/*.ts', '*.js']],
  ['inclusion: fileMatch\nfileMatchPattern: ["*.ts", "*.js"]', ['*.ts', '*.js']],
  ['trigger: glob\nglobs: a.ts\nalwaysApply: false\nfileMatchPattern: b.ts', ['a.ts']],
])('the header %j has the globs %j', expectSent)

test.each([
  ...['', 'globs: []', 'globs: ~', 'globs: a.ts\nalwaysApply: true', 'applyTo: "*.ts, **"', 'global: true'],
  ...['trigger: always_on', 'trigger: glob\nalwaysApply: true', 'inclusion: always', 'type: always_apply'],
])('a rule with the header %j is always sent', (header) => expectSent(header, 'always'))

test.each([
  ...['alwaysApply: FALSE', 'alwaysApply:\n  false # why', 'alwaysApply:\n- false'],
  ...['trigger: "manual"', 'inclusion: manual', 'type: manual'],
])('a rule with the header %j is never sent', (header) => expectSent(header, 'manual'))

test.each(['trigger: model_decision', 'inclusion: auto\nname: x', 'type: "agent_requested"'])(
  'a rule with the header %j and a description is offered',
  (header) => expectSent(`${header}\ndescription: x`, 'offered'),
)

test.each<[header: string, description: string]>([
  ['description: Be kind: to all', 'Be kind: to all'],
  ['description: "quoted: yes"', 'quoted: yes'],
  ['description: >-\n  two\n  lines', 'two lines'],
  ['description:no space', 'no space'],
  ['description: two\nlines', 'two lines'],
  ['description: "use" and not "utilise"', '"use" and not "utilise"'],
])('the header %j has the description %j', (header, description) => {
  expect(readRule(withHeader(header))).toMatchObject({ kind: 'offered', description })
})

test.each([
  '# Title\n\n---\n\nglobs: no',
  '---\n\nA horizontal rule first.',
  '---\n- a list\n---\nmore',
  '---\nNote: a\nModels: b and c\n\nMore.',
  '---\nUse these\ntools: rg, fd\n\n---\nmore',
  '---\n\nkeywords: a\nNot a header.\n\n---\nmore',
  '---\nhttps://a.b\n注意：c\nd = e\n---\nmore',
])('%j has no header: all of it is the body', (text) => {
  expect(readRule(`${text}\n`)).toEqual({ body: text, kind: 'always', description: undefined })
})

const NO_HEADER_LINE = 'is not a line of a header; write "key: value" or "- item"'

test.each<[text: string, fault: string]>([
  [withHeader('globs: ["a.ts"'), '2: the list of globs is not closed with ]'],
  [withHeader('description: ok\nglobs: "a.ts'), '3: the quote in "a.ts is not closed'],
  [withHeader('globs: a.ts\nglobs: b.ts'), '3: globs occurs twice'],
  [withHeader('globs:\n  a: b'), '2: globs must be a list'],
  [withHeader('globs: { include: "*.ts" }'), '2: globs must be a list'],
  [withHeader('globs:*.ts'), '2: a key is written "globs: value", with a space'],
  [withHeader('alwaysApply: perhaps'), '2: alwaysApply must be true or false'],
  [withHeader('{globs: ['), '2: a header has one key per line, without braces'],
  [withHeader('glob: "*.ts"'), '2: there is no key glob; did you mean globs?'],
  [withHeader('keywords: #bug'), '2: a value of keywords is a comment; put a text with # in quotes'],
  [withHeader('globs:\n  - #a/**\n  - b'), '2: a value of globs is a comment; put a text with # in quotes'],
  [withHeader('always_apply: true'), '2: there is no key always_apply; did you mean alwaysApply?'],
  [withHeader('applies_to: "**"'), '2: there is no key applies_to; did you mean applyTo?'],
  ['---\nglobs: a.ts\n\nThe end is missing.\n', '1: the frontmatter is not closed with ---'],
  ['---\nagents: plan\nforbid: foo\n\nx\n', '1: the frontmatter is not closed with ---'],
  ['---\r\ntrigger: manual\r\n\r\nx\r\n\r\n---\r\ny\r\n', '1: the frontmatter is not closed with ---'],
  [withHeader('keywords: a\nbranches: b\nPlease'), `4: Please ${NO_HEADER_LINE}`],
  [withHeader('title: x\nkeywords:\nrefactor\nrename'), `4: refactor ${NO_HEADER_LINE}`],
  [withHeader('globs：*.py'), `2: globs：*.py ${NO_HEADER_LINE}`],
  [withHeader('title: x\nagents = plan'), `3: agents = plan ${NO_HEADER_LINE}`],
  [withHeader('globs: src/**\nforbid: any\nreally bad'), `4: really bad ${NO_HEADER_LINE}`],
  [withHeader('forbid: foo\nPlease\nglobs: a'), `3: Please ${NO_HEADER_LINE}`],
  [withHeader('Only by hand\nalwaysApply: false'), `2: Only by hand ${NO_HEADER_LINE}`],
])('the rule file %j has the fault %j', (text, fault) => {
  const { data, error } = readRuleText(text)
  expect([data, `${error?.line}: ${error?.reason}`]).toEqual([null, fault])
})

test.each<[header: string, texts: Array<[text: string, line: number]>]>([
  [String.raw`forbid: :\s*any\b # why`, [[String.raw`:\s*any\b`, 2]]],
  [String.raw`forbid: ['a,b', "c"]`, [['a,b', 2], ['c', 2]]],
  ["forbid:\n  - 'a'\n  # why\n  - - b: [c\nglobs: x", [['a', 3], ['- b: [c', 5]]],
  ["forbid:\n  'it''s'", [["it's", 3]]],
  ["forbid: [ # both\n  'a]', # one\n  'b',\n]", [['a]', 3], ['b', 4]]],
  ['forbid: [TODO, FIXME]', [['TODO', 2], ['FIXME', 2]]],
  ['forbid: [console.log, debugger] # why', [['console.log', 2], ['debugger', 2]]],
  ['forbid: [fs.rm, got]', [['fs.rm', 2], ['got', 2]]],
  ['forbid: [TODO]', [['TODO', 2]]],
  ['forbid: [$, jQuery]', [['$', 2], ['jQuery', 2]]],
  ['forbid: [==, !=]', [['==', 2], ['!=', 2]]],
  ['forbid: [x, y]', [['x', 2], ['y', 2]]],
  [String.raw`forbid: [\bvar\b, \.at\(]`, [[String.raw`\bvar\b`, 2], [String.raw`\.at\(`, 2]]],
  [String.raw`forbid: [\.only\(, a(?:b, c)]`, [[String.raw`\.only\(`, 2], ['a(?:b, c)', 2]]],
  ['forbid:\n  - |\n    a\n      - b\n\n  - "\\tc\\b"\nglobs: x', [['a', 4], ['- b', 5], ['\tc\\b', 7]]],
  ["bad: 'a: {'\nforbid: b", [['b', 3]]],
  ['forbid: a\n  b', [['a', 2], ['b', 3]]],
  ['forbid:\n  color: red\n  margin: 0', [['color: red', 3], ['margin: 0', 4]]],
  ['forbid:\n  - color: red\n  - margin: 0', [['color: red', 3], ['margin: 0', 4]]],
  ['forbid:\n  - null\n  - ~', [['null', 3], ['~', 4]]],
  ['forbid: #fff\\b # colours', [['#fff\\b', 2]]],
  ['forbid: # colours\n  - #fff\n  # black\n  - #000', [['#fff', 3], ['#000', 5]]],
  ['forbid: # TODO', [['# TODO', 2]]],
  ['forbid: |-\n  TODO\n', [['TODO', 3]]],
  ['forbid: >-\n  (?:TODO\n  FIXME)\n', [['(?:TODO FIXME)', 2]]],
  ['forbid: | # why\n  a\n  b', [['a', 3], ['b', 4]]],
  ['forbid:\n  - |\n    a # b\n  - >\n    c\n    d', [['a # b', 4], ['c d', 5]]],
])('the header %j has these patterns on these lines: %j', (header, texts) => {
  const { keys } = readRuleText(withHeader(header)).data!
  expect(keys.forbid?.map(({ text, line }) => [text, line])).toEqual(texts)
})

test.each([
  ...['[abc]', '[a-z, ]', '[a-z, A-Z]', '[., !?]', '[$, €]', '[\\w, .]', '[A-Za-z0-9_, .]', '[, \\t]'],
  ...['[\\u4e00-\\u9fff, a]', '[^TODO]', '[\\x00-\\x1f]', '[0-9]{3}', '[A-Z][A-Z]'],
  ...['null|undefined', '~\\w', 'color: red'],
])('%j is one pattern', (pattern) => {
  const { keys } = readRuleText(withHeader(`forbid: ${pattern}`)).data!
  expect(keys.forbid).toEqual([{ text: pattern, line: 2 }])
})

test.each([
  ["forbid: 'a", /the quote in 'a is not closed/],
  ['forbids: a', /did you mean forbid/],
  ['forbid: color: #fff', /the # in color: #fff may start a comment; put a text with # in quotes/],
  ['forbid: [color, #fff]', /may start a comment/],
  ['forbid:\n  #fff', /all of forbid is a comment/],
  ['forbid: null', /YAML reads null as no value; put the text null in quotes/],
  ['forbid: ~ # none yet', /reads ~ as no value/],
  ["forbid: 'a', 'b' # why", /several texts must be a list: \['a', 'b'\]/],
  ['forbid:\n  - pattern: any\n    message: no', /an item of forbid must be one text, without keys: message/],
])('the patterns of the header %j have the fault %p, but the text of the rule is read', (header, reason) => {
  const { checkFault, body } = readRuleText(withHeader(header)).data!
  expect(checkFault?.reason).toMatch(reason)
  expect(body).toBe(BODY)
})

test('a header that repeats a short text is read in linear time', async () => {
  const repeated = ['{', '[{(', '"', '", \'', '{,', ' #', "'", '\\"', 'a:\n', '- \n', '[,', ', "\\', ' ']
  for (const start of ['globs: ', "forbid: '', ", "forbid: [''", 'forbid: [', 'forbid:\n- |\n']) {
    for (const part of repeated) {
      await expectLinear(start + part, (bytes) => readRuleText(withHeader(`${start}${filled(part, bytes)}x`)))
    }
  }
})

test.each<[folder: string, file: string, text: string, sent: Sent | 'no rule file']>([
  ['.cursor/rules', 'style.mdc', '---\ndescription: RPC\nglobs:\nalwaysApply: false\n---\nx', 'offered'],
  ['.claude/rules', 'root.md', '---\npaths: "*.ts, !*.d.ts"\n---\nx', ['./*.ts', '!./*.d.ts']],
  ['.claude/rules', 'described.md', '---\ndescription: x\nglobs: a.ts\n---\nx', 'always'],
  ['.claude/rules', 'x.mdc', 'x', 'no rule file'],
  ['.github/instructions', 'ts.instructions.md', "---\napplyTo: '**/*.ts,*.x'\n---\nx", ['**/*.ts', '*.x']],
  ['.github/instructions', 'star.instructions.md', '---\napplyTo: "*"\n---\nx', 'always'],
  ['.github/instructions', 'task.instructions.md', "---\ndescription: 'Python'\n---\nx", 'offered'],
  ['.github/instructions', 'hand.instructions.md', 'x', 'manual'],
  ['.github/instructions', 'README.md', 'x', 'no rule file'],
  ['.clinerules', 'notes.txt', 'x', 'always'],
  ['.clinerules', 'off.md', '---\npaths: []\n---\nx', 'manual'],
  ['.clinerules', 'unset.md', '---\npaths:\n---\nx', 'always'],
  ['.clinerules', 'workflows/release.md', 'x', 'no rule file'],
])(
  'in the folder %s of another tool, the file %s with the text %j has the kind or globs %j',
  (folder, file, text, sent) => {
    const dialect = dialectOf(`/w/${folder}`)
    expect(dialect.ending.test(file)).toBe(sent !== 'no rule file')
    if (sent !== 'no rule file') expect(readRule(text, dialect)).toMatchObject(expectedKind(sent))
  },
)
