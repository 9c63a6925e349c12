/** Several calls of one message on one file, calls that name a file by a link, and the notes on failing formatters. */
import { expect } from 'bun:test'
import { symlinkSync } from 'node:fs'
import { callsIn, type ModelRequest } from '../harness/model.ts'
import { story } from '../harness/story.ts'
import { configOf } from './fuzz/formatters.ts'
import {
  edit,
  noteBelow,
  patch,
  read,
  shownArgs,
  shownTexts,
  startProject,
  startShared,
  storedArgs,
  write,
} from './session.ts'
import { storyPerSetting } from './settings.ts'

const PATCHED = '*** Update File: '

/** Returns the lines that the last read in a request shows, without their numbers. */
const lastReadIn = (request: ModelRequest): string =>
  [...callsIn(request).findLast(({ tool }) => tool === 'read')!.output.matchAll(/^\d+: (.*)$/gm)]
    .map(([, line]) => `${line}\n`).join('')

storyPerSetting('a read after an edit in one message shows the file as formatted', async (config) => {
  const { project, session } = await startShared(config, { 'r.js': 'a = 1;\nb = 2;\n' })
  const shown: Array<string> = []
  const turn = await session.turn(
    'go',
    [
      edit(project, 'r.js', 'a = 1;', 'a=3'),
      read(project, 'r.js'),
      edit(project, 'r.js', 'b = 2;', 'b=4\nc=5'),
      write(project, 'made.js', 'm=1\n'),
      read(project, 'made.js'),
    ],
    (request) => {
      shown.push(lastReadIn(request))
      return [edit(project, 'r.js', 'a = 3;', 'a=6'), read(project, 'r.js')]
    },
    (request) => {
      shown.push(lastReadIn(request))
      return edit(project, 'r.js', 'b = 4;\nc = 5;', 'b=7')
    },
  )
  expect(shown).toEqual(['m = 1;\n', 'a = 6;\nb = 4;\nc = 5;\n'])
  expect(turn.outputs[1]).toContain('1: a = 3;\n2: b = 2;\n\n(End of file - total 2 lines)')
  expect(turn.outputs.map(noteBelow).join('')).not.toContain('differs')
  expect(await project.read('r.js')).toBe('a = 6;\nb = 7;\n')
  expect(await storedArgs(session)).toEqual(shownArgs(turn))
})

storyPerSetting('calls that name a file by a link and by its path change the same file', async (config) => {
  const { project, session } = await startShared(config, { 'target.js': 'a = 1;\nb = 2;\n' })
  symlinkSync(project.path('target.js'), project.path('link.js'))
  const turn = await session.turn(
    'go',
    read(project, 'target.js'),
    [edit(project, 'link.js', 'a = 1;', 'a=3'), edit(project, 'target.js', 'a=3', 'a=4')],
    edit(project, 'target.js', 'b = 2;', 'b=5'),
  )
  expect(await project.read('target.js')).toBe('a = 4;\nb = 5;\n')
  expect(turn.outputs.slice(1)).toEqual(Array.from({ length: 3 }, () => 'Edit applied successfully.'))
})

storyPerSetting('patches by link and by path change one file; a read shows it formatted', async (config) => {
  const { project, session } = await startShared(config, { 'patched.js': 'a = 1;\nb = 2;\n' }, 'gpt-5.2')
  symlinkSync(project.path('patched.js'), project.path('linked.js'))
  const turn = await session.turn(
    'go',
    [
      patch(`${PATCHED}linked.js`, '@@', '-a = 1;', '+a=3'),
      patch(`${PATCHED}patched.js`, '@@', '-b = 2;', '+b=4'),
      read(project, 'patched.js'),
    ],
    (request) => {
      expect(lastReadIn(request)).toBe('a = 3;\nb = 4;\n')
      return patch(`${PATCHED}patched.js`, '@@', '-a = 3;', '-b = 4;', '+ab=5')
    },
  )
  expect(await project.read('patched.js')).toBe('ab = 5;\n')
  for (const output of turn.outputs.toSpliced(2, 1)) expect(noteBelow(output)).toBe('')
})

const RULE = { '.opencode/rules/new.md': '---\nglobs: "new/**"\n---\nNEW-RULE\n' }

