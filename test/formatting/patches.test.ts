/** Patches apply, are corrected in the history, and are simulated as the host applies them. */
import { expect } from 'bun:test'
import { readFileSync } from 'node:fs'
import { applySection, parsePatch } from '../../src/steps/patch-text.ts'
import { CHECKOUT, type Turn } from '../harness/host.ts'
import { story } from '../harness/story.ts'
import { afterNote, applyCall } from './fuzz/belief.ts'
import { argsIn, diffsOf, patch, shownArgs, startShared, storedArgs } from './session.ts'
import { SETTINGS, storyPerSetting, WITH_COMMAND } from './settings.ts'

const start = (config: Record<string, unknown>, files: Record<string, string>) =>
  startShared(config, files, 'gpt-5.2')

/** The host's answer to a patch of one file, without a note. */
const ONLY_SUCCESS = /^Success\. Updated the following files:\n[AM] [^\n]+$/

/** Returns a file as the model knows it from the patches that the history shows and from the notes. */
const believedOf = (turn: Turn, before: string, ...names: Array<string>): string | null =>
  shownArgs(turn).reduce<string | null>((text, args, at) => {
    const result = text === null ? null : applyCall(text, args, names)
    return result === null ? null : afterNote(turn.outputs[at]!, names.at(-1)!, result)
  }, before)

storyPerSetting('patches of one message apply, and the history shows them as formatted', async (config) => {
  const old = 'a = 1;\nb = 2;\nc = 3;\n'
  const { project, session } = await start(config, {
    'x.js': old,
    'named.js': old,
    'from.js': 'a = 1;\n',
    'before.js': 'a = 1;\nb=1\nc = 1;\n',
    'again.js': 'old = 1;\n',
  })
  let text = ''
  const turn = await session.turn(
    'go',
    [
      patch('*** Update File: x.js', '@@', ' a = 1;', '-b = 2;', '+b=4', '+d=5', ' c = 3;'),
      patch('*** Update File: x.js', '@@', ' b=4', '-d=5', '+d=6', '+e=7', ' c = 3;'),
      patch('*** Update File: x.js', '@@ b=4', ' d=6', '-e=7', '+e=8'),
      // A line that a later patch names stays as it was sent. The later patch is corrected all the same.
      patch('*** Update File: named.js', '@@', ' a = 1;', '-b = 2;', '+b=4'),
      patch('*** Update File: named.js', '@@ b=4', '-c = 3;', '+c=5'),
      // A patch moves a file that the one before it changed.
      patch('*** Update File: from.js', '@@', '-a = 1;', '+a=2', '+b=3'),
      patch('*** Update File: from.js', '*** Move to: to/y.js', '@@', ' a=2', '-b=3', '+b=4'),
      patch('*** Update File: to/y.js', '@@', ' a=2', '-b=4', '+b=5'),
      patch('*** Update File: before.js', '@@', '-a = 1;', '+a=2', ' b=1', '*** Delete File: again.js'),
      patch('*** Update File: before.js', '*** Move to: behind.js', '@@', '-c = 1;', '+c=2'),
      patch('*** Add File: again.js', '+new=1'),
    ],
    () => {
      text = readFileSync(project.path('x.js'), 'utf8')
      return patch('*** Update File: x.js', '@@', ' d = 6;', '-e = 8;', '+last=9')
    },
  )
  for (const output of turn.outputs) expect(output).toStartWith('Success. Updated the following files:')
  expect(await storedArgs(session)).toEqual(shownArgs(turn))
  const patches = shownArgs(turn).map(({ patchText }) => patchText)
  expect(text).toBe('a = 1;\nb = 4;\nd = 6;\ne = 8;\nc = 3;\n')
  expect(turn.outputs.slice(0, 3).filter((output) => output.includes('formatted')).length).toBeLessThan(2)
  // The last patch was made from what its request shows.
  expect(turn.outputs.at(-1)).toMatch(ONLY_SUCCESS)
  expect(await project.read('x.js')).toContain('d = 6;\nlast = 9;\n')
  expect(believedOf(turn, old, 'x.js')).toBe(await project.read('x.js'))

  expect(await project.read('named.js')).toBe('a = 1;\nb = 4;\nc = 5;\n')
  expect(patches[3]).toContain('\n-b = 2;\n+b=4\n')
  expect(patches[4]).toContain('@@ b=4\n-c = 3;\n+c = 5;\n')
  expect(turn.outputs[4]).toEndWith('@@ -1,3 +1,3 @@\n a = 1;\n-b=4\n+b = 4;\n c = 5;')

  expect(await project.read('to/y.js')).toBe('a = 2;\nb = 5;\n')
  expect(believedOf(turn, 'a = 1;\n', 'from.js', 'to/y.js')).toBe('a = 2;\nb = 5;\n')

  expect(await project.read('behind.js')).toBe('a = 2;\nb = 1;\nc = 2;\n')
  expect(patches[8]).toContain('@@\n-a = 1;\n-b=1\n+a = 2;\n+b = 1;\n*** Delete')
  expect(patches[9]).toContain('\n-c = 1;\n+c = 2;\n')
  expect(await project.read('again.js')).toBe('new = 1;\n')
  expect(diffsOf(turn).slice(8, 10)).toEqual([
    ['-a = 1;', '-b=1', '+a = 2;', '+b = 1;', '-old = 1;'],
    ['-c = 1;', '+c = 2;'],
  ])
  for (const output of turn.outputs.slice(8)) expect(output).not.toContain('formatted')
})

