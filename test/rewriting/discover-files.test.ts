import { expect } from 'bun:test'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { markName } from '../../src/text/hidden-characters.ts'
import { type Project, sharedHost } from '../harness/host.ts'
import { inProcess } from '../harness/in-process.ts'
import { answering } from '../harness/permissions.ts'
import { story } from '../harness/story.ts'
import { add, answersIn, DISCOVER, discover, start, startInHost, write } from './writer-calls.ts'

const NICE = { rules: '{"rules": ["Rule: be nice"]}' }
const SEPARATOR = '\n\n---\n\n'

/** Makes a folder next to a project, with files in it; gives its path. */
const makeOutside = (project: Project): string => {
  const outside = `${project.directory}-outside`
  mkdirSync(join(outside, 'deep'), { recursive: true })
  writeFileSync(join(outside, 'secret.md'), 'the secret\n')
  writeFileSync(join(outside, 'deep', 'secret.md'), 'the deep secret\n')
  symlinkSync(outside, project.path('linked'))
  return outside
}

story('a path outside that a model names is asked for by its real path before it is read', async () => {
  const permission = { external_directory: 'ask' }
  const project = await startInHost({ 'AGENTS.md': 'inside\n' }, { instructions: [], permission })
  const outside = makeOutside(project)
  symlinkSync(join(outside, 'secret.md'), project.path('link.md'))
  const session = await project.session()
  const expectAsked = async (paths: unknown, answer: 'once' | 'reject') => {
    const { turn, asked } = await answering(session, [answer], session.turn('go', discover(paths)))
    expect([paths, ...asked.map(({ permission }) => permission)]).toEqual([paths, 'external_directory'])
    return { output: turn.outputs[0]!, status: turn.tools[0]!.state.status, pattern: asked[0]!.patterns[0]! }
  }
  const spellings = [
    join(outside, 'secret.md'),
    `${'../'.repeat(20)}${outside.slice(1)}/secret.md`,
    'link.md',
    join(outside, '*.md'),
    'linked/*.md',
    join(outside, 'missing.md'),
  ]
  for (const spelling of spellings) {
    const { output, ...refused } = await expectAsked(spelling, 'reject')
    expect(refused).toEqual({ status: 'error', pattern: `${outside}/*` })
    expect(output).not.toContain('the secret')
  }

  const several = `AGENTS.md, ${outside}/secret.md, ${outside}/deep/secret.md`
  const { output: one } = await expectAsked(several, 'reject')
  expect(one).toContain(`## ${project.path('AGENTS.md')}\n\ninside`)
  expect(one).toContain(`## ${outside}/secret.md\n\nError: could not read this file: permission`)
  expect(one).toContain('not asked for after the refusal before it')

  const { output: all } = await expectAsked(`${outside}/**/*.md`, 'once')
  for (const words of ['the secret', 'the deep secret', 'Outside the project']) expect(all).toContain(words)
})

story(
  'files outside that the host loads are read without a question; nothing else is where it is denied, also by braces, links and dots',
  async () => {
    const permission = {
      external_directory: 'deny',
      read: { '*.env': 'deny', 'linked.md': 'deny' },
    }
    const project = await startInHost({
      'AGENTS.md': 'inside\n',
      '.env': 'TOKEN=1\n',
      'notes.md': 'some notes\n',
      'rules/deep/one.md': 'one\n',
      'docs/two.md': 'two\n',
    }, { permission, instructions: [] })
    const outside = makeOutside(project)
    const name = basename(outside)
    const loaded = join(outside, 'loaded.md')
    writeFileSync(loaded, 'the loaded words\n')
    symlinkSync('notes.md', project.path('linked.md'))
    const config = JSON.parse(await project.read('opencode.json')) as object
    project.write('opencode.json', JSON.stringify({ ...config, instructions: [loaded] }))
    const patterns = [
      `{..,x}/../${basename(join(outside, '..'))}/${name}/**`,
      `{${outside},docs}/*.md`,
      `{../${name},x}/*.md`,
      `*/../../${name}/*.md`,
      'l*/*.md',
      '{linked,docs}/**',
    ]
    const outputs = await answersIn(project, [
      DISCOVER,
      discover(loaded),
      discover(join(outside, 'deep', 'secret.md')),
      write({ ...NICE, files: `${outside}/deep/*.md` }),
      discover('.env'),
      discover('linked.md'),
      discover('notes.md, .env'),
      discover('{rules/deep,docs}/*.md'),
      discover(`${'*a'.repeat(24)}.md`),
      discover('a*'.repeat(501)),
      ...patterns.map((pattern) => discover([pattern])),
    ])
    const [all, again, deep, rewritten, env, linked, notes, braces, stars, long, ...hidden] = outputs
    expect(all).toContain('the loaded words')
    expect(all).toContain(`asked before they are written:\n- ${loaded}`)
    expect(again).toContain('the loaded words')
    expect(deep).not.toContain('the deep secret')
    expect(rewritten).not.toContain('deep/secret.md')
    expect(env).not.toContain('TOKEN')
    expect(linked).not.toContain('some notes')
    expect(notes).toContain('some notes')
    expect(notes).not.toContain('TOKEN')
    expect(notes).toContain('permission refused')
    expect(braces!.split(SEPARATOR)).toHaveLength(2)
    expect(stars).toContain('no file matches')
    expect(long).toContain('a pattern has at most')
    expect(hidden).toHaveLength(patterns.length)
    for (const output of hidden) expect(output).not.toMatch(/secret\.md|the secret/)
  },
)

