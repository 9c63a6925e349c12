import { expect } from 'bun:test'
import { readFileSync } from 'node:fs'
import type { Turn } from '../harness/host.ts'
import { textOf } from '../harness/model.ts'
import { story } from '../harness/story.ts'
import { believe } from './fuzz/belief.ts'
import { edit, read, seen, seenTexts, startBeside, stored, write } from './session.ts'
import { IMPORTS, SETTINGS, WITH_COMMAND } from './settings.ts'

/** The notes on a file in the results of its calls, each without the host's words. */
const notesOn = ({ tools, outputs }: Turn, file: string): Array<string> =>
  outputs.filter((_, index) => String(tools[index]!.state.input['filePath']).endsWith(`/${file}`))
    .map((output) => output.split('\n').slice(2).join('\n'))

for (const [name, config] of SETTINGS) {
  story(`calls of one message on a file read as the file does, and are reported once: ${name}`, async () => {
    const { project, session } = await startBeside(config, { 'told.js': 'z=1\n\n\na = 1;\nb = 2;\ny = 2;\n' })
    const turn = await session.turn('go', [
      // The last finds the text that two before it made.
      write(project, 'found.js', 'a=1\nb=2\n'),
      edit(project, 'found.js', 'a=1', 'a=1\nc=1'),
      edit(project, 'found.js', 'b=2', 'b=3'),
      edit(project, 'found.js', 'c=1\nb=3', 'd=4'),
      write(project, 'several.js', 'a=1\nb=2\nc=3\n'),
      edit(project, 'several.js', 'b=2', 'b=4\nd=4'),
      edit(project, 'several.js', 'c=3', 'c=5'),
      edit(project, 'told.js', 'a = 1;', 'new = 1;\na=2'),
      edit(project, 'told.js', 'b = 2;', 'b=3'),
    ])
    expect(turn.outputs[3]).toStartWith('Edit applied successfully.')
    expect(await project.read('found.js')).toBe('a = 1;\nd = 4;\n')
    expect(seen(turn, 'found.js').at(-1)).toMatchObject({ oldString: 'c=1\nb=3', newString: 'd = 4;' })

    const text = await project.read('several.js')
    expect(text).toBe('a = 1;\nb = 4;\nd = 4;\nc = 5;\n')
    expect(seen(turn, 'several.js').reduce<string | null>((now, args) => believe(now ?? '', args), '')).toBe(
      text,
    )
    // The old texts are those that were sent.
    expect(seen(turn, 'several.js').map(({ oldString }) => oldString)).toEqual([undefined, 'b=2', 'c=3'])
    expect(notesOn(turn, 'several.js')).toEqual(['', '', ''])
    expect(turn.tools[6]!.state.metadata!['opencode-sat']).toEqual({
      formatted: [project.path('several.js')],
      corrected: true,
    })

    expect(await project.read('told.js')).toBe('z = 1;\n\nnew = 1;\na = 2;\nb = 3;\ny = 2;\n')
    expect(seen(turn, 'told.js').map(({ newString }) => newString)).toEqual(['new = 1;\na = 2;', 'b = 3;'])
    expect(notesOn(turn, 'told.js')).toEqual([
      '',
      'told.js was formatted and differs from what you saw:\n@@ -1,3 +1,2 @@\n-z=1\n+z = 1;\n \n-',
    ])
    expect(await stored(session)).toEqual(seen(turn))
    const results = turn.requests.at(-1)!.messages.filter(({ role }) => role === 'tool')
    expect(results.map(textOf)).toEqual(turn.outputs)
  })

  story(
    `what a failing call, or another command, leaves of a file is what is reported: ${name}`,
    async () => {
      const { project, session } = await startBeside(config, { 'left.js': 'a=1\nb=1\n' })
      const after = "until grep -q 3 left.js; do sleep 0.1; done; sleep 0.5; sed -i 's/b = 1/b = 2/' left.js"
      const turn = await session.turn(
        'go',
        read(project, 'left.js'),
        [edit(project, 'left.js', 'a=1', 'a=2'), edit(project, 'left.js', 'is not there', 'c=1')],
        [
          edit(project, 'left.js', 'a = 2;', 'a=3'),
          { tool: 'bash', args: { command: after, description: 'changes it' } },
        ],
      )
      const hunk = 'differs from what you saw:\n@@ -1,2 +1,2 @@\n'
      expect(notesOn(turn, 'left.js').slice(1).filter(Boolean)).toEqual([
        `left.js was formatted and ${hunk} a = 2;\n-b=1\n+b = 1;`,
        `left.js now ${hunk} a = 3;\n-b = 1;\n+b = 2;`,
      ])
      expect(await project.read('left.js')).toBe('a = 3;\nb = 2;\n')
    },
  )

  story(`code and its import, in either order, lose nothing to a formatter of imports: ${name}`, async () => {
    const text = "import { b } from 'b';\nb(1);\n"
    const files = { 'imports.mjs': IMPORTS, 'code.ts': text, 'import.ts': text }
    const { project, session } = await startBeside(config, files)
    const addsImport = (file: string) =>
      edit(project, file, "import { b } from 'b';", "import { b } from 'b';\nimport { a } from 'a'")
    const addsCode = (file: string) => edit(project, file, 'b(1);', 'b(1);\na(2)')
    const turn = await session.turn('go', [
      addsCode('code.ts'),
      addsImport('code.ts'),
      addsImport('import.ts'),
      addsCode('import.ts'),
    ])
    const formatted = "import { a } from 'a';\nimport { b } from 'b';\nb(1);\na(2);\n"
    for (const file of ['code.ts', 'import.ts']) expect(await project.read(file)).toBe(formatted)
    const [code, imports] = ['b(1);\na(2);', "import { a } from 'a';\nimport { b } from 'b';"]
    expect(seen(turn).map(({ newString }) => newString)).toEqual([code, imports, imports, code])
    expect(turn.outputs).toEqual(Array.from({ length: 4 }, () => 'Edit applied successfully.'))
  })
}

