import { expect } from 'bun:test'
import { mkdirSync, symlinkSync } from 'node:fs'
import { write } from '../formatting/session.ts'
import { type Project, sharedHost } from '../harness/host.ts'
import { story } from '../harness/story.ts'
import { toastsOf } from '../harness/toasts.ts'
import { inForce, read, shownOf, times } from './delivered.ts'

const rulesOf = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, header]) => [
      `.opencode/rules/${name}.md`,
      `---\n${header}\n---\nRULE-${name}\n`,
    ]),
  )

/** A file that is read, the header of a rule, and whether the rule is for the file. */
const PATTERNS: Array<[file: string, header: string, isMeant: boolean]> = [
  // dot files and folders
  ['.github/workflows/ci.yml', "applyTo: '**/*.yml'", true],
  ['.github/workflows/ci.yml', 'globs: *.yml', true],
  ['packages/web/.storybook/main.ts', 'globs: packages/web', true],
  ['.git-blame/a.txt', 'globs: **/a.txt', true],
  // spaces
  ['Languages/Japanese (日本語)/a.xml', 'applyTo: "**/Languages/Japanese (日本語)/**/*.xml"', true],
  ['Core Data/a.swift', 'globs: ["**/Core Data/**"]', true],
  ['Data/m.swift', 'globs:\n  - "**/Big Data/**"', false],
  ['Old Code/a.cs', 'globs: "*.cs", "!**/Old Code/**"', false],
  ['Old Code/b.cs', 'globs: *.txt *.cs', true],
  // stars that a formatter took
  ['src/a.tsx', 'globs: \\*_/_.{ts,tsx}', true],
  ['src/A.svelte', 'globs: **/_.svelte', true],
  ['src/a.mts', 'applyTo: \\*_/_.mts', true],
  ['src/a.mjs', 'globs: “**/*. {js,mjs}”', true],
  // links
  ['pkg/ui/a.ui', 'globs: packages/ui/**', true],
  ['pkg/ui/b.ui', 'globs: pkg/ui/b.ui', true],
  ['linked.css', 'globs: packages/theme.css', true],
  ['outside/x.txt', 'globs: packages/*.txt', true],
]

const linked = (project: Project): void => {
  mkdirSync(project.path('pkg'))
  symlinkSync('../packages/ui', project.path('pkg/ui'))
  symlinkSync('packages/theme.css', project.path('linked.css'))
  symlinkSync('packages', project.path('outside'))
}

story(
  'a rule joins for the files that its pattern means: dot files, names with spaces, linked ones',
  async () => {
    const headers = PATTERNS.map(([, header], index) => [`${index}-`, header] as const)
    const files = PATTERNS.map(([file]) => file)
      .filter((file) => !/^(?:pkg|linked|outside)/.test(file))
      .concat('packages/ui/a.ui', 'packages/ui/b.ui', 'packages/theme.css', 'packages/x.txt')
    const project = (await sharedHost()).project({
      files: {
        ...rulesOf(Object.fromEntries(headers)),
        ...Object.fromEntries(files.map((file) => [file, 'x\n'])),
      },
    })
    linked(project)
    const session = await project.session()
    const reads = PATTERNS.map(([file]) => read(project.path(file)))
    const { requests } = await session.turn('go', reads, 'the end')
    const wrong = PATTERNS.filter(([, , isMeant], index) =>
      (times(`RULE-${index}-`, requests.at(-1)!) === 1) !== isMeant
    )
    expect(wrong).toEqual([])
  },
)

story(
  'a rule for a linked folder comes before a new file, checks it, and joins by the words of a person',
  async () => {
    const project = (await sharedHost()).project({
      files: {
        ...rulesOf({ ui: 'globs: packages/ui/**\nforbid: \\bvar\\b', keys: 'globs: "**"\nforbid: SECRET=' }),
        'packages/ui/a.ts': 'x\n',
      },
    })
    linked(project)
    const session = await project.session()
    const call = write(project, 'pkg/ui/new.ts', 'var a = 1\n')
    const { outputs } = await session.turn(
      'go',
      call,
      call,
      write(project, '.env.local', 'SECRET=1\n'),
      'the end',
    )
    expect(outputs[0]).toMatch(/^Rules come first: `pkg\/ui\/new\.ts` is not written yet.*`ui`/)
    expect(outputs[1]).toMatch(/new\.ts breaks rules[^]*var a = 1/)
    expect(outputs[2]).toMatch(/\.env\.local breaks rules[^]*SECRET/)
    expect((await shownOf(session)).broken.map(({ path }) => path)).toEqual(['pkg/ui/new.ts', '.env.local'])
    const named = await project.session()
    const { requests } = await named.turn('Look at pkg/ui/a.ts, please.')
    expect(times('RULE-ui', requests[0]!)).toBe(1)
  },
)

const HEADERS: Record<string, string> = {
  command: 'command: plan',
  regex: 'title: x\nregex: ^import',
  contains: 'fileContains: React',
  match: 'match: all\nos: linux',
  kiro: 'inclusion: fileMatch\nfileMatchPattern: "*.vue"',
  augment: 'type: always_apply',
  tags: 'tags: [a]\nauthor: me',
  include: 'include: ["src/**", "*.ts"]',
  words: 'triggers:\n  - yaml',
}