// Each path that is named, and what its section says.
const REASONS = [
  ['bad.md', 'not valid UTF-8'],
  ['big.md', '10000001 bytes'],
  ['pipe.md', 'a device, a pipe or a socket'],
  ['folder', 'a folder'],
  ['none.md', 'no such file'],
  ['folder/one.md', 'one'],
  ['none*.md', 'no file matches'],
] as const

story(
  'what cannot be read is a section with its reason, what is hidden is marked, and nothing hangs',
  async () => {
    const project = (await inProcess()).project({
      files: {
        'AGENTS.md': 'fine\nbe\u200B nice\n',
        'bad.md': Uint8Array.of(0x61, 0xff),
        'big.md': 'a'.repeat(10_000_001),
        'empty.md': '',
        'folder/one.md': 'one',
        'CLAUDE.md': 'hidden by AGENTS.md\n',
        'GEMINI.md': 'g\n',
        '.cursorrules': 'c\n',
        '.cursor/rules/odd, name.mdc': 'r\n',
        '.github/copilot-instructions.md': 'p\n',
      },
      config: { instructions: ['empty.md', 'missing.md', '/*/nothing.md', 'http://127.0.0.1:9/remote.md'] },
    })
    expect(Bun.spawnSync(['mkfifo', project.path('pipe.md')]).success).toBe(true)
    const { outputs, tools } = await (await project.session()).turn(
      'go',
      DISCOVER,
      discover(
        'bad.md, big.md, pipe.md, folder, none.md, folder/{one,two}.md, none*.md, ./folder/../folder/one.md',
      ),
      discover(' , '),
    )
    const [all, named] = outputs as [string, string]
    expect(all).toContain(`## ${project.path('AGENTS.md')}\n\nfine\nbe⟦U+200B⟧ nice`)
    expect(all).toContain(`- ${project.path('AGENTS.md')} line 2: U+200B`)
    expect(all).toContain(`## ${project.path('empty.md')}\n\n(This file is empty.)`)
    expect(all).toContain(`- missing.md: no such file in ${project.directory}`)
    expect(all).toContain('- /*/nothing.md: OpenCode expands a wildcard only in the last part')
    expect(all).toContain('not editable here:\n- http://127.0.0.1:9/remote.md')
    expect(all).toContain(
      'There, but not loaded by OpenCode; "files" shows them: CLAUDE.md, GEMINI.md, .cursorrules, '
        + '.github/copilot-instructions.md, `.cursor/rules/odd, name.mdc`\n',
    )
    expect(named).not.toContain('not loaded by OpenCode')
    expect(tools[0]!.state.title).toBe('2 files')

    const sections = named.split(SEPARATOR)
    expect(sections).toHaveLength(REASONS.length)
    for (const [index, [path, reason]] of REASONS.entries()) {
      expect(sections[index]).toStartWith(`## ${project.path(path)}\n\n`)
      expect(sections[index]).toContain(reason)
    }
    expect(outputs[2]).toBe('No valid file paths provided')
  },
)

