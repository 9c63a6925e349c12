import { expect, test } from 'bun:test'
import { readRuleText } from './rule-text.ts'

const BODY = 'Be brief.'
const withHeader = (header: string): string => `---\n${header}\n---\n\n${BODY}\n`

const BOUND: Array<[header: string, globs: Array<string> | null]> = [
  // each tool's own spelling
  ['globs:\n  - "src/**/*.ts"\n  - a.js', ['src/**/*.ts', 'a.js']],
  ['paths:\n- src/**/*.ts', ['src/**/*.ts']],
  ['paths: ["src/**", \'lib/**\']', ['src/**', 'lib/**']],
  ['applyTo: "**/*.ts,**/*.tsx"', ['**/*.ts', '**/*.tsx']],
  ["applyTo: '**'", ['**']],
  ['globs: a.ts\npaths: b.ts\napplyTo: c.ts', ['a.ts', 'b.ts', 'c.ts']],
  ['description: x\nglobs: src/**/*.ts, lib/*.js\nalwaysApply: false', ['src/**/*.ts', 'lib/*.js']],
  // commas, in braces and out of them
  ['globs: "*.{ts,tsx},*.js"', ['*.{ts,tsx}', '*.js']],
  ['globs: *.{ts,tsx},*.js', ['*.{ts,tsx}', '*.js']],
  ['globs: src/{a,b}/{c,d}.ts', ['src/{a,b}/{c,d}.ts']],
  ['globs: ["*.ts,*.js", "*.md"]', ['*.ts', '*.js', '*.md']],
  // bare globs that are no valid YAML, or another thing in it
  ['globs: **/*.ts', ['**/*.ts']],
  ['globs: *.ts', ['*.ts']],
  ['globs: **/*.ts # all of them', ['**/*.ts']],
  ['globs: !vendor/**', ['!vendor/**']],
  ['globs: {src,lib}/**', ['{src,lib}/**']],
  ['globs: [ab]*.ts', ['[ab]*.ts']],
  ['globs: [**/*.ts, *.{js,jsx}]', ['**/*.ts', '*.{js,jsx}']],
  ['globs:\n  - **/*.ts\n  # but not\n  - !**/*.d.ts\ndescription: x', ['**/*.ts', '!**/*.d.ts']],
  ['globs: ["a.ts", b.ts]', ['a.ts', 'b.ts']],
  ['globs: @scope/*.ts', ['@scope/*.ts']],
  // in quotes here and bare there, over several lines, or without a list's brackets
  ['globs: [**/*.ts, "a, b.js", \'c.js\']', ['**/*.ts', 'a', 'b.js', 'c.js']],
  ['globs: "**/*.ts", "*.js"', ['**/*.ts', '*.js']],
  ["globs: '**/*.ts','*.js' # both", ['**/*.ts', '*.js']],
  ["globs: it's/*.ts, that's/*.ts", ["it's/*.ts", "that's/*.ts"]],
  ['globs: [\n  "**/*.ts",\n  "*.js"\n]', ['**/*.ts', '*.js']],
  ['description: x\npaths: [ # these\n  **/*.ts,\n  # and\n  "src/**",\n] # all\nglobs: [b]', [
    'b',
    '**/*.ts',
    'src/**',
  ]],
  ['globs: |\n  **/*.ts\n  *.js', ['**/*.ts', '*.js']],
  ['paths: src/a b/*.ts', ['src/a b/*.ts']],
  // bound to nothing
  ['description: x', null],
  ['globs:', null],
  ['globs: []', null],
  ['globs: ""', null],
  ['globs: ~', null],
  ['', null],
  ['# a comment', null],
  ['alwaysApply: true', null],
  ['globs: a.ts\nalwaysApply: true', null],
  ['description: x\nglobs:\nalwaysApply: false', null],
]

for (const [header, globs] of BOUND) {
  test(`${JSON.stringify(header)} is bound to ${JSON.stringify(globs)}`, async () => {
    expect(await readRuleText(withHeader(header))).toEqual({ data: { body: BODY, globs }, error: null })
    const crlf = withHeader(header).replaceAll('\n', '\r\n')
    expect(await readRuleText(`\uFEFF${crlf}`)).toEqual({ data: { body: BODY, globs }, error: null })
  })
}

const PLAIN = [
  'Just words.',
  '# Title\n\n---\n\nglobs: no',
  '---\n\nA ruler first.',
  '---\nWords between rulers.\n---\nmore',
  '---\n- a list\n---\nmore',
]

for (const text of PLAIN) {
  test(`${JSON.stringify(text)} is all rule`, async () => {
    expect(await readRuleText(`${text}\n`)).toEqual({ data: { body: text, globs: null }, error: null })
  })
}

const BROKEN: Array<[text: string, line: number]> = [
  [withHeader('globs: ["a.ts"'), 2],
  [withHeader('description: ok\nglobs: "a.ts'), 3],
  [withHeader('description: a: b\nglobs: a.ts'), 2],
  [withHeader('globs: a.ts\n\tbad'), 3],
  [withHeader('globs: a.ts\nglobs: b.ts'), 3],
  [withHeader('globs:\n  a: b'), 2],
  [withHeader('description: x\npaths: 7\nglobs:\n  a: b'), 4],
  [withHeader('description: x\nglobs: [a, *x'), 3],
  [withHeader('not yaml at all: [}'), 2],
  [withHeader('globs: [\n  **/*.ts,\ndescription: see [x]'), 4],
  [withHeader('globs: a.ts\ndescription: *bold'), 3],
  [withHeader('globs: [\n  a.ts,\n]\ndescription: a: b'), 5],
  [withHeader('globs:*.ts'), 2],
  ['---\nglobs: a.ts\n\nThe end is missing.\n', 1],
]

for (const [text, line] of BROKEN) {
  test(`${JSON.stringify(text)} is broken on line ${line}`, async () => {
    const { data, error } = await readRuleText(text)
    expect([data, error?.line]).toEqual([null, line])
    expect(error?.reason).toMatch(/\w/)
    expect(error?.reason).not.toContain('\n')
  })
}
