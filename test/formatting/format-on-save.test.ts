import { expect } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { compileDprintPlugin, DPRINT, DPRINT_FILES } from '../harness/dprint.ts'
import { CHECKOUT, sharedHost } from '../harness/host.ts'
import { logged } from '../harness/log.ts'
import { story } from '../harness/story.ts'
import { argsIn, edit, noteBelow, seen, seenTexts, startBeside, stored, write } from './session.ts'

compileDprintPlugin()

const FORMAT_ON_SAVE = {
  '*.ts': DPRINT,
  'fails.js': 'echo spoilt > {path}; echo first; echo "the reason" >&2; exit 3',
  'empties.js': ': > {path}',
  'removes.js': 'rm {path}',
  'links.js': ': > blank; ln -sf blank {path}',
  // Each statement on a line of its own.
  '*.words': "sed -i 's/; *\\(.\\)/;\\n\\1/g' {path}",
}

const command = [process.execPath, join(import.meta.dirname, 'language-server.mjs')]

const CONFIG = {
  lsp: { words: { command, extensions: ['.words'] } },
  plugin: [[CHECKOUT, { format_on_save: FORMAT_ON_SAVE }]],
}

/** A session in the project for whose files SAT has commands. */
const start = () => startBeside(CONFIG, DPRINT_FILES)

const UGLY = 'import {b} from "b"\nimport {a} from "a"\nfunction f(){\n    return {one:1,two:"2"}\n}\n'

story('what the model wrote and edited reads as formatted, in the next request and for good', async () => {
  const { project, session } = await start()
  const turn = await session.turn(
    'go',
    write(project, 'x.ts', UGLY),
    (request) => {
      const { content } = argsIn(request).at(-1)!
      expect(content).toBe(readFileSync(project.path('x.ts'), 'utf8'))
      // The model edits from what it now believes.
      const now = '    return {one:1,two:"2",three:[1,2,3]}\n    //done'
      return edit(project, 'x.ts', content!.split('\n')[3]!, now)
    },
    (request) => {
      const { oldString, newString } = argsIn(request).at(-1)!
      expect(oldString).toBe("  return { one: 1, two: '2' };")
      expect(newString).toBe("  return { one: 1, two: '2', three: [1, 2, 3] };\n  // done")
      return edit(project, 'x.ts', newString!.split('\n')[1]!, '  // DONE\n  f ( )')
    },
    (request) => edit(project, 'x.ts', argsIn(request).at(-1)!.newString!, '  g("x")'),
  )
  expect(await project.read('x.ts')).toBe(
    "import { a } from 'a';\nimport { b } from 'b';\nfunction f() {\n  return { one: 1, two: '2', three: [1, 2, 3] };\n  g('x');\n}\n",
  )
  expect(turn.outputs).toEqual(['Wrote file successfully.', ...Array(3).fill('Edit applied successfully.')])
  expect(seen(turn).at(-1)!.newString).toBe("  g('x');")
  expect(await stored(session)).toEqual(seen(turn))
  expect(turn.tools[1]!.state.metadata).toMatchObject({
    diff: expect.stringContaining("+  return { one: 1, two: '2', three: [1, 2, 3] };\n+  // done\n"),
    filediff: { additions: 2, deletions: 1, patch: expect.stringContaining('+  // done\n') },
  })
})

story('a formatter that harms its file is reported and logged, and leaves what the model wrote', async () => {
  const { project, session } = await start()
  const names = ['fails.js', 'empties.js', 'removes.js', 'links.js']
  const turn = await session.turn(
    'go',
    names.map((name) => write(project, name, 'mine=1\n')),
    [edit(project, 'removes.js', 'mine=1', 'mine=2\ny=2'), edit(project, 'removes.js', 'y=2', 'y=3')],
  )
  const removed = expect.stringContaining('removes.js was not formatted: `rm {path}` removed the file')
  expect(turn.outputs.map(noteBelow)).toEqual([
    expect.stringMatching(
      /^fails.js was not formatted: `echo spoilt .*` failed \(status 3\):\nfirst\nthe reason\n\nfails.js now differs from what you saw:\n@@ -1,1 \+1,1 @@\n-mine=1\n\+spoilt$/,
    ),
    'empties.js was not formatted: `: > {path}` emptied the file.',
    removed,
    expect.stringMatching(/or left a link, no text or more than 10 MB in its place\.$/),
    '',
    removed,
  ])
  expect(turn.outputs.slice(1).join()).not.toContain('differs')
  // What a formatter left that ended by itself may be what a person saved.
  const left = ['spoilt\n', 'mine=1\n', 'mine=2\ny=3\n', 'mine=1\n']
  for (const [index, name] of names.entries()) expect(await project.read(name)).toBe(left[index]!)
  expect(await project.read('blank')).toBe('')
  expect(seenTexts(turn)).toEqual([...names.map(() => 'mine=1\n'), 'mine=2\ny=2', 'y=3'])
  expect(turn.tools[0]!.state.metadata!['opencode-sat']).toMatchObject({
    failed: [{ command: expect.stringContaining('echo spoilt'), why: 'failed (status 3)' }],
  })
  expect(await logged(await sharedHost(), project.path('fails.js'), 'WARN', 'status 3')).toEqual([
    expect.stringContaining('the reason'),
  ])
})

const errorsIn = (output: string): Array<string> => output.match(/^ERROR .*$/gm) ?? []

type Diagnostics = Record<
  string,
  Array<{ range: { start: { line: number; character: number } }; message: string }>
>

story('errors of language servers name the lines of the formatted file', async () => {
  const { project, session } = await start()
  const { outputs, tools } = await session.turn(
    'go',
    write(project, 'a.words', 'a; b; WRONG;\nc; WRONGER;\n'),
    edit(project, 'a.words', 'c;', 'c; d; WRONGEST;'),
  )
  expect(await project.read('a.words')).toBe('a;\nb;\nWRONG;\nc;\nd;\nWRONGEST;\nWRONGER;\n')
  expect(errorsIn(outputs[0]!)).toEqual(['ERROR [3:1] WRONG is wrong', 'ERROR [5:1] WRONGER is wrong'])
  const errors = [
    'ERROR [3:1] WRONG is wrong',
    'ERROR [6:1] WRONGEST is wrong',
    'ERROR [7:1] WRONGER is wrong',
  ]
  expect(errorsIn(outputs[1]!)).toEqual(errors)
  const all = (tools[1]!.state.metadata!['diagnostics'] as Diagnostics)[project.path('a.words')]!
  const asSaid = all.map(({ range: { start }, message }) =>
    `ERROR [${start.line + 1}:${start.character + 1}] ${message}`
  )
  expect(asSaid).toEqual(errors)
})