story(
  'what would be too much for one answer is listed by path and size, and was not shown to the writers',
  async () => {
    const rules = Object.fromEntries(
      Array.from(
        { length: 30 },
        (_, index) => [`rules/${10 + index}.md`, `${index} `.padEnd(10_000, 'word ')],
      ),
    )
    const project = await startInHost(rules, { instructions: ['rules/*.md'] })
    const session = await project.session()
    const { outputs: [output = ''], tools } = await session.turn('go', DISCOVER)
    expect(tools[0]!.state.metadata).toMatchObject({ truncated: false })
    const paths = Object.keys(rules)
    const shown = paths.filter((path) => output.includes(`## ${project.path(path)}\n`))
    const listed = paths.filter((path) => output.includes(`- ${project.path(path)} (10.0 KB)`))
    expect(shown.length).toBeGreaterThan(2)
    expect([...shown, ...listed].toSorted()).toEqual(paths.toSorted())
    const hidden = listed[0]!
    const adding = add({ ...NICE, file: hidden })
    const later = await session.turn('go', adding, discover(hidden), adding)
    expect(later.outputs[0]).toContain('discover-rules has not shown it')
    expect(later.outputs[1]).toContain(`## ${project.path(hidden)}\n`)
    expect(later.outputs[2]).toContain('Added 1 rule')
  },
)

story('a project with nothing gets the reason and a way to start', async () => {
  const host = await inProcess()
  const cases: Array<[Record<string, string>, string]> = [
    [{}, 'Could not read '],
    [
      { 'opencode.json': '{"instructions": ["none.md"]}' },
      'No instruction files found matching patterns: none.md',
    ],
    [{ 'opencode.json': '{}', '.windsurfrules': 'x' }, 'No "instructions" array found in '],
  ]
  for (const [files, reason] of cases) {
    const [output = ''] = await answersIn(host.project({ files }), DISCOVER)
    expect(output).toStartWith(reason)
    expect(output).toContain('There is no instruction file yet')
    expect(output).toContain('To start, create AGENTS.md')
    expect(output.includes('"files" shows them: .windsurfrules')).toBe('.windsurfrules' in files)
  }
})

const NAMES =
  'x,AGENTS.md|trail.md | lead.md|back\\slash.md|[id]{a,b}*.md|a, b.md|"quote".md|["a"].md|line\nbreak.md'
    .split('|')
const OTHERS = ['AGENTS.md', 'trail.md', 'lead.md', 'slash.md', 'b.md', 'quote', 'a']

story(
  'a name with a comma, with blanks at its ends or with a backslash is that file and no other',
  async () => {
    const files = Object.fromEntries([...NAMES, ...OTHERS].map((name) => [name, `says ${name}|\n`]))
    const project = await start(files, { instructions: [] })
    for (const name of NAMES) {
      const calls = [discover(name), write({ ...NICE, files: name }), discover([name])]
      const [shown, written, again] = await answersIn(project, ...calls)
      expect(shown).toStartWith(`## ${markName(project.path(name))}\n\nsays ${name}|`)
      expect(written).toContain('SAVED')
      expect(again).toContain('Rule: be nice')
      expect(await project.read(name)).toBe('Rule: be nice\n')
    }
    for (const other of OTHERS) expect(await project.read(other)).toBe(`says ${other}|\n`)
    const outputs = await answersIn(
      project,
      discover('x,AGENTS.md, AGENTS.md'),
      discover('AGENTS.md,b.md'),
      add({ ...NICE, file: ' b.md\n' }),
      add({ ...NICE, file: [' b.md\n'] }),
    )
    expect(outputs[0]!.split(SEPARATOR)).toHaveLength(2)
    expect(outputs[1]).toContain('says b.md')
    expect(outputs[2]).toBe(`Added 1 rule(s) to ${project.path('b.md')}`)
    expect(outputs[3]).toContain('discover-rules has not shown it')
  },
)

story('a cloned repository whose files never end takes no time, and no memory', async () => {
  const project = (await sharedHost()).project({
    files: {
      'AGENTS.md':
        'Run `npm run lint`, `make deploy` and `just deploy`, see `src/gone.ts` and `docs/gone.md`.\n',
      'src/a.ts': '',
      'docs/a.md': '',
      Makefile: `${'a '.repeat(150_000)}: b\n`,
    },
    config: { permission: { external_directory: 'allow' } },
    git: true,
  })
  for (const path of ['.gitignore', 'package.json', '.cursorrules', 'GEMINI.md']) {
    symlinkSync('/dev/zero', project.path(path))
  }
  // A pipe named .gitignore would hold git, and so the host itself.
  Bun.spawnSync(['mkfifo', project.path('justfile')])
  const session = await project.session()
  const start = Date.now()
  const { outputs } = await session.turn('go', [DISCOVER, discover('GEMINI.md, **/*.md')])
  expect(outputs[0]).toContain('Run `npm run lint`')
  expect(outputs[1]).toContain('it is a device')
  expect(outputs[1]).toContain(`## ${project.path('docs/a.md')}\n`)
  expect(Date.now() - start).toBeLessThan(20_000)
})
