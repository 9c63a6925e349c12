/** The sections that discover-rules answers with, and the names of files that SAT's tools accept. */
import { expect } from 'bun:test'
import { markName } from '../../src/text/hidden-characters.ts'
import { inProcess } from '../harness/in-process.ts'
import { story } from '../harness/story.ts'
import { add, DISCOVER, discover, rewrite, twice } from './calls.ts'
import { answersIn, expectAnswers, projectOf } from './play.ts'

const NICE = { rules: '{"rules": ["Rule: be nice"]}' }

// Each path that a call names, and words of its section: the reason why it is not shown, or its text.
const SECTIONS = Object.entries({
  'bad.md': 'not valid UTF-8',
  'pipe.md': 'a device, a pipe or a socket',
  'folder': 'a folder',
  'folder/one.md': 'one',
  'none*.md': 'no file matches',
})

story('an answer has a section for each file, and notes on what is missing or not loaded', async () => {
  const notLoaded = [
    ...['CLAUDE.md', 'GEMINI.md', '.cursorrules', '.github/copilot-instructions.md'],
    '.cursor/rules/odd, name.mdc',
  ]
  const project = (await inProcess()).project({
    files: {
      'AGENTS.md': 'fine\nbe\u200B nice\n',
      'bad.md': Uint8Array.of(0x61, 0xff),
      'empty.md': '',
      'folder/one.md': 'one',
      ...Object.fromEntries(notLoaded.map((name) => [name, 'x\n'])),
    },
    config: { instructions: ['empty.md', 'missing.md', '/*/nothing.md', 'http://127.0.0.1:9/remote.md'] },
  })
  expect(Bun.spawnSync(['mkfifo', project.path('pipe.md')]).success).toBe(true)
  const paths = `${SECTIONS.map(([path]) => path).join()}, ./folder/../folder/{one,two}.md`
  const { outputs: [all = '', named = '', blank], tools } = await (await project.session())
    .turn('go', DISCOVER, discover(paths), discover(' , '))
  const noted = [
    `## ${project.path('AGENTS.md')}\n\nfine\nbe⟦U+200B⟧ nice`,
    `- ${project.path('AGENTS.md')}: line 2\n`,
    `## ${project.path('empty.md')}\n\n(This file is empty.)`,
    `- missing.md: no such file in ${project.directory}`,
    '- /*/nothing.md: OpenCode expands a wildcard only in the last part',
    'not editable here:\n- http://127.0.0.1:9/remote.md',
    `not loaded by OpenCode; "files" shows them: ${notLoaded.slice(0, 4).join(', ')}, \`${notLoaded[4]}\`\n`,
  ]
  for (const words of noted) expect(all).toContain(words)
  expect(tools[0]!.state.title).toBe('2 files')
  expect(named).not.toContain('not loaded by OpenCode')
  expect(blank).toBe('No valid file paths provided')

  const sections = named.split('\n\n---\n\n')
  // `folder/one.md` is named twice, and shown once.
  expect(sections).toHaveLength(SECTIONS.length)
  for (const [index, [path, words]] of SECTIONS.entries()) {
    expect(sections[index]).toStartWith(`## ${project.path(path)}\n\n`)
    expect(sections[index]).toContain(words)
  }
})

story('if there is no instruction file, the answer gives the reason and a way to start', async () => {
  const project = (await inProcess()).project({ files: { '.windsurfrules': 'x', 'n.md': 'x' } })
  const reason = `Could not read ${project.path('opencode.json')}`
  const start = [/^There is no instruction file yet/, `\n\n${reason}`, 'To start, create AGENTS.md']
  await expectAnswers(
    project,
    [DISCOVER, ...start, '"files" shows them: .windsurfrules'],
    // A file that the host does not load is no default of rewrite-rules, even after it was shown.
    [discover('n.md')],
    [rewrite(NICE), `OpenCode loads no file here, so name one in "files". ${reason}`],
  )
})

const ODD_NAMES =
  'x,AGENTS.md;trail.md ; lead.md;back\\slash.md;[id]{a,b}*.md;a, b.md;"quote".md;["a"].md;line\nbreak.md'
    .split(';')
// The files that an odd name could also mean: as a list, JSON or a path, or without its outer blanks.
const OTHERS = ['AGENTS.md', 'trail.md', 'lead.md', 'slash.md', 'b.md', 'quote', 'a']

story('a name that looks like a list, a pattern or JSON, or has outer blanks, is one file', async () => {
  const files = Object.fromEntries([...ODD_NAMES, ...OTHERS].map((name) => [name, `says ${name}|\n`]))
  const project = await projectOf(files, { instructions: [] })
  for (const name of ODD_NAMES) {
    const steps = [discover(name), ...twice(rewrite({ ...NICE, files: name })), discover([name])]
    const [shown, , written, again] = await answersIn(project, ...steps)
    expect(shown).toStartWith(`## ${markName(project.path(name))}\n\nsays ${name}|`)
    expect(written).toContain('SAVED')
    expect(again).toContain('Rule: be nice')
    expect(await project.read(name)).toBe('Rule: be nice\n')
  }
  for (const other of OTHERS) expect(await project.read(other)).toBe(`says ${other}|\n`)
  await expectAnswers(
    project,
    [discover('AGENTS.md,b.md'), 'says b.md'],
    // A text that is not the exact name of a file is trimmed. A name in a list is not.
    [add({ ...NICE, file: ' b.md\n' }), `Added 1 rule(s) to ${project.path('b.md')}\n\nb.md:3: be nice`],
    [add({ ...NICE, file: [' b.md\n'] }), 'discover-rules has not shown it'],
  )
})
