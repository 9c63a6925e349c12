/** Stories of notes on changed files and on failed formatters. */
import { expect } from 'bun:test'
import { PATCH_MODEL } from '../harness/host.ts'
import { bash, edit, patch, read, startShared, write } from './session.ts'
import { FORMAT, storyPerSetting } from './settings.ts'
import { notesBelow, shownArgs, shownTexts } from './shown.ts'

storyPerSetting('notes report lines that others changed, not the edited lines', async (config, setting) => {
  const { project, session } = await startShared(config, { 'left.js': 'a=1\nb=1\n' })
  const editedText = setting === 'host' ? 'a = 3;' : 'a=3'
  const changeBAfterEdit =
    `until grep -q '${editedText}' left.js; do sleep 0.1; done; sleep 2; sed -i 's/b = 1/b = 2/' left.js`
  const turn = await session.turn(
    'go',
    read(project, 'left.js'),
    [edit(project, 'left.js', 'a=1', 'a=2'), edit(project, 'left.js', 'is not there', 'c=1')],
    [edit(project, 'left.js', 'a = 2;', 'a=3'), bash(changeBAfterEdit)],
  )
  const differs = 'differs from what you saw:\n@@ -1,2 +1,2 @@\n'
  expect([turn.outputs[1]!, turn.outputs[3]!].map(notesBelow)).toEqual([
    `left.js was formatted and ${differs} a = 2;\n-b=1\n+b = 1;`,
    `left.js now ${differs} a = 3;\n-b = 1;\n+b = 2;`,
  ])
  expect(await project.read('left.js')).toBe('a = 3;\nb = 2;\n')
})

storyPerSetting('after another session changed a file, a note says to read it again', async (config) => {
  const { project, session } = await startShared(config, { 'between.js': 'a=1\nb = 1;\nc=1\n' })
  const otherSession = await project.session()
  const turn = await session.turn('go', read(project, 'between.js'), async () => {
    await otherSession.turn('go', edit(project, 'between.js', 'a=1', 'a=2'))
    return [edit(project, 'between.js', 'b = 1;', 'b=2'), edit(project, 'between.js', 'b=2', 'b=3')]
  })
  expect(await project.read('between.js')).toBe('a = 2;\nb = 3;\nc = 1;\n')
  // The history still shows `b=2` for the first edit, because `b=2` is the old text of the second edit.
  expect(shownTexts(turn).slice(1)).toEqual(['b=2', 'b = 3;'])
  expect(turn.outputs.slice(1).map(notesBelow)).toEqual([
    '',
    'between.js may differ from what you saw; read it again before you edit it.',
  ])
})

const RULE = { '.opencode/rules/new.md': '---\nglobs: "new/**"\n---\nNEW-RULE\n' }

storyPerSetting('if SAT refuses a write because of an unread rule, other calls still run', async (config) => {
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

storyPerSetting('each failure of a formatter is reported, but without repeated output', async (config) => {
  const { project, session } = await startShared(config)
  // The formatter of `x.broken` fails before it writes, and the formatter of `x.mended` fails after it has written.
  const turn = await session.turn(
    'go',
    [write(project, 'x.broken', 'a=(\n'), write(project, 'x.mended', 'a=WRONG\n')],
    [
      edit(project, 'x.broken', 'a=(', 'first=1\na=('),
      edit(project, 'x.mended', 'a = WRONG', 'a=WRONG\nb=1'),
    ],
    [edit(project, 'x.broken', 'a=(', 'a=1'), edit(project, 'x.mended', 'a = WRONG', 'a=1')],
  )
  const patterns = [
    /^x\.broken was not formatted: `[^]*` failed \(status 2\):\n1:a=\($/,
    /^x\.mended was formatted, but `[^]*` exited with code 2:\n1:a = WRONG$/,
    /^x\.broken is still not formatted: .*, with the same output except for numbers:\n2:a=\($/s,
    /^x\.mended was again formatted, but .* exited with code 2, with the same output\.$/s,
    // This note reports only the formatted line `first=1`.
    /^(?!.*not formatted)/s,
    /^$/,
  ]
  expect(turn.outputs.map(notesBelow)).toEqual(patterns.map((pattern) => expect.stringMatching(pattern)))
  expect(await project.read('x.broken')).toBe('first = 1\na = 1\n')
  expect(shownTexts(turn, 'x.mended')).toEqual(['a = WRONG\n', 'a = WRONG\nb = 1', 'a = 1'])
})

const COUNTING = { command: `${FORMAT}; cat *.pair | wc -l > count.txt`, extensions: ['.pair'] }

storyPerSetting('a note reports another file that a formatter writes', async (config) => {
  const { project, session } = await startShared(config, { 'a.pair': 'a = 1\n', 'count.txt': '1\n' })
  const turn = await session.turn(
    'go',
    read(project, 'count.txt'),
    edit(project, 'a.pair', 'a = 1', 'a=1\nb=2'),
    edit(project, 'count.txt', '2', 'two'),
  )
  const countDiffers = 'count.txt now differs from what you saw:\n@@ -1,1 +1,1 @@\n'
  expect(turn.outputs.slice(1).map(notesBelow)).toEqual([`${countDiffers}-1\n+2`, ''])
  const addsLine = patch('*** Update File: a.pair', '@@', ' b = 2', '+c=3')
  const patchTurn = await session.turnAs({ model: PATCH_MODEL }, 'go', addsLine)
  expect(notesBelow(patchTurn.outputs[0]!)).toBe(`${countDiffers}-two\n+3`)
  expect(shownArgs(patchTurn).at(-1)!.patchText).toContain('+c = 3')
}, [COUNTING])
