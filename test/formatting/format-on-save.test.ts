import { expect } from 'bun:test'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { compileDprintPlugin, DPRINT, DPRINT_FILES } from '../harness/dprint.ts'
import { CHECKOUT, type Project, sharedHost, type Turn } from '../harness/host.ts'
import { logged } from '../harness/log.ts'
import { type Call, type ModelRequest, textOf } from '../harness/model.ts'
import { story } from '../harness/story.ts'
import { argsIn, edit, seen, seenTexts, startBeside, stored, write } from './session.ts'

compileDprintPlugin()

const require = createRequire(import.meta.url)
const PRETTIER = join(dirname(require.resolve('prettier/package.json')), 'bin/prettier.cjs')

const SPACES = "sed -i 's/ *= */ = /'"

const FORMAT_ON_SAVE = {
  '*.ts': DPRINT,
  'fails.js': 'echo spoilt > {path}; echo first; echo "the reason" >&2; exit 3',
  'empties.js': ': > {path}',
  'removes.js': 'rm {path}',
  'links.js': ': > blank; ln -sf blank {path}',
  'comment.js': `node '${PRETTIER}' --write {path}`,
  '*.js': `${SPACES} "{path}"`,
  // Each statement on a line of its own.
  '*.words': "sed -i 's/; *\\(.\\)/;\\n\\1/g' {path}",
  '*.crlf': "sed -i 's/ *= */ = /; s/\\r*$/\\r/' $FILE",
}

const lsp = {
  words: {
    command: [process.execPath, join(import.meta.dirname, 'language-server.mjs')],
    extensions: ['.words'],
  },
}

/** A session in the project for whose files SAT has commands. */
const start = (files: Record<string, string> = {}) =>
  startBeside({ lsp, plugin: [[CHECKOUT, { format_on_save: FORMAT_ON_SAVE }]] }, {
    ...DPRINT_FILES,
    ...files,
  })

/** The file with its byte-order mark. */
const bytesOf = (project: Project, file: string): string => readFileSync(project.path(file), 'utf8')

const resultIn = ({ messages }: ModelRequest): string =>
  textOf(messages.findLast(({ role }) => role === 'tool')!)

const expectApplied = (turn: Turn): void => {
  for (const output of turn.outputs) expect(output).toMatch(/^(Wrote file|Edit applied)/)
}

const UGLY = 'import {b} from "b"\nimport {a} from "a"\nfunction f(){\n    return {one:1,two:"2"}\n}\n'

story(
  'what the model wrote and edited reads as the formatter left it, in the next request and for good',
  async () => {
    const { project, session } = await start()
    const turn = await session.turn(
      'go',
      write(project, 'x.ts', UGLY),
      (request) => {
        const { content } = argsIn(request).at(-1)!
        expect(content).toBe(readFileSync(project.path('x.ts'), 'utf8'))
        // The model edits from what it now believes.
        return edit(
          project,
          'x.ts',
          content!.split('\n')[3]!,
          '    return {one:1,two:"2",three:[1,2,3]}\n    //done',
        )
      },
      (request) => {
        const { oldString, newString } = argsIn(request).at(-1)!
        expect(oldString).toBe("  return { one: 1, two: '2' };")
        expect(newString).toBe("  return { one: 1, two: '2', three: [1, 2, 3] };\n  // done")
        return edit(project, 'x.ts', newString!.split('\n')[1]!, '  // DONE\n  f ( )')
      },
      (request) => edit(project, 'x.ts', argsIn(request).at(-1)!.newString!, '  g("x")'),
    )
    const text = await project.read('x.ts')
    expect(text).toBe(
      "import { a } from 'a';\nimport { b } from 'b';\nfunction f() {\n  return { one: 1, two: '2', three: [1, 2, 3] };\n  g('x');\n}\n",
    )
    expect(turn.outputs).toEqual([
      'Wrote file successfully.',
      ...Array.from({ length: 3 }, () => 'Edit applied successfully.'),
    ])
    expect(seen(turn).at(-1)!.newString).toBe("  g('x');")
    expect(await stored(session)).toEqual(seen(turn))
    const { metadata } = turn.tools[1]!.state
    expect(metadata).toMatchObject({
      diff: expect.stringContaining("+  return { one: 1, two: '2', three: [1, 2, 3] };\n+  // done\n"),
      filediff: { additions: 2, deletions: 1, patch: expect.stringContaining('+  // done\n') },
    })
  },
)

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
  const [sorted, replaced, beside, removed, takenBack] = turn.tools.map(({ state }) => state)
  expect(sorted!.input['newString']).toBe("import { a } from 'a';\nimport {d} from 'd'")
  expect(sorted!.output).toContain(
    "imports.ts was formatted and differs from what you saw:\n@@ -1,4 +1,4 @@\n import { a } from 'a';\n-import {d} from 'd'\n import { c } from 'c';\n+import { d } from 'd';\n",
  )
  expect(replaced!.input['newString']).toBe("{key: 'a value'}")
  expect(replaced!.output).toContain("+const a = { key: 'a value' };")
  expect(beside!.input['newString']).toBe('two = 3;')
  expect(beside!.output).toBe(
    'Edit applied successfully.\n\nold.ts was formatted and differs from what you saw:\n@@ -1,2 +1,2 @@\n-const  one = 1\n+const one = 1;\n const two = 3;',
  )
  expect(takenBack).toMatchObject({
    output: expect.stringContaining('-const two=3\n+const two = 3;'),
    input: { oldString: 'two = 3;', newString: 'two=3' },
  })
  expect(removed).toMatchObject({ output: 'Edit applied successfully.', input: { newString: '' } })
})

