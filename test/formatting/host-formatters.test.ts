/** The host's own formatters, without `format_on_save`, and for more files than the written one. */
import { expect } from 'bun:test'
import { CHECKOUT } from '../harness/host.ts'
import { story } from '../harness/story.ts'
import {
  edit,
  noteBelow,
  patch,
  read,
  shownArgs,
  shownTexts,
  startProject,
  storedArgs,
  undo,
  write,
} from './session.ts'
import { configOf } from './settings.ts'

const ADD_SPACES = "sed -i 's/ *= */ = /; s/;*$/;/'"

/** Formats all files of a folder that have an extension. */
const formatAll = (extension: string): string => `for file in all/*${extension}; do ${ADD_SPACES} $file; done`

/** The config of a project in which two commands also format other files; the second one names its file. */
const CONFIG = configOf('host', [
  { command: `${ADD_SPACES} {path}`, extensions: ['.js'] },
  { command: formatAll('.ts'), extensions: ['.ts'] },
  {
    command: `echo begins {path} >> log; ${formatAll('.css')}; sleep 0.2; echo ends >> log`,
    extensions: ['.css'],
  },
])

const FILES = {
  'all/a.ts': 'a=1\nb=1\n',
  'all/b.ts': 'b=1\n',
  'all/c.css': 'c=1\n',
  'all/d.css': 'd=1\n',
  'all/e.css': 'e=1\n',
}

story("format_on_save: false leaves the host's formatter alone, and the next edit fails", async () => {
  const plugin = [[CHECKOUT, { format_on_save: false }]]
  const { project, session } = await startProject({ ...CONFIG, plugin })
  const edits = [write(project, 'x.js', 'a=1\nb=2\n'), edit(project, 'x.js', 'a=1', 'a=3')]
  const turn = await session.turn('go', ...edits)
  expect(turn.outputs[1]).toContain('Could not find oldString')
  expect(await project.read('x.js')).toBe('a = 1;\nb = 2;\n')
  expect(shownArgs(turn)[0]!.content).toBe('a=1\nb=2\n')
})

story('host formatters that format more than one file: notes, corrections and an undo', async () => {
  const { project, session } = await startProject({ ...CONFIG, snapshot: true }, { files: FILES })
  const textsOf = (...names: Array<string>) => Promise.all(names.map((name) => project.read(`all/${name}`)))
  const turn = await session.turn(
    'go',
    ['all/a.ts', 'all/c.css', 'all/e.css'].map((file) => read(project, file)),
    // Each edit formats all files of the folder.
    [edit(project, 'all/b.ts', 'b=1', 'b=2'), edit(project, 'all/a.ts', 'a=1', 'a=2')],
  )
  // A change of another file is reported, and the next call applies.
  expect(turn.outputs.slice(3).map(noteBelow)).toEqual([
    '',
    'all/a.ts was formatted and differs from what you saw:\n@@ -1,2 +1,2 @@\n a = 2;\n-b=1\n+b = 1;',
  ])
  expect(shownTexts(turn).filter(Boolean)).toEqual(['b = 2;', 'a = 2;'])
  expect(await textsOf('a.ts')).toEqual(['a = 2;\nb = 1;\n'])
  expect(await storedArgs(session)).toEqual(shownArgs(turn))

  const d = '*** Update File: all/d.css'
  const patched = await session.turnAs({ model: 'gpt-5.2' }, 'patch', [
    // The formatter of one patch changes the file of the next, which fits what the model believes, and one more.
    patch(d, '@@', '-d=1', '+d=2'),
    patch(d, '@@', '-d=2', '+d=3', '*** Update File: all/c.css', '@@', '-c=1', '+c=2'),
  ])
  expect(patched.outputs[1]).toStartWith('Success')
  expect(patched.outputs.join()).toContain(
    'all/e.css was formatted and differs from what you saw:\n@@ -1,1 +1,1 @@\n-e=1',
  )
  expect(await textsOf('c.css', 'd.css')).toEqual(['c = 2;\n', 'd = 3;\n'])
  await undo(session)
  expect(await textsOf('a.ts', 'd.css')).toEqual(['a = 2;\nb = 1;\n', 'd=1\n'])

  // Once a formatter has changed other files, a call waits until other calls of its kind are formatted.
  const written = ['f', 'g'].map((name) => write(project, `all/${name}.css`, `${name}=1\n`))
  await (await project.session()).turn('more', written)
  expect(await project.read('log')).toMatch(/^(begins .*\nends\n){2}$/)
})
