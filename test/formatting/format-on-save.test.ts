import { expect } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { compileDprintPlugin, DPRINT, DPRINT_FILES } from '../harness/dprint.ts'
import { CHECKOUT, type Project, sharedHost } from '../harness/host.ts'
import { logged } from '../harness/log.ts'
import { story } from '../harness/story.ts'
import { argsIn, edit, noteBelow, seen, seenTexts, startBeside, stored, write } from './session.ts'

compileDprintPlugin()

const SPACES = "sed -i 's/ *= */ = /'"

const FORMAT_ON_SAVE = {
  '*.ts': DPRINT,
  'fails.js': 'echo spoilt > {path}; echo first; echo "the reason" >&2; exit 3',
  'empties.js': ': > {path}',
  'removes.js': 'rm {path}',
  'links.js': ': > blank; ln -sf blank {path}',
  '*.js': `${SPACES} "{path}"`,
  // Each statement on a line of its own.
  '*.words': "sed -i 's/; *\\(.\\)/;\\n\\1/g' {path}",
  '*.crlf': "sed -i 's/ *= */ = /; s/\\r*$/\\r/' $FILE",
}

const command = [process.execPath, join(import.meta.dirname, 'language-server.mjs')]

const CONFIG = {
  lsp: { words: { command, extensions: ['.words'] } },
  plugin: [[CHECKOUT, { format_on_save: FORMAT_ON_SAVE }]],
}

/** A session in the project for whose files SAT has commands. */
const start = (files: Record<string, string> = {}) => startBeside(CONFIG, { ...DPRINT_FILES, ...files })

/** The file with its byte-order mark. */
const bytesOf = (project: Project, file: string): string => readFileSync(project.path(file), 'utf8')

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