story(
  'a formatter that empties, removes or links the file leaves what the model wrote; each failure is reported and logged',
  async () => {
    const { project, session } = await start()
    const names = ['fails.js', 'empties.js', 'removes.js', 'links.js']
    const turn = await session.turn(
      'go',
      names.map((name) => write(project, name, 'mine=1\n')),
      [edit(project, 'removes.js', 'mine=1', 'mine=2\ny=2'), edit(project, 'removes.js', 'y=2', 'y=3')],
    )
    const removed = expect.stringContaining('removes.js was not formatted: `rm {path}` removed the file')
    expect(turn.outputs.map((output) => output.split('\n')[2])).toEqual([
      expect.stringMatching(/^fails.js was not formatted: `echo spoilt .*` failed \(status 3\):$/),
      'empties.js was not formatted: `: > {path}` emptied the file.',
      removed,
      expect.stringContaining('or left a link, no text or more than 10 MB in its place.'),
      undefined,
      removed,
    ])
    expect(turn.outputs.slice(1).join()).not.toContain('differs')
    expect(turn.outputs[0]).toEndWith(
      'first\nthe reason\n\nfails.js now differs from what you saw:\n@@ -1,1 +1,1 @@\n-mine=1\n+spoilt',
    )
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
  },
)

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

story(
  'a comment that prettier lets jump over a token is shown, and is neither lost nor there twice',
  async () => {
    const old = 'const a = b ? d : // old\n  e;\nfunction f() {\n  return g;\n}\n'
    const { project, session } = await start({ 'comment.js': old })
    const turn = await session.turn(
      'go',
      edit(project, 'comment.js', 'd : // old', 'd : // new'),
      (request) => {
        expect(argsIn(request).at(-1)).toMatchObject({ oldString: 'd : // old', newString: 'd // new\n  :' })
        expect(resultIn(request)).toContain('+const a = b\n+  ? d // new\n+  : e;')
        return edit(project, 'comment.js', '  ? d // new\n  : e;', '  ? d // newer\n  : e;')
      },
      edit(project, 'comment.js', 'function f()', 'function f() // why\n'),
      (request) => {
        expect(argsIn(request, 'comment.js').at(-1)!.newString + resultIn(request)).toContain('// why')
        return edit(project, 'comment.js', '  // why\n', '')
      },
    )
    expectApplied(turn)
    expect(await project.read('comment.js')).toBe(
      'const a = b\n  ? d // newer\n  : e;\nfunction f() {\n  return g;\n}\n',
    )
  },
)

const LAYOUTS: Array<[string, (text: string) => string]> = [
  ['CRLF.js', (text) => text.replaceAll('\n', '\r\n')],
  ['a byte-order mark.js', (text) => `\uFEFF${text}`],
  ['no line end at the end.js', (text) => text.trimEnd()],
  ['tabs.js', (text) => text.replaceAll('  ', '\t')],
  ['other alphabets.js', (text) => text.replaceAll('value', '値段é👩‍👧')],
]

/** Makes calls of what it says on each of the files. */
const onEach = (calls: (name: string, word: string) => Array<Call>): Array<Call> =>
  LAYOUTS.flatMap(([name, as]) => calls(name, as('value').replace('\uFEFF', '')))

story('several messages on files of other layouts, with other calls between them', async () => {
  const before = 'if (value) {\n  value = 1;\n}\nvalue = 2;\n'
  const { project, session } = await start(
    Object.fromEntries(LAYOUTS.map(([name, as]) => [name, as(before)])),
  )
  const turn = await session.turn(
    'go',
    [
      ...onEach((name, word) => [
        edit(project, name, `${word} = 1;`, `${word}=3;\n${word}=4;`),
        edit(project, name, `${word}=4;`, `${word}=5;`),
      ]),
      write(project, 'between.js', 'y=2\n'),
    ],
    edit(project, 'between.js', 'y = 2', 'y=3'),
    (request) =>
      onEach((name, word) => [edit(project, name, argsIn(request, name)[1]!.newString!, `${word}=6;`)]),
  )
  expectApplied(turn)
  for (const [name, as] of LAYOUTS) {
    const word = as('value').replace('\uFEFF', '')
    const lines = as(`${word} = 3;\n${word} = 6;`).replace('\uFEFF', '')
    expect(bytesOf(project, name)).toBe(as(before).replace(`${word} = 1;`, lines))
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
