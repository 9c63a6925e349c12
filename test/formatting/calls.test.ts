import { expect } from 'bun:test'
import { CHECKOUT, type Project, type Turn } from '../harness/host.ts'
import { textOf } from '../harness/model.ts'
import { story } from '../harness/story.ts'
import { edit, seen, startBeside, stored, write } from './session.ts'

const TIDY = [
  `sed -i 's/ *= */ = /; /[a-z]/s/;*$/;/' "$1"`,
  // No two blank lines, no line twice.
  `cat -s "$1" | awk '!/[a-z]/ || !seen[$0]++' > "$1.tidy"`,
  'cat "$1.tidy" > "$1"; rm "$1.tidy"',
].join(' && ')

const formatter = { tidy: { command: ['sh', '-c', TIDY, 'sh', '$FILE'], extensions: ['.js'] } }

/** SAT with the host's own formatter, and with a command of its own. */
const SETTINGS: Array<[string, Record<string, unknown>]> = [
  ["the host's formatter", { plugin: [CHECKOUT], formatter }],
  ['a command', {
    plugin: [[CHECKOUT, {
      format_on_save: { '*.js': TIDY.replaceAll('"$1"', '{path}').replaceAll('"$1.tidy"', '{path}.tidy') },
    }]],
  }],
]

/** What the calls that a model is shown make of a text, one after the other; an old text must be there once. */
const madeBy = (turn: Turn, text: string): string =>
  seen(turn).reduce((now, { content, oldString, newString }) => {
    if (content !== undefined) return content
    expect(now.split(oldString!)).toHaveLength(2)
    return now.replace(oldString!, () => newString!)
  }, text)

const notesOf = (turn: Turn): Array<string> =>
  turn.outputs.map((output) => output.split('\n').slice(2).join('\n'))

for (const [name, config] of SETTINGS) {
  story(`a call of a message finds the text that two before it made: ${name}`, async () => {
    const { project, session } = await startBeside(config)
    const turn = await session.turn('go', [
      write(project, 'found.js', 'a=1\nb=2\n'),
      edit(project, 'found.js', 'a=1', 'a=1\nc=1'),
      edit(project, 'found.js', 'b=2', 'b=3'),
      edit(project, 'found.js', 'c=1\nb=3', 'd=4'),
    ])
    expect(turn.outputs.at(-1)).toStartWith('Edit applied successfully.')
    expect(await project.read('found.js')).toBe('a = 1;\nd = 4;\n')
    expect(seen(turn).at(-1)).toMatchObject({ oldString: 'c=1\nb=3', newString: 'd = 4;' })
  })

  story(`several calls of one message on one file make, as they are shown, the file: ${name}`, async () => {
    const { project, session } = await startBeside(config)
    const turn = await session.turn('go', [
      write(project, 'several.js', 'a=1\nb=2\nc=3\n'),
      edit(project, 'several.js', 'b=2', 'b=4\nd=4'),
      edit(project, 'several.js', 'c=3', 'c=5'),
    ])
    const text = await project.read('several.js')
    expect(text).toBe('a = 1;\nb = 4;\nd = 4;\nc = 5;\n')
    expect(madeBy(turn, '')).toBe(text)
    // The old texts are those that were sent.
    expect(seen(turn).map(({ oldString }) => oldString)).toEqual([undefined, 'b=2', 'c=3'])
    expect(notesOf(turn)).toEqual(['', '', ''])
    expect(await stored(session)).toEqual(seen(turn))
    expect(turn.tools.at(-1)!.state.metadata!['opencode-sat']).toEqual({
      formatted: [project.path('several.js')],
      corrected: true,
    })
  })

  story(
    `a file is reported once a message, by its lines at the end of the message: ${name}`,
    async () => {
      const { project, session } = await startBeside(config, {
        'told.js': 'z=1\n\n\na = 1;\nb = 2;\ny = 2;\n',
      })
      const turn = await session.turn('go', [
        edit(project, 'told.js', 'a = 1;', 'new = 1;\na=2'),
        edit(project, 'told.js', 'b = 2;', 'b=3'),
      ])
      expect(await project.read('told.js')).toBe('z = 1;\n\nnew = 1;\na = 2;\nb = 3;\ny = 2;\n')
      expect(seen(turn).map(({ newString }) => newString)).toEqual(['new = 1;\na = 2;', 'b = 3;'])
      expect(notesOf(turn)).toEqual([
        '',
        'told.js was formatted and differs from what you saw:\n@@ -1,3 +1,2 @@\n-z=1\n+z = 1;\n \n-',
      ])
      const results = turn.requests.at(-1)!.messages.filter(({ role }) => role === 'tool')
      expect(results.map(textOf)).toEqual(turn.outputs)
    },
  )

  story(
    `what a failing call, or another command, leaves of a file is what is reported: ${name}`,
    async () => {
      const { project, session } = await startBeside(config, { 'left.js': 'a=1\nb=1\n' })
      const after = "until grep -q 3 left.js; do sleep 0.1; done; sleep 0.5; sed -i 's/b = 1/b = 2/' left.js"
      const turn = await session.turn(
        'go',
        { tool: 'read', args: { filePath: project.path('left.js') } },
        [edit(project, 'left.js', 'a=1', 'a=2'), edit(project, 'left.js', 'is not there', 'c=1')],
        [
          edit(project, 'left.js', 'a = 2;', 'a=3'),
          { tool: 'bash', args: { command: after, description: 'changes it' } },
        ],
      )
      const note = 'left.js was formatted and differs from what you saw:\n@@ -1,2 +1,2 @@\n'
      expect(notesOf(turn).slice(1).filter(Boolean)).toEqual([
        `${note} a = 2;\n-b=1\n+b = 1;`,
        `${note} a = 3;\n-b = 1;\n+b = 2;`,
      ])
      expect(await project.read('left.js')).toBe('a = 3;\nb = 2;\n')
    },
  )
}

