/** The answers of discover-rules, and the file names that tools accept. */
import { expect } from 'bun:test'
import { markName } from '../../src/text/hidden-characters.ts'
import { inProcess } from '../harness/in-process.ts'
import { story } from '../harness/story.ts'
import { add, DISCOVER, discover, playIn, projectOf, rewrite, textsOf, twice } from './calls.ts'

const NICE = { rules: '{"rules": ["Rule: be nice"]}' }

story('without "files", the answer shows loaded files, and lists files that are not loaded', async () => {
  const notLoaded = ['CLAUDE.md', 'GEMINI.md', '.cursorrules', '.github/copilot-instructions.md']
  const oddName = '.cursor/rules/odd, name.mdc'
  const others = Object.fromEntries([...notLoaded, oddName, 'other.md'].map((name) => [name, 'x\n']))
  const instructions = ['empty.md', 'missing.md', '/*/nothing.md', 'http://127.0.0.1:9/remote.md']
  const files = { 'AGENTS.md': 'fine\nbe\u200B nice\n', 'empty.md': '', ...others }
  await playIn(
    await projectOf(files, { instructions }),
    [DISCOVER, { title: '2 files' }, '## …/AGENTS.md\n\nfine\nbe⟦U+200B⟧ nice'],
    ['## …/empty.md\n\n(This file is empty.)', '- …/AGENTS.md: line 2\n', '- missing.md: no such file in …'],
    ['- /*/nothing.md: OpenCode expands a wildcard only in the last part'],
    ['not editable here:\n- http://127.0.0.1:9/remote.md'],
    [`not loaded by OpenCode. To see them, name them in "files": ${notLoaded.join(', ')}, \`${oddName}\`\n`],
  )
})

const SECTIONS = {
  'bad.md': 'not valid UTF-8',
  'pipe.md': 'a device, a pipe or a socket',
  'folder': 'a folder',
  'folder/one.md': 'one',
  'none*.md': 'no file matches',
}

story('with "files", the answer has a section for each path, including folders and pipes', async () => {
  const files = { 'CLAUDE.md': 'x', 'bad.md': Uint8Array.of(0x61, 0xff), 'folder/one.md': 'one' }
  const project = (await inProcess()).project({ files })
  expect(Bun.spawnSync(['mkfifo', project.path('pipe.md')]).success).toBe(true)
  const repeatedAndMissing = './folder/../folder/{one,two}.md'
  const paths = `${Object.keys(SECTIONS).join()}, ${repeatedAndMissing}`
  const { outputs: [output = ''] } = await (await project.session()).turn('go', discover(paths))
  expect(output).not.toContain('not loaded by OpenCode')
  expect(output.split('\n\n---\n\n')).toEqual(
    Object.entries(SECTIONS).map(([path, words]) =>
      expect.stringMatching(RegExp(`^## ${RegExp.escape(project.path(path))}\n\n.*${words}`))
    ),
  )
})

story('if there is no instruction file, the answer gives the reason and a way to start', async () => {
  const project = (await inProcess()).project({ files: { '.windsurfrules': 'x', 'n.md': 'x' } })
  const reason = 'Could not read …/opencode.json' // it does not exist
  await playIn(
    project,
    [DISCOVER, /^There is no instruction file yet/, `\n\n${reason}`, 'To start, create AGENTS.md'],
    ['name them in "files": .windsurfrules'],
    // discover-rules shows `n.md`, but OpenCode does not load it.
    [discover('n.md'), rewrite(NICE), `OpenCode loads no file here, so name one in "files". ${reason}`],
  )
})

// If an odd name were misread, for example split at its comma, the result could be a name in `OTHER_NAMES`.
const ODD_NAMES =
  'x,AGENTS.md;a, b.md;["a"].md;"quote".md;back\\slash.md;trail.md ; lead.md;[id]{a,b}*.md;line\nbreak.md'
    .split(';')
const OTHER_NAMES = 'AGENTS.md;b.md;a;quote;slash.md;trail.md;lead.md'.split(';')
const ODD_FILES = Object.fromEntries([...ODD_NAMES, ...OTHER_NAMES].map((name) => [name, `says ${name}|\n`]))

story('a file with an odd name is shown and rewritten, and no other file is changed', async () => {
  const project = await projectOf(ODD_FILES, { instructions: [] })
  for (const name of ODD_NAMES) {
    const shown = RegExp(`^## …/${RegExp.escape(markName(name))}\n\nsays ${RegExp.escape(name)}\\|`)
    const rewriting = twice(rewrite({ ...NICE, files: name }))
    await playIn(project, [discover(name), shown, ...rewriting, discover([name]), 'Rule: be nice'])
  }
  expect(new Set(textsOf(project, ...ODD_NAMES))).toEqual(new Set(['Rule: be nice\n']))
  expect(textsOf(project, ...OTHER_NAMES)).toEqual(OTHER_NAMES.map((name) => ODD_FILES[name]!))
})

story('a string that names no file is split at commas and trimmed, unless it is in an array', async () => {
  await playIn(
    await projectOf(ODD_FILES, { instructions: [] }),
    [discover('AGENTS.md,b.md'), /says AGENTS\.md[^]*says b\.md/],
    [add({ ...NICE, file: ' b.md\n' }), 'Added 1 rule(s) to …/b.md\n\nb.md:3: be nice'],
    [add({ ...NICE, file: [' b.md\n'] }), 'discover-rules has not shown it'],
  )
})