storyPerSetting('a call refused once because its rule comes first stops no other call', async (config) => {
  const { project, session } = await startShared(config, { ...RULE, 'w.js': 'a = 1;\nb = 2;\n' })
  const refusedOnce = write(project, 'new/x.js', 'x=1\n')
  const turn = await session.turn(
    'go',
    [edit(project, 'w.js', 'a = 1;', 'a=3'), refusedOnce, edit(project, 'w.js', 'b = 2;', 'b=4')],
    refusedOnce,
  )
  expect(turn.outputs.map((output) => output.split(' ', 4).join(' '))).toEqual([
    'Edit applied successfully.',
    'Rules come first: `new/x.js`',
    'Edit applied successfully.',
    'Wrote file successfully.',
  ])
  expect(shownTexts(turn)).toEqual(['a = 3;', 'x=1\n', 'b = 4;', 'x = 1;\n'])
  expect(await project.read('w.js')).toBe('a = 3;\nb = 4;\n')
})

storyPerSetting('each failure of a formatter is reported, its output once', async (config) => {
  const { project, session } = await startShared(config)
  const turn = await session.turn(
    'go',
    write(project, 'x.broken', 'a=(\n'),
    edit(project, 'x.broken', 'a=(', 'first=1\na=('),
    edit(project, 'x.broken', 'a=(', 'a=1'),
  )
  const notes = turn.outputs.map(noteBelow)
  expect(notes[0]).toMatch(/^x\.broken was not formatted: `.*` failed \(status 2\):\n1:a=\($/s)
  expect(notes[1]).toMatch(
    /^x\.broken is still not formatted: `.*` failed \(status 2\), with the same output\.$/s,
  )
  expect(notes[2]).not.toContain('not formatted')
  expect(await project.read('x.broken')).toBe('first = 1\na = 1\n')
})

storyPerSetting('the changes of a formatter that fails after writing are kept and shown', async (config) => {
  const { project, session } = await startShared(config)
  const turn = await session.turn(
    'go',
    write(project, 'x.mended', 'a=WRONG\n'),
    edit(project, 'x.mended', 'a = WRONG', 'a=WRONG\nb=1'),
    edit(project, 'x.mended', 'a = WRONG', 'a=1'),
  )
  const [first, second, last] = turn.outputs.map(noteBelow)
  expect(first).toMatch(/^x\.mended was formatted, but `.*` exited with code 2:\n1:a = WRONG$/s)
  expect(second).toMatch(
    /^x\.mended was again formatted, but `.*` exited with code 2, with the same output\.$/s,
  )
  expect(last).toBe('')
  expect(shownTexts(turn)).toEqual(['a = WRONG\n', 'a = WRONG\nb = 1', 'a = 1'])
})

// The command writes the number of lines of all `.pair` files to another file. No file has the other extension: `configOf`
// puts the extensions in braces, and in a glob, braces around only one alternative are literal.
const PAIR = {
  command: "sed -i 's/ *= */ = /' {path}; cat *.pair | wc -l > count.txt",
  extensions: ['.pair', '.pairs'],
}

for (const setting of ['host', 'option'] as const) {
  story(`a note reports another file that a formatter writes: ${setting}`, async () => {
    const files = { 'a.pair': 'a = 1\n', 'count.txt': '1\n' }
    const { project, session } = await startProject(configOf(setting, PAIR), { files })
    const turn = await session.turn(
      'go',
      read(project, 'count.txt'),
      edit(project, 'a.pair', 'a = 1', 'a=1\nb=2'),
      edit(project, 'count.txt', '2', 'two'),
    )
    expect(turn.outputs[1]).toBe(
      'Edit applied successfully.\n\ncount.txt now differs from what you saw:\n@@ -1,1 +1,1 @@\n-1\n+2',
    )
    expect(turn.outputs[2]).toBe('Edit applied successfully.')
    const addsLine = patch(`${PATCHED}a.pair`, '@@', ' b = 2', '+c=3')
    const patches = await session.turnAs({ model: 'gpt-5.2' }, 'go', addsLine)
    // The note leaves out the model's own edit.
    expect(noteBelow(patches.outputs[0]!)).toBe(
      'count.txt now differs from what you saw:\n@@ -1,1 +1,1 @@\n-two\n+3',
    )
    expect(shownArgs(patches).at(-1)!.patchText).toContain('+c = 3')
  })
}