story('what no argument can hold is reported in the result, and the arguments stay', async () => {
  const { project, session } = await start({
    'imports.ts': "import { a } from 'a';\nimport { c } from 'c';\na(c);\n",
    'all.ts': "const a = X;\nconst b = ['a long word', 'another long word', 'a third long word', X];\n",
    'old.ts': 'const  one = 1\nconst two = 2\n',
  })
  const turn = await session.turn(
    'go',
    [
      edit(project, 'imports.ts', "import { a } from 'a';", "import { a } from 'a';\nimport {d} from 'd'"),
      edit(project, 'all.ts', 'X', "{key: 'a value'}", { replaceAll: true }),
      edit(project, 'old.ts', 'two = 2', 'two=3'),
    ],
    edit(project, 'old.ts', 'const one = 1;\n', ''),
    edit(project, 'old.ts', 'two = 3;', 'two=3'),
  )
  const differs = 'was formatted and differs from what you saw:\n'
  expect(seenTexts(turn)).toEqual([
    "import { a } from 'a';\nimport {d} from 'd'",
    "{key: 'a value'}",
    'two = 3;',
    '',
    'two=3',
  ])
  expect(seen(turn).at(-1)!.oldString).toBe('two = 3;')
  expect(turn.outputs.map(noteBelow)).toEqual([
    `imports.ts ${differs}@@ -1,4 +1,4 @@\n import { a } from 'a';\n-import {d} from 'd'\n import { c } from 'c';\n+import { d } from 'd';\n a(c);`,
    expect.stringContaining("+const a = { key: 'a value' };"),
    `old.ts ${differs}@@ -1,2 +1,2 @@\n-const  one = 1\n+const one = 1;\n const two = 3;`,
    '',
    expect.stringContaining('-const two=3\n+const two = 3;'),
  ])
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

story("line ends and byte-order marks are the file's own", async () => {
  const { project, session } = await start({
    'a.crlf': 'a = 1\r\nb = 2\r\n',
    'bom.js': '\uFEFFa = 1\nb = 2\n',
  })
  const turn = await session.turn(
    'go',
    [
      edit(project, 'a.crlf', 'a = 1\nb = 2', 'a=1\nc=3'),
      edit(project, 'bom.js', 'b = 2', 'c=3'),
      write(project, 'b.crlf', 'x=1\n'),
    ],
    (request) => [
      edit(project, 'a.crlf', argsIn(request)[0]!.newString!, 'd=4'),
      write(project, 'bom.js', 'd=4\n'),
    ],
  )
  expect(bytesOf(project, 'a.crlf')).toBe('d = 4\r\n')
  expect(bytesOf(project, 'bom.js')).toBe('\uFEFFd = 4\n')
  expect(seenTexts(turn))
    .toEqual(['a = 1\r\nc = 3', 'c = 3', 'x = 1\r\n', 'd = 4', 'd = 4\n'])
})

const LAYOUTS: Record<string, (text: string) => string> = {
  'CRLF.js': (text) => text.replaceAll('\n', '\r\n'),
  'a byte-order mark.js': (text) => `\uFEFF${text}`,
  'no line end at the end.js': (text) => text.trimEnd(),
  'tabs.js': (text) => text.replaceAll('  ', '\t'),
  'other alphabets.js': (text) => text.replaceAll('value', '値段é👩‍👧'),
}

story('several messages on files of other layouts, with other calls between them', async () => {
  const before = 'if (value) {\n  value = 1;\n}\nvalue = 2;\n'
  const all = Object.entries(LAYOUTS).map(([name, as]) => ({
    name,
    as,
    text: as(before),
    word: as('value').replace('\uFEFF', ''),
  }))
  const { project, session } = await start(Object.fromEntries(all.map(({ name, text }) => [name, text])))
  const turn = await session.turn(
    'go',
    [
      ...all.flatMap(({ name, word }) => [
        edit(project, name, `${word} = 1;`, `${word}=3;\n${word}=4;`),
        edit(project, name, `${word}=4;`, `${word}=5;`),
      ]),
      write(project, 'between.js', 'y=2\n'),
    ],
    edit(project, 'between.js', 'y = 2', 'y=3'),
    (request) =>
      all.map(({ name, word }) => edit(project, name, argsIn(request, name)[1]!.newString!, `${word}=6;`)),
  )
  for (const output of turn.outputs) expect(output).toMatch(/^(Wrote file|Edit applied)/)
  for (const { name, as, text, word } of all) {
    const lines = as(`${word} = 3;\n${word} = 6;`).replace('\uFEFF', '')
    expect(bytesOf(project, name)).toBe(text.replace(`${word} = 1;`, lines))
    expect(seenTexts(turn, name).at(-1)).toBe(`${word} = 6;`)
  }
  expect(await stored(session)).toEqual(seen(turn))
})

/** The errors that a text has, as the language server of the stories finds them and the host writes them. */
const errorsIn = (text: string): Array<string> =>
  text.split('\n').flatMap((line, index) =>
    [...line.matchAll(/WRONG\w*/g)].map((found) =>
      `ERROR [${index + 1}:${found.index + 1}] ${found[0]} is wrong`
    )
  )

const errorsSaid = (output: string): Array<string> => output.match(/^ERROR .*$/gm) ?? []

story('errors of language servers name the lines of the formatted file', async () => {
  const { project, session } = await start()
  const turn = await session.turn(
    'go',
    write(project, 'a.words', 'a; b; WRONG;\nc; WRONGER;\n'),
    edit(project, 'a.words', 'c;', 'c; d; WRONGEST;'),
  )
  const text = await project.read('a.words')
  expect(errorsSaid(turn.outputs[0]!)).toEqual(['ERROR [3:1] WRONG is wrong', 'ERROR [5:1] WRONGER is wrong'])
  expect(errorsSaid(turn.outputs[1]!)).toEqual(errorsIn(text))
  const { diagnostics } = turn.tools[1]!.state.metadata as {
    diagnostics: Record<string, Array<{ range: { start: { line: number } }; message: string }>>
  }
  const lines = text.split('\n')
  for (const { range, message } of diagnostics[project.path('a.words')]!) {
    expect(`${lines[range.start.line]!.replace(';', '')} is wrong`).toBe(message)
  }
})