const PATCH = [
  ...['*** Update File: patched.js', '@@', ' const a = 1;', '-const b = 2;', '+const b={two:2}'],
  ...['+const bb = "b"', ' const c = 3;'],
  ...['*** Add File: new.js', '+let n="n"', '*** Delete File: gone.js'],
  ...['*** Update File: old.js', '*** Move to: to/new.js', '@@', ' a = 1;', '-b = 2;', '+b=3'],
]

story('the history shows the added lines of a patch as formatted, and the next patch applies', async () => {
  const { project, session } = await start(WITH_COMMAND, {
    'patched.js': 'const a = 1;\nconst b = 2;\nconst c = 3;\n',
    'gone.js': 'let g = 1;\n',
    'old.js': 'a = 1;\r\nb = 2;\r\n',
  })
  const turn = await session.turn(
    'go',
    patch(...PATCH),
    [patch('*** Delete File: new.js'), patch('*** Add File: gone.js', '+back=1', '+two=2')],
    (request) => {
      expect(argsIn(request)[2]!.patchText).toContain('+back = 1;\n+two = 2;\n')
      const [moved, back] = ['*** Update File: to/new.js', '*** Update File: gone.js']
      return patch(moved, '@@', ' a = 1;', '-b = 3;', '+b=4', back, '@@', '-back = 1;', '+back=2')
    },
  )
  for (const output of turn.outputs) expect(output).toStartWith('Success')
  const shown = PATCH.map((line) => line.replace(/^\+.*/, (added) => `${added.replace(/ *= */, ' = ')};`))
  expect(shownArgs(turn)[0]).toEqual(patch(...shown).args as { patchText: string })
  const { metadata } = turn.tools[0]!.state
  expect(metadata!['files']).toMatchObject([
    { patch: expect.stringContaining('+const b = {two:2};'), additions: 2, deletions: 1 },
    { patch: expect.stringContaining('+let n = "n";'), additions: 1 },
    { type: 'delete' },
    { patch: expect.stringContaining('+b = 3;'), additions: 1, deletions: 1 },
  ])
  expect(metadata!['diff']).toContain('+let n = "n";\n')
  expect(metadata!['diff']).not.toContain('n="n"')
  expect((await project.read('to/new.js')).replaceAll('\r', '')).toBe('a = 1;\nb = 4;\n')
  expect(await project.read('gone.js')).toBe('back = 2;\ntwo = 2;\n')
})

story('the host applies the last of two sections on one file, and a note shows the file', async () => {
  const { project, session } = await start(WITH_COMMAND, { 'twice.js': 'a = 1;\nb = 2;\nc = 3;\n' })
  // The host applies each section of a file to the text before the patch.
  const section = (added: string) => ['*** Update File: twice.js', '@@', '-c = 3;', added]
  const turn = await session.turn('go', patch(...section('+c=[3]'), ...section('+c=[4]')))
  expect(await project.read('twice.js')).toBe('a = 1;\nb = 2;\nc = [4];\n')
  expect(turn.outputs[0]).toContain('@@ -2,2 +2,2 @@\n b = 2;\n-c=[4]\n+c = [4];')
})

