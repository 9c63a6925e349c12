import { expect } from 'bun:test'
import { CHECKOUT, type Session } from '../harness/host.ts'
import { story } from '../harness/story.ts'
import { argsIn, edit, seen, seenTexts, startWith, stored, undo, write } from './session.ts'

const SPACES = "sed -i 's/ *= */ = /; s/;*$/;/'"

const shell = (script: string): Array<string> => ['sh', '-c', script, 'sh', '$FILE']

/** The host's own formatters: of a file, which leaves a line in the project for each run, and of all files in a folder. */
const formatter = {
  spaces: {
    command: shell(`printf 'host\\n' >> runs.txt; ${SPACES} "$1"`),
    extensions: ['.js', '.mjs'],
  },
  all: { command: shell(`for file in all/*.ts; do ${SPACES} $file; done`), extensions: ['.ts'] },
}

/** A model that writes, and edits from what it believes that it wrote. */
const writeAndEdit = async (config: Record<string, unknown>) => {
  const { project, session } = await startWith(config, { files: OTHERS })
  const turn = await session.turn(
    'go',
    write(project, 'x.js', 'a=1\nb=2\n'),
    (request) => edit(project, 'x.js', argsIn(request)[0]!.content!.split('\n')[0]!, 'a=3'),
  )
  return { project, session, turn }
}

const OTHERS = { 'all/a.ts': 'a=1\nb=1\n', 'all/b.ts': 'b=1\n' }

/** Lets a model edit two files of one folder, all of which the formatter changes with each. */
const editBesideOthers = async (session: Session): Promise<void> => {
  const { project } = session
  const turn = await session.turn('go', { tool: 'read', args: { filePath: project.path('all/a.ts') } }, [
    edit(project, 'all/b.ts', 'b=1', 'b=2'),
    edit(project, 'all/a.ts', 'a=1', 'a=2'),
  ])
  expect(turn.outputs.slice(1)).toEqual([
    'Edit applied successfully.',
    'Edit applied successfully.\n\nall/a.ts was formatted and differs from what you saw:\n@@ -1,2 +1,2 @@\n a = 2;\n-b=1\n+b = 1;',
  ])
  expect(seenTexts(turn)).toEqual([undefined, 'b = 2;', 'a = 2;'])
  expect(await project.read('all/a.ts')).toBe('a = 2;\nb = 1;\n')
}

story(
  "format_on_save: false leaves the host's own formatter alone: the model's next edit fails",
  async () => {
    const { project, turn } = await writeAndEdit({
      formatter,
      plugin: [[CHECKOUT, { format_on_save: false }]],
    })
    expect(turn.outputs[1]).toContain('Could not find oldString')
    expect(await project.read('x.js')).toBe('a = 1;\nb = 2;\n')
    expect(seen(turn)[0]!.content).toBe('a=1\nb=2\n')
  },
)

story('where nothing is set nothing is done', async () => {
  const plain = await writeAndEdit({ plugin: [CHECKOUT], formatter: false })
  expect(plain.turn.outputs).toEqual(['Wrote file successfully.', 'Edit applied successfully.'])
  expect(await plain.project.read('x.js')).toBe('a=3\nb=2\n')
})

story("the host's own formatter with SAT: the history is true and the next edit applies", async () => {
  const { project, session, turn } = await writeAndEdit({ formatter, plugin: [CHECKOUT], snapshot: true })
  expect(turn.outputs).toEqual(['Wrote file successfully.', 'Edit applied successfully.'])
  expect(await project.read('x.js')).toBe('a = 3;\nb = 2;\n')
  expect(seenTexts(turn)).toEqual([
    'a = 1;\nb = 2;\n',
    'a = 3;',
  ])
  expect(await stored(session)).toEqual(seen(turn))

  const patchText =
    '*** Begin Patch\n*** Update File: x.js\n@@\n a = 3;\n-b = 2;\n+b=4\n+c=5\n*** Add File: y.js\n+y=1\n*** End Patch'
  const patched = await session.turnAs({ model: 'gpt-5.2' }, 'patch', {
    tool: 'apply_patch',
    args: { patchText },
  })
  expect(seen(patched).at(-1)).toEqual({
    patchText: patchText.replace('+b=4\n+c=5', '+b = 4;\n+c = 5;').replace('+y=1', '+y = 1;'),
  })
  expect(patched.tools[0]!.state.metadata).toMatchObject({
    diff: expect.stringContaining('+b = 4;\n+c = 5;\n'),
    files: [{ additions: 2, patch: expect.stringContaining('+c = 5;') }, {
      patch: expect.stringContaining('+y = 1;'),
    }],
  })

  await undo(session)
  expect(await project.read('x.js')).toBe('a = 3;\nb = 2;\n')

  // What it changes in other files is reported, and the next call applies.
  await editBesideOthers(await project.session())
})

story('a file that both would format is formatted once, by the command of SAT', async () => {
  const command = `printf 'own\\n' >> runs.txt; ${SPACES} {path}`
  const own = { 'own/*.js': command, '*.zig': command }
  const { project, session } = await startWith({
    // A formatter of the host by its name needs no extensions.
    formatter: { ...formatter, zig: { command: formatter.spaces.command } },
    plugin: [[CHECKOUT, { format_on_save: own }]],
    snapshot: true,
  })
  const turn = await session.turn('go', [
    write(project, 'own/x.js', 'x=1\n'),
    write(project, 'y.js', 'y=1\n'),
    write(project, 'z.zig', 'z=1\n'),
  ])
  expect((await project.read('runs.txt')).split('\n').toSorted()).toEqual(['', 'host', 'own', 'own'])
  expect(seenTexts(turn)).toEqual(['x = 1;\n', 'y = 1;\n', 'z = 1;\n'])

  await session.turn('more', edit(project, 'own/x.js', 'x = 1;', 'x=2'))
  expect(await project.read('own/x.js')).toBe('x = 2;\n')
  await undo(session)
  expect(await project.read('own/x.js')).toBe('x = 1;\n')
})