story(
  'a key that limits a rule elsewhere offers it, one that nothing reads is noted, a late header too',
  async () => {
    const late = '<!-- MIT -->\n\n---\nglobs: "*.md"\n---\nRULE-late\n'
    const project = (await sharedHost()).project({
      files: {
        ...rulesOf(HEADERS),
        '.opencode/rules/late.md': late,
        '.opencode/rules/fenced.md': `\`\`\`md\n${late.slice(14)}\`\`\`\n`,
        '.opencode/rules/title.md': late.replace('<!-- MIT -->', '# Title'),
        '.opencode/rules/import.md': late.replace('<!-- MIT -->', '@import x.md'),
        '.opencode/rules/word.md': late.replace('globs: "*.md"', 'keywords: [x]'),
        '.opencode/rules/branch.md': late.replace('globs: "*.md"', 'branches: x'),
        '.opencode/rules/indented.md': `  ${late.slice(14)}`,
        '.opencode/rules/yaml.md': late.slice(14).replace('---', '---yaml'),
      },
    })
    const toasts = await toastsOf(project, (await sharedHost()).url)
    const session = await project.session()
    const { requests: [request] } = await session.turn('go')
    await toasts.when(/Only offered:\s+\.opencode\/rules\/command\.md:2:\s+command\s+limits/)
    await toasts.stop()
    expect(times('RULE-augment', request!)).toBe(1)
    expect(times('RULE-tags', request!)).toBe(1)
    const shown = await shownOf(session)
    expect(shown.leftOut.map(({ path, line, isOffered }) => `${path.split('/').at(-1)}:${line} ${isOffered}`))
      .toEqual([
        'command.md:2 true',
        'contains.md:2 true',
        'include.md:2 true',
        'match.md:2 true',
        'regex.md:3 true',
        'words.md:2 true',
      ])
    const notes = Object.fromEntries(shown.inForce.map(({ name, note }) => [name, note]))
    expect(notes).toEqual({
      augment: undefined,
      tags: 'not read: tags (line 2), author (line 3)',
      late: 'a header must begin with --- on line 1; the one on line 3 is not read',
      fenced: 'a header must begin with --- on line 1; the one on line 2 is not read',
      title: 'a header must begin with --- on line 1; the one on line 3 is not read',
      import: 'a header must begin with --- on line 1; the one on line 3 is not read',
      word: 'a header must begin with --- on line 1; the one on line 3 is not read',
      branch: 'a header must begin with --- on line 1; the one on line 3 is not read',
      indented: 'a header must begin with --- on line 1; the one on line 1 is not read',
      yaml: 'a header must begin with --- on line 1; the one on line 1 is not read',
    })
    project.write('a.vue', 'x\n')
    await session.turn('go', read(project.path('a.vue')), 'the end')
    expect((await inForce(session)).find((name) => name.startsWith('kiro'))).toBe('kiro file a.vue')
  },
)

/** The lines of a rule's header, a file that is written, and the line that breaks the rule, or none. */
const CHECKED: Array<[header: string, text: string, broken: number | undefined | null]> = [
  ['forbid: #[0-9a-fA-F]{6}\\b', 'a\ncolor: #ffffff\n', 2],
  ['forbid:\n  - #fff', 'color: #fff\n', 1],
  ["forbid: 'color: #fff'", 'color: red\n', null],
  ['forbid: |\n  TODO\n  FIXME', 'a\nb FIXME\n', 2],
  ['forbid: >-\n  (?:a\n  b)', 'a b\n', 1],
  ["require: '^// SPDX$'", 'a\r\n// SPDX\r\nb\r\n', null],
  ['require: ;$', 'a;\r\nb\r\n', null],
  ['require: |\n  ^x\n  ^y$', 'x\r\nz\r\n', undefined],
]

story(
  'a pattern with # or on lines of its own checks, and one that may be a comment is a fault',
  async () => {
    const headers = CHECKED.map(([header], index) => [`r${index}`, `globs: ${index}.txt\n${header}`] as const)
    const project = (await sharedHost()).project({
      files: rulesOf({
        ...Object.fromEntries(headers),
        fault: 'forbid: color: #fff',
        comment: 'require:\n  #fff',
      }),
    })
    const session = await project.session()
    const calls = CHECKED.map(([, text], index) => write(project, `${index}.txt`, text))
    await session.turn('go', calls, calls, 'the end')
    const { broken, leftOut } = await shownOf(session)
    expect(broken.map(({ rule, line }) => `${rule} ${line}`).sort()).toEqual(
      CHECKED.flatMap(([, , line], index) => line === null ? [] : [`r${index} ${line}`]),
    )
    expect(
      leftOut.map(({ path, isSent, reason }) => [path.split('/').at(-1), isSent, /in quotes$/.test(reason)]),
    ).toEqual([
      ['comment.md', true, true],
      ['fault.md', true, true],
    ])
  },
)
