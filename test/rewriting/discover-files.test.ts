import { expect } from 'bun:test'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { markName } from '../../src/text/hidden-characters.ts'
import { type Session, sharedHost } from '../harness/host.ts'
import { inProcess } from '../harness/in-process.ts'
import { answering } from '../harness/permissions.ts'
import { story } from '../harness/story.ts'

const discover = (files?: unknown) => ({ tool: 'discover-rules', args: files === undefined ? {} : { files } })

const withOutside = async (tell: (outside: string) => Promise<void>): Promise<void> => {
  const outside = realpathSync(mkdtempSync(join(tmpdir(), 'sat-outside-')))
  try {
    mkdirSync(join(outside, 'deep'))
    writeFileSync(join(outside, 'secret.md'), 'the secret\n')
    writeFileSync(join(outside, 'deep', 'secret.md'), 'the deep secret\n')
    await tell(outside)
  } finally {
    rmSync(outside, { recursive: true })
  }
}

/** Names a file outside in a turn whose question is answered with no: nothing of it is read. */
const expectAskedFor = async (session: Session, outside: string, spelling: string) => {
  const { turn, asked } = await answering(session, [], session.turn('go', discover(spelling)))
  expect(turn.tools[0]!.state.status).toBe('error')
  expect(turn.outputs[0]).not.toContain('the secret')
  expect(asked).toMatchObject([{ permission: 'external_directory', patterns: [`${outside}/*`] }])
}

story(
  'a path outside that a model names is asked for by its real path before it is read',
  () =>
    withOutside(async (outside) => {
      const project = (await sharedHost()).project({
        files: { 'AGENTS.md': 'inside\n' },
        config: { instructions: [], permission: { external_directory: 'ask' } },
        git: true,
      })
      symlinkSync(join(outside, 'secret.md'), project.path('link.md'))
      symlinkSync(outside, project.path('linked'))
      const spellings = [
        join(outside, 'secret.md'),
        `${'../'.repeat(20)}${outside.slice(1)}/secret.md`,
        'link.md',
        join(outside, '*.md'),
        'linked/*.md',
        join(outside, 'missing.md'),
      ]
      const session = await project.session()
      for (const spelling of spellings) await expectAskedFor(session, outside, spelling)

      const one = await answering(
        session,
        [],
        session.turn('go', discover(`AGENTS.md, ${outside}/secret.md, ${outside}/deep/secret.md`)),
      )
      expect(one.asked).toHaveLength(1)
      expect(one.turn.outputs[0]).toContain('## ' + project.path('AGENTS.md') + '\n\ninside')
      expect(one.turn.outputs[0]).toContain(
        `## ${outside}/secret.md\n\nError: could not read this file: permission`,
      )
      expect(one.turn.outputs[0]).toContain('not asked for after the refusal before it')

      const all = await answering(session, ['once'], session.turn('go', discover(`${outside}/**/*.md`)))
      expect(all.asked).toHaveLength(1)
      expect(all.turn.outputs[0]).toContain('the secret')
      expect(all.turn.outputs[0]).toContain('the deep secret')
      expect(all.turn.outputs[0]).toContain('Outside the project')
    }),
)

story(
  'files outside that the host loads are read without a question; nothing else is, where it is denied',
  () =>
    withOutside(async (outside) => {
      const project = (await sharedHost()).project({
        files: { '.env': 'TOKEN=1\n' },
        config: {
          instructions: [join(outside, 'secret.md')],
          permission: { external_directory: 'deny', read: { '*.env': 'deny', 'linked.md': 'deny' } },
        },
        git: true,
      })
      project.write('notes.md', 'some notes\n')
      symlinkSync('notes.md', project.path('linked.md'))
      const { outputs } = await (await project.session()).turn(
        'go',
        discover(),
        discover(join(outside, 'secret.md')),
        discover(join(outside, 'deep', 'secret.md')),
        {
          tool: 'rewrite-rules',
          args: { rules: '{"rules": ["Rule: be nice"]}', files: `${outside}/deep/*.md` },
        },
        discover('.env'),
        discover('linked.md'),
        discover('notes.md, .env'),
      )
      expect(outputs[0]).toContain('the secret')
      expect(outputs[0]).toContain(`asked before they are written:\n- ${outside}/secret.md`)
      expect(outputs[1]).toContain('the secret')
      expect(outputs[2]).not.toContain('the deep secret')
      expect(outputs[3]).not.toContain('deep/secret.md')
      expect(outputs[4]).not.toContain('TOKEN')
      expect(outputs[5]).not.toContain('some notes')
      expect(outputs[6]).toContain('some notes')
      expect(outputs[6]).not.toContain('TOKEN')
      expect(outputs[6]).toContain('permission refused')
    }),
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
      discover(),
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

    const sections = named.split('\n\n---\n\n')
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
    const project = (await sharedHost()).project({ files: rules, config: { instructions: ['rules/*.md'] } })
    const session = await project.session()
    const { outputs, tools } = await session.turn('go', discover())
    expect(tools[0]!.state.metadata).toMatchObject({ truncated: false })
    const shown = Object.keys(rules).filter((path) => outputs[0]!.includes(`## ${project.path(path)}\n`))
    const listed = Object.keys(rules).filter((path) =>
      outputs[0]!.includes(`- ${project.path(path)} (10.0 KB)`)
    )
    expect(shown.length).toBeGreaterThan(2)
    expect([...shown, ...listed].toSorted()).toEqual(Object.keys(rules).toSorted())
    const hidden = listed[0]!
    const args = { rules: '{"rules": ["Rule: be nice"]}', file: hidden }
    const later = await session.turn(
      'go',
      { tool: 'add-rules', args },
      discover(hidden),
      { tool: 'add-rules', args },
    )
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
    [
      { 'opencode.json': '{"share": "disabled"}', '.windsurfrules': 'x' },
      'No "instructions" array found in ',
    ],
  ]
  for (const [files, reason] of cases) {
    const { outputs } = await (await host.project({ files }).session()).turn('go', discover())
    expect(outputs[0]).toStartWith(reason)
    expect(outputs[0]).toContain('There is no instruction file yet')
    expect(outputs[0]).toContain('To start, create AGENTS.md')
    expect(outputs[0]!.includes('"files" shows them: .windsurfrules')).toBe('.windsurfrules' in files)
  }
})

