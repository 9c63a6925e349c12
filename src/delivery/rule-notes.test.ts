import { expect, test } from 'bun:test'
import { ruleProjects } from '../../test/harness/rule-projects.ts'

const rulesOf = ruleProjects()

/** A path without `w/` (the worktree) is in `.opencode/rules`. */
test.each<[path: string, text: string, note: RegExp | null]>([
  // Keys that SAT does not read in the rule folders of another tool
  ['w/.claude/rules/a.md', '---\nglobs: src/**\n---\nA', /globs is not read in \.claude\/rules; write paths/],
  ['w/.claude/rules/a.md', '---\nglobs: src/**\npaths: a/b\n---\nA', /no folder a/],
  ['w/.claude/rules/a.md', '---\nglobs: src/**\npaths: b.md\n---\nA', null],
  ['w/.claude/rules/a.md', '---\nalwaysApply: false\n---\nA', /^alwaysApply is not read in \.claude\/rules$/],
  ['w/.clinerules/a.md', '---\nagent: plan\n---\nA', /^agents is not read in \.clinerules$/],
  // Slashes or quotes around a pattern
  ['a.md', '---\nforbid: /any/i\n---\nA', /^the slashes are a part of the pattern \/any\/i$/],
  ['a.md', '---\nforbid: “any”\n---\nA', /^the quotes are a part of the pattern “any”$/],
  ['a.md', '---\nrequire:\n  - `any`\n---\nA', /^the quotes are a part of the pattern `any`$/],
  ['a.md', '---\nforbid: “any”\nbad: a “any” b\n---\nA', null],
  ['a.md', '---\nforbid: `[^`]+`\n---\nA', null],
  ['a.md', '---\nforbid: /any/\nbad: a/any/b\n---\nA', null],
  // A header that does not begin on line 1
  ['a.md', '---\nalwaysApply: false\n---\n---\nglobs: b.md\n---\nA', /the one on line 4/],
  ['a.md', '\n---\nglobs: b.md\n---\nA', /must begin with --- on line 1; the one on line 2 is not read/],
  ['a.md', 'Copyright me.\r\nMIT\r\n\r\n---\r\ndescription: x\r\n---\r\nA', /the one on line 4/],
  ['a.md', '```md\n---\nglobs: b.md\n---\nA\n```', /the one on line 2/],
  ['a.md', 'A rule is\n```\n---\nglobs: b.md\n---\n```\nA', null],
  ['a.md', 'A\n---\nB: c\n---\nD', null],
  // A wrong sign in place of a star or comma
  ['a.md', '---\nglobs: **/_.md\n---\nA', /^\*\*\/_\.md is read as \*\*\/\*\.md$/],
  ['a.md', '---\nglobs: *.md;*.x\n---\nA', /^the ; is a part of the pattern \*\.md;\*\.x; write a comma /],
  ['a.md', '---\nglobs: *.{md|x}\n---\nA', /^the \| is a part of the pattern \*\.{md\|x}; write a comma /],
  ['a.md', '---\nglobs: "*.@(md|x), a;b.md"\n---\nA', null],
  // Globs that match no file
  ['a.md', '---\nglobs: *.md, ../w/**\n---\nA', /^\.\.\/w\/\*\* leads out of the project; no file matches /],
  ['a.md', '---\nglobs: *.md\u200B\n---\nA', /^a hidden character is a part of the pattern \*\.md⟦U\+200B⟧$/],
  ['a.md', '---\nglobs: "..a.md, می\u200Cخواهم.md"\n---\nA', null],
  ['a.md', '---\nglobs: "@types/**"\n---\nA', /no folder @types/],
  ['a.md', '---\nglobs: "*.md *.x"\n---\nA', /^the space is a part of the pattern \*\.md \*\.x; write a /],
])('%s with the text %j has the note %p (null: no note)', async (path, text, note) => {
  const { read } = rulesOf({}, { [path]: text }, ['.claude/rules', '.clinerules'])
  const [rule] = (await read()).rules
  if (note === null) expect(rule?.note).toBeUndefined()
  else expect(rule?.note).toMatch(note)
})

test('a glob that begins with a missing folder is noted until the folder exists', async () => {
  const { read, write } = rulesOf({}, {
    'a.md': '---\nglobs: scr/**\n---\nx',
    'b.md': '---\nglobs: "*.ts, src/**"\n---\nx',
    'without-globs.md': 'x',
    'w/src/a.ts': 'x',
  })
  const notes = async () => (await read()).rules.map(({ note }) => note)
  expect(await notes()).toEqual(['there is no folder scr; did you mean src?', undefined, undefined])
  write('w/scr/a.ts', 'x')
  expect(await notes()).toEqual([undefined, undefined, undefined])
})

test.each<[key: string, line: number, header: string]>([
  ['include', 2, 'include: "*.ts"'],
  ['trigger', 2, 'trigger: hourly'],
  ['regex', 3, 'title: x\nregex: "^import"'],
])('a rule with a key of other tools is only offered: %s, line %d, header %j', async (key, line, header) => {
  const { read, reported } = rulesOf({}, { 'a.md': `---\n${header}\n---\n# Title\nA` })
  const { rules, leftOut: [fault] } = await read()
  expect(`${fault?.line} ${fault?.reason}`).toStartWith(`${line} ${key} `)
  expect(rules).toMatchObject([{ kind: 'offered', description: 'Title' }])
  expect(reported.toasts[0]).toStartWith('Only offered: .opencode/rules/a.md:')
})

// In the first three headers, a key that SAT reads decides when the rule is sent. `type` often means something else.
test.each([
  'os: linux\napplyTo: "**"',
  'os: linux\nalwaysApply: true',
  'os: linux\nagents: build',
  'type: guide',
])(
  'a rule with the header %j is not offered, although it has a key that SAT does not read',
  async (header) => {
    const { rules, leftOut } = await rulesOf({}, { 'a.md': `---\n${header}\n---\n# Title\nA` }).read()
    expect(rules.map(({ kind }) => kind)).not.toContain('offered')
    expect([rules.length, leftOut]).toEqual([1, []])
  },
)
