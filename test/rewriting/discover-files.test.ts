/** The answers of discover-rules, and the file names that tools accept. */
import { expect } from 'bun:test'
import { markName } from '../../src/text/hidden-characters.ts'
import { inProcess } from '../harness/in-process.ts'
import { story } from '../harness/story.ts'
import { add, DISCOVER, discover, rewrite, twice } from './calls.ts'
import { expectAnswers, projectOf } from './play.ts'

const NICE = { rules: '{"rules": ["Rule: be nice"]}' }

story('without "files", the answer shows loaded files, and lists files that are not loaded', async () => {
  const notLoaded = ['CLAUDE.md', 'GEMINI.md', '.cursorrules', '.github/copilot-instructions.md']
  const oddName = '.cursor/rules/odd, name.mdc'
  const project = (await inProcess()).project({
    files: {
      'AGENTS.md': 'fine\nbe\u200B nice\n',
      'empty.md': '',
      ...Object.fromEntries([...notLoaded, oddName, 'other.md'].map((name) => [name, 'x\n'])),
    },
    config: { instructions: ['empty.md', 'missing.md', '/*/nothing.md', 'http://127.0.0.1:9/remote.md'] },
  })
  const { outputs: [output], tools } = await (await project.session()).turn('go', DISCOVER)
  const inAnswer = [
    `## ${project.path('AGENTS.md')}\n\nfine\nbe⟦U+200B⟧ nice`,
    `## ${project.path('empty.md')}\n\n(This file is empty.)`,
    `- ${project.path('AGENTS.md')}: line 2\n`,
    `- missing.md: no such file in ${project.directory}`,
    '- /*/nothing.md: OpenCode expands a wildcard only in the last part',
    'not editable here:\n- http://127.0.0.1:9/remote.md',
    `not loaded by OpenCode. To see them, name them in "files": ${notLoaded.join(', ')}, \`${oddName}\`\n`,
  ]
  for (const expected of inAnswer) expect(output).toContain(expected)
  expect(tools[0]!.state.title).toBe('2 files')
})

story('with "files", the answer has a section for each path, including folders and pipes', async () => {
  const files = { 'CLAUDE.md': 'x', 'bad.md': Uint8Array.of(0x61, 0xff), 'folder/one.md': 'one' }
  const project = (await inProcess()).project({ files })
  expect(Bun.spawnSync(['mkfifo', project.path('pipe.md')]).success).toBe(true)
  const sectionsExpected = Object.entries({
    'bad.md': 'not valid UTF-8',
    'pipe.md': 'a device, a pipe or a socket',
    'folder': 'a folder',
    'folder/one.md': 'one',
    'none*.md': 'no file matches',
  })
  const repeatedAndMissing = './folder/../folder/{one,two}.md'
  const paths = `${sectionsExpected.map(([path]) => path).join()}, ${repeatedAndMissing}`
  const { outputs: [output = ''] } = await (await project.session()).turn('go', discover(paths))
  expect(output).not.toContain('not loaded by OpenCode')
  const sections = output.split('\n\n---\n\n')
  expect(sections).toHaveLength(sectionsExpected.length)
  for (const [index, [path, words]] of sectionsExpected.entries()) {
    expect(sections[index]).toStartWith(`## ${project.path(path)}\n\n`)
    expect(sections[index]).toContain(words)
  }
})

story('if there is no instruction file, the answer gives the reason and a way to start', async () => {
  const project = (await inProcess()).project({ files: { '.windsurfrules': 'x', 'n.md': 'x' } })
  const reason = `Could not read ${project.path('opencode.json')}` // it does not exist
  await expectAnswers(
    project,
    [DISCOVER, /^There is no instruction file yet/, `\n\n${reason}`, 'To start, create AGENTS.md'],
    [DISCOVER, 'name them in "files": .windsurfrules'],
    // discover-rules shows `n.md`, but OpenCode does not load it.
    [discover('n.md')],
    [rewrite(NICE), `OpenCode loads no file here, so name one in "files". ${reason}`],
  )
})

// A wrong reading of a name, such as a split at its comma, would find `otherFile`.
const ODD_NAMES: Array<[name: string, otherFile?: string]> = [
  ['x,AGENTS.md', 'AGENTS.md'],
  ['a, b.md', 'b.md'],
  ['["a"].md', 'a'],
  ['"quote".md', 'quote'],
  ['back\\slash.md', 'slash.md'],
  ['trail.md ', 'trail.md'],
  [' lead.md', 'lead.md'],
  ['[id]{a,b}*.md'],
  ['line\nbreak.md'],
]

const ODD_FILES = Object.fromEntries(ODD_NAMES.flat().map((name) => [name, `says ${name}|\n`]))

story('a file with an odd name is shown and rewritten, and no other file is changed', async () => {
  const project = await projectOf(ODD_FILES, { instructions: [] })
  for (const [name] of ODD_NAMES) {
    const session = await project.session()
    const { outputs: [shown] } = await session.turn('go', discover(name))
    expect(shown).toStartWith(`## ${markName(project.path(name))}\n\nsays ${name}|`)
    await session.turn('go', ...twice(rewrite({ ...NICE, files: name })))
    expect(await project.read(name)).toBe('Rule: be nice\n')
    expect((await session.turn('go', discover([name]))).outputs[0]).toContain('Rule: be nice')
  }
  const otherFiles = ODD_NAMES.flatMap(([, other]) => other ?? [])
  for (const other of otherFiles) expect(await project.read(other)).toBe(`says ${other}|\n`)
})

story('a string that names no file is split at commas and trimmed, unless it is in an array', async () => {
  const project = await projectOf(ODD_FILES, { instructions: [] })
  await expectAnswers(
    project,
    [discover('AGENTS.md,b.md'), /says AGENTS\.md[^]*says b\.md/],
    [add({ ...NICE, file: ' b.md\n' }), `Added 1 rule(s) to ${project.path('b.md')}\n\nb.md:3: be nice`],
    [add({ ...NICE, file: [' b.md\n'] }), 'discover-rules has not shown it'],
  )
})