story(
  'a name with a comma, with blanks at its ends or with a backslash is that file and no other',
  async () => {
    const names = [
      'x,AGENTS.md',
      'trail.md ',
      ' lead.md',
      'back\\slash.md',
      '[id]{a,b}*.md',
      'a, b.md',
      '"quote".md',
      '["a"].md',
      'line\nbreak.md',
    ]
    const others = ['AGENTS.md', 'trail.md', 'lead.md', 'slash.md', 'b.md', 'quote', 'a']
    const project = (await inProcess()).project({
      files: Object.fromEntries([...names, ...others].map((name) => [name, `says ${name}|\n`])),
      config: { instructions: [] },
    })
    const session = await project.session()
    for (const name of names) {
      const rules = '{"rules": ["Rule: be nice"]}'
      const { outputs } = await session.turn(
        'go',
        discover(name),
        { tool: 'rewrite-rules', args: { rules, files: name } },
        discover([name]),
      )
      expect(outputs[0]).toStartWith(`## ${markName(project.path(name))}\n\nsays ${name}|`)
      expect(outputs[1]).toContain('SAVED')
      expect(outputs[2]).toContain('Rule: be nice')
      expect(await project.read(name)).toBe('Rule: be nice\n')
    }
    for (const other of others) expect(await project.read(other)).toBe(`says ${other}|\n`)
    const { outputs } = await session.turn(
      'go',
      discover('x,AGENTS.md, AGENTS.md'),
      discover('AGENTS.md,b.md'),
      { tool: 'add-rules', args: { rules: '{"rules": ["Rule: be brief"]}', file: ' b.md\n' } },
      { tool: 'add-rules', args: { rules: '{"rules": ["Rule: be brief"]}', file: [' b.md\n'] } },
    )
    expect(outputs[2]).toBe(`Added 1 rule(s) to ${project.path('b.md')}`)
    expect(outputs[3]).toContain('discover-rules has not shown it')
    expect(outputs[0]!.split('\n\n---\n\n')).toHaveLength(2)
    expect(outputs[1]).toContain('says b.md')
  },
)

story(
  'braces, links and dots that lead a pattern out of the project are asked for before a name is shown',
  () =>
    withOutside(async (outside) => {
      const project = (await sharedHost()).project({
        files: { 'AGENTS.md': 'inside\n', 'rules/deep/one.md': 'one\n', 'docs/two.md': 'two\n' },
        config: { instructions: [], permission: { external_directory: 'deny' } },
        git: true,
      })
      symlinkSync(outside, project.path('linked'))
      const up = `..${outside.slice(tmpdir().length)}`
      const patterns = [
        `{..,x}/../${outside.split('/').at(-1)}/**`,
        `{${outside},docs}/*.md`,
        `{${up},x}/*.md`,
        `*/../../../${outside.split('/').at(-1)}/*.md`,
        'l*/*.md',
        '{linked,docs}/**',
      ]
      const session = await project.session()
      for (const pattern of patterns) {
        const { outputs } = await session.turn('go', discover([pattern]))
        expect(outputs[0]).not.toContain('secret.md')
        expect(outputs[0]).not.toContain('the secret')
      }
      const { outputs } = await session.turn(
        'go',
        discover('{rules/deep,docs}/*.md'),
        discover(`${'*a'.repeat(24)}.md`),
        discover('a*'.repeat(501)),
      )
      expect(outputs[0]!.split('\n\n---\n\n')).toHaveLength(2)
      expect(outputs[1]).toContain('no file matches')
      expect(outputs[2]).toContain('a pattern has at most')
    }),
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
  const { outputs } = await session.turn('go', discover(), discover('GEMINI.md, **/*.md'))
  expect(outputs[0]).toContain('Run `npm run lint`')
  expect(outputs[1]).toContain('it is a device')
  expect(outputs[1]).toContain(`## ${project.path('docs/a.md')}\n`)
  expect(Date.now() - start).toBeLessThan(20_000)
})