story(
  'an edit whose place the host finds loosely is corrected, and costs no other its correction',
  async () => {
    const text = 'a = 1;\nf( b );\nc = 3;\n'
    const edits: Array<[string, string]> = [['a = 1;', 'a=2'], ['f(  b  );', 'd=4\ne=5'], ['c = 3;', 'c=6']]
    const editAll = async (config: Record<string, unknown>, file: string) => {
      const { project, session } = await startBeside(config, { [file]: text })
      return session.turn('go', edits.map((texts) => edit(project, file, ...texts)))
    }
    // Of a file that the host's formatter leaves alone nothing is reported.
    const [turn, other] = await Promise.all([
      editAll(WITH_COMMAND, 'loose.js'),
      editAll(SETTINGS[0]![1], 'loose.txt'),
    ])
    expect(seenTexts(turn)).toEqual(['a = 2;', 'd = 4;\ne = 5;', 'c = 6;'])
    expect(seen(turn)[1]!.oldString).toBe('f(  b  );')
    expect(seenTexts(other)).toEqual(edits.map(([, newString]) => newString))
    for (const { outputs } of [turn, other]) {
      expect(outputs).toEqual(edits.map(() => 'Edit applied successfully.'))
    }
  },
)

story(
  'what a later call of the message removes stays on lines of its own in the calls before it',
  async () => {
    const texts = { 'gone.js': 'a=1\n\nb=2\n\nc=3\n', 'top.js': 'b=2\n\na=1\nc=3\n' }
    const { project, session } = await startBeside(WITH_COMMAND)
    const turn = await session.turn(
      'go',
      Object.entries(texts).flatMap((
        [name, text],
      ) => [write(project, name, text), edit(project, name, 'b=2', '')]),
    )
    expect(seenTexts(turn)).toEqual(['a = 1;\nb=2\nc = 3;\n', '', 'b=2\na = 1;\nc = 3;\n', ''])
    for (const output of turn.outputs) expect(output).toMatch(/^[^\n]+$/)
  },
)