/** A patch of one file: the file before it, the lines of the patch below the file's name, and the file after it. */
const PATCHES: Record<string, [before: string | null, lines: Array<string>, after: string]> = {
  'a blank line without a sign is ignored': ['a\n', ['@@', '-a', '+b', ''], 'b\n'],
  'a file that is empty': ['', ['@@', '+b'], 'b\n'],
  'a last line that is blank': ['a\n\n', ['@@', '-a', '+b'], 'b\n'],
  'equal lines, one with the indentation of the patch': ['a\r\n  a\r\n', ['@@', '-  a', '+b'], 'a\r\nb\n'],
  'context lines are written as the patch has them': ['  a\n', ['@@', ' a', '+b'], 'a\nb\n'],
  'a place below the line that is named': [
    ' old\ntwo\n old\n',
    ['@@ two', '- old', '+ new'],
    ' old\ntwo\n new\n',
  ],
  'a hunk without lines': ['a\nb\n', ['@@', '@@', '-b', '+c'], 'a\nc\n'],
  'nothing is left': ['a\n', ['@@', '-a'], ''],
  'a blank line at the end that the file does not have': ['a\nc\n', ['@@', '-a', '+b', ' '], 'b\nc\n'],
  'a blank line that the file lacks, above an added line': ['a\n', ['@@', ' a', ' ', '+b'], 'a\n\nb\n'],
  'a blank line that the file lacks, below an added line': [
    'a = 1\nb = 2\n',
    ['@@', ' b = 2', '+c=3', ' '],
    'a = 1\nb = 2\nc=3\n',
  ],
  'lines without a place, above others': ['a\nc\n', ['@@', '+z', '@@', '-a', '+b'], 'b\nc\nz\n'],
  'lines without a place, above a blank last line': ['a\n\n', ['@@', '+z'], 'a\nz\n'],
  'a hunk after the end of the file': [
    'a\nc\n',
    ['@@', '-a', '+b', '*** End of File', '@@', '-c', '+d'],
    'b\nc\n',
  ],
  'characters that look alike': ['“it’s”\u00A0— a…\n', ['@@', '-"it\'s" - a...', '+b'], 'b\n'],
  'look-alike characters in a context line': [
    '“a” – b…\n',
    ['@@', ' "a" - b...', '+c=3'],
    '"a" - b...\nc=3\n',
  ],
  'a new file that ends with a blank line': [null, ['+a', '+'], 'a\n'],
}

story('a patch is simulated as the host applies it, and gets no note', async () => {
  const files = Object.entries(PATCHES).map(([what, row]) => [`${what}.txt`, ...row] as const)
  const existing = files.flatMap(([name, before]) => before === null ? [] : [[name, before] as const])
  const { project, session } = await start(SETTINGS[0]![1], Object.fromEntries(existing))
  const sent = files.map(([name, before, lines]) =>
    patch(`*** ${before === null ? 'Add' : 'Update'} File: ${name}`, ...lines)
  )
  const turn = await session.turn('go', sent)
  for (const output of turn.outputs) expect(output).toMatch(ONLY_SUCCESS)
  expect(shownArgs(turn)).toEqual(sent.map(({ args }) => args as Record<string, string>))
  for (const [index, [name, before, , after]] of files.entries()) {
    const [section] = parsePatch((sent[index]!.args as { patchText: string }).patchText)
    expect([name, applySection(section!, before)?.raw, await project.read(name)]).toEqual([
      name,
      after,
      after,
    ])
  }
})

story('all patches of one message on one file are applied, without any formatter', async () => {
  const lines = Array.from({ length: 6 }, (_, index) => `line ${index}`)
  const config = { plugin: [CHECKOUT], formatter: false }
  const { project, session } = await start(config, { 'hunks.txt': `${lines.join('\n')}\n` })
  const patches = lines.map((line) => patch('*** Update File: hunks.txt', '@@', `-${line}`, `+${line} now`))
  const { outputs } = await session.turn('go', patches)
  for (const output of outputs) expect(output).toMatch(ONLY_SUCCESS)
  expect(await project.read('hunks.txt')).toBe(`${lines.map((line) => `${line} now`).join('\n')}\n`)
})