const told = async (project: Project, turn: Turn): Promise<{ text: string; notes: Array<string> }> => ({
  text: await project.read('lost.js'),
  notes: notesOf(turn),
})

story('what a formatter restores or removes is reported', async () => {
  const files = { 'lost.js': 'one = 1;\n\ntwo = 2;\n\nthree = 3;\n' }
  const { project, session } = await startBeside(SETTINGS[1]![1], files)
  const duplicate = await session.turn('go', edit(project, 'lost.js', 'three = 3;', 'three = 3;\none = 1;'))
  expect(await told(project, duplicate)).toEqual({
    text: files['lost.js'],
    notes: [
      'lost.js was formatted and differs from what you saw:\n@@ -5,2 +5,1 @@\n three = 3;\n-one = 1;',
    ],
  })
  // A call that can say what is gone says it.
  const blank = await session.turn('go', edit(project, 'lost.js', 'two = 2;\n\n', '\n\n'))
  expect(await told(project, blank)).toEqual({ text: 'one = 1;\n\nthree = 3;\n', notes: [''] })
  expect(seen(blank).at(-1)!.newString).toBe('')
  const beside = await session.turn('go', edit(project, 'lost.js', 'one = 1;', ''))
  expect(await told(project, beside)).toMatchObject({
    text: '\nthree = 3;\n',
    // A blank line that went is not worth a note.
    notes: [''],
  })
})

/** Removes each import whose name nothing uses, sorts the others to the head, and ends each line with a semicolon. */
const IMPORTS = `import { readFileSync, writeFileSync } from 'node:fs'
const path = process.argv[2]
const lines = readFileSync(path, 'utf8').split('\\n').filter((line) => line !== '')
const imports = lines.filter((line) => line.startsWith('import'))
const rest = lines.filter((line) => !line.startsWith('import'))
const isUsed = (line) => rest.some((one) => one.includes(/{ *(\\w+) *}/.exec(line)[1]))
const all = [...imports.filter(isUsed).sort(), ...rest]
writeFileSync(path, all.map((line) => line.replace(/;*$/, ';') + '\\n').join(''))
`

const IMPORT_SETTINGS: Array<[string, Record<string, unknown>]> = [
  ["the host's formatter", {
    plugin: [CHECKOUT],
    formatter: { imports: { command: ['node', 'imports.mjs', '$FILE'], extensions: ['.js'] } },
  }],
  ['a command', { plugin: [[CHECKOUT, { format_on_save: { '*.js': 'node imports.mjs {path}' } }]] }],
]

for (const [name, config] of IMPORT_SETTINGS) {
  story(`code and its import, in either order, lose nothing to a formatter of imports: ${name}`, async () => {
    const text = "import { b } from 'b';\nb(1);\n"
    const { project, session } = await startBeside(config, {
      'imports.mjs': IMPORTS,
      'code.js': text,
      'import.js': text,
    })
    const addsImport = (file: string) =>
      edit(project, file, "import { b } from 'b';", "import { b } from 'b';\nimport { a } from 'a'")
    const addsCode = (file: string) => edit(project, file, 'b(1);', 'b(1);\na(2)')
    const turn = await session.turn(
      'go',
      [addsCode('code.js'), addsImport('code.js')],
      [addsImport('import.js'), addsCode('import.js')],
    )
    const formatted = "import { a } from 'a';\nimport { b } from 'b';\nb(1);\na(2);\n"
    for (const file of ['code.js', 'import.js']) expect(await project.read(file)).toBe(formatted)
    const [code, imports] = ['b(1);\na(2);', "import { a } from 'a';\nimport { b } from 'b';"]
    expect(seen(turn).map(({ newString }) => newString)).toEqual([code, imports, imports, code])
    expect(notesOf(turn)).toEqual(['', '', '', ''])
  })
}

story('blank lines that went untold are found by the next call, whatever else was reported', async () => {
  const { project, session } = await startBeside(IMPORT_SETTINGS[1]![1], {
    'imports.mjs': IMPORTS,
    'blank.js': 'b(1);\n\n\nb(2);\n',
  })
  const turn = await session.turn(
    'go',
    edit(project, 'blank.js', 'b(1);', "b(1);\nimport { gone } from 'g'\nb(3)"),
    edit(project, 'blank.js', 'b(1);\nb(3);\n\n\nb(2);', 'b(4)'),
  )
  expect(seen(turn)[0]!.newString).toBe('b(1);\nb(3);')
  expect(turn.outputs).toEqual([
    "Edit applied successfully.\n\nblank.js was formatted, which dropped words from:\nimport { gone } from 'g'",
    'Edit applied successfully.',
  ])
  expect(await project.read('blank.js')).toBe('b(4);\n')
})