story('a file that an edit makes is corrected, also with a second edit', async () => {
  const { project, session } = await startBeside(WITH_COMMAND)
  const turn = await session.turn('go', [
    edit(project, 'made/one.js', '', 'a=1\n'),
    edit(project, 'made/two.js', '', 'a=1\n'),
    edit(project, 'made/two.js', 'a=1', 'a=2\nb=3'),
  ])
  expect(seenTexts(turn)).toEqual(['a = 1;\n', 'a=1\n', 'a = 2;\nb = 3;'])
  expect(turn.outputs).toEqual(Array.from({ length: 3 }, () => 'Edit applied successfully.'))
  expect(await project.read('made/two.js')).toBe('a = 2;\nb = 3;\n')
})

for (const [name, config] of SETTINGS) {
  story(
    `what another session changes before a call, and after its request, is reported: ${name}`,
    async () => {
      const { project } = await startBeside(config, { 'between.js': 'a=1\nb = 1;\nc=1\n' })
      const [session, other] = [await project.session(), await project.session()]
      const turn = await session.turn('go', read(project, 'between.js'), async () => {
        await other.turn('go', edit(project, 'between.js', 'a=1', 'a=2'))
        return [edit(project, 'between.js', 'b = 1;', 'b=2'), edit(project, 'between.js', 'b=2', 'b=3')]
      })
      expect(await project.read('between.js')).toBe('a = 2;\nb = 3;\nc = 1;\n')
      expect(seenTexts(turn, 'between.js').slice(1)).toEqual(['b=2', 'b = 3;'])
      expect(notesOn(turn, 'between.js').slice(1)).toEqual([
        '',
        'between.js was formatted and differs from what you saw:\n@@ -1,3 +1,3 @@\n-a=1\n+a = 2;\n b = 3;\n-c=1\n+c = 1;',
      ])
    },
  )
}

story('what a formatter restores or removes is reported', async () => {
  const old = 'one = 1;\n\ntwo = 2;\n\nthree = 3;\n'
  const { project, session } = await startBeside(WITH_COMMAND, { 'lost.js': old })
  const texts: Array<string> = []
  const noted = () => void texts.push(readFileSync(project.path('lost.js'), 'utf8'))
  const turn = await session.turn(
    'go',
    edit(project, 'lost.js', 'three = 3;', 'three = 3;\none = 1;'),
    () => (noted(), edit(project, 'lost.js', 'two = 2;\n\n', '\n\n')),
    () => (noted(), edit(project, 'lost.js', 'one = 1;', '')),
    () => (noted(), 'Done.'),
  )
  expect(texts).toEqual([old, 'one = 1;\n\nthree = 3;\n', '\nthree = 3;\n'])
  expect(notesOn(turn, 'lost.js')).toEqual([
    'lost.js was formatted and differs from what you saw:\n@@ -5,2 +5,1 @@\n three = 3;\n-one = 1;',
    // A call that can say what is gone says it.
    '',
    // A blank line that went is not worth a note.
    '',
  ])
  expect(seen(turn)[1]!.newString).toBe('')
})

story('blank lines that went untold are found by the next call, whatever else was reported', async () => {
  const { project, session } = await startBeside(WITH_COMMAND, {
    'imports.mjs': IMPORTS,
    'blank.ts': 'b(1);\n\n\nb(2);\n',
  })
  const turn = await session.turn(
    'go',
    edit(project, 'blank.ts', 'b(1);', "b(1);\nimport { gone } from 'g'\nb(3)"),
    edit(project, 'blank.ts', 'b(1);\nb(3);\n\n\nb(2);', 'b(4)'),
  )
  expect(seen(turn)[0]!.newString).toBe('b(1);\nb(3);')
  expect(turn.outputs).toEqual([
    "Edit applied successfully.\n\nblank.ts was formatted, which dropped words from:\nimport { gone } from 'g'",
    'Edit applied successfully.',
  ])
  expect(await project.read('blank.ts')).toBe('b(4);\n')
})
