import { expect } from 'bun:test'
import { readFileSync } from 'node:fs'
import { compileDprintPlugin, DPRINT, DPRINT_PLUGIN } from '../harness/dprint.ts'
import { CHECKOUT, type Project, sharedHost } from '../harness/host.ts'
import { logged } from '../harness/log.ts'
import { story } from '../harness/story.ts'
import { argsIn, edit, seen, seenTexts, startBeside, stored, write } from './session.ts'

/** The project's own formatter settings. */
const DPRINT_CONFIG = JSON.stringify({
  lineWidth: 80,
  indentWidth: 2,
  typescript: { quoteStyle: 'preferSingle', 'module.sortImportDeclarations': 'caseInsensitive' },
  plugins: [DPRINT_PLUGIN],
})

compileDprintPlugin()

const SPACES = "sed -i 's/ *= */ = /'"

const FORMAT_ON_SAVE = {
  '*.ts': DPRINT,
  'fails.js': 'echo spoilt > {path}; echo first; echo "the reason" >&2; exit 3',
  'empties.js': ': > {path}',
  'removes.js': 'rm {path}',
  'all/**/*.js': `printf 'run\\n' >> runs.txt; ${SPACES} all/*.js`,
  '*.js': `${SPACES} "{path}"`,
  '*.crlf': "sed -i 's/ *= */ = /; s/\\r*$/\\r/' $FILE",
}

/** A session in the project for whose files SAT has commands. */
const start = (files: Record<string, string> = {}) =>
  startBeside({ plugin: [[CHECKOUT, { format_on_save: FORMAT_ON_SAVE }]] }, {
    'dprint.json': DPRINT_CONFIG,
    ...files,
  })

/** The file with its byte-order mark. */
const bytesOf = (project: Project, file: string): string => readFileSync(project.path(file), 'utf8')

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

story('two calls of one message on one file, and two files at once', async () => {
  const { project, session } = await start({ 'p.ts': 'const a = 1;\nconst b = 2;\nconst c = 3;\n' })
  const turn = await session.turn(
    'go',
    [
      edit(project, 'p.ts', 'const a = 1;', 'const a=[1,"1"]'),
      edit(project, 'p.ts', 'const c = 3;', 'const c={c:3}'),
    ],
    [write(project, 'q.ts', 'let q="q"'), write(project, 'r.ts', 'let r="r"')],
  )
  expect(await project.read('p.ts')).toBe("const a = [1, '1'];\nconst b = 2;\nconst c = { c: 3 };\n")
  expect(seenTexts(turn)).toEqual([
    "const a = [1, '1'];",
    'const c = { c: 3 };',
    "let q = 'q';\n",
    "let r = 'r';\n",
  ])
  expect(turn.outputs).toEqual([
    ...Array.from({ length: 2 }, () => 'Edit applied successfully.'),
    ...Array.from({ length: 2 }, () => 'Wrote file successfully.'),
  ])
  expect(await stored(session)).toEqual(seen(turn))

  // A failing call delays none, and what two calls did to one text is reported.
  const after = await session.turn('go', [
    edit(project, 'p.ts', 'not there', 'x'),
    edit(project, 'p.ts', 'const b = 2;', 'const b=3'),
  ], [write(project, 's.ts', 'let s="s"\nlet t'), edit(project, 's.ts', '"s"', '"S"')])
  expect(after.outputs[0]).toContain('Could not find oldString')
  expect(after.outputs[1]).toBe('Edit applied successfully.')
  expect(await project.read('s.ts')).toBe("let s = 'S';\nlet t;\n")
  // Each is what makes the file of what the one before it says.
  expect(seenTexts(after).slice(-2)).toEqual(['let s = "s"\nlet t;\n', "'S';"])
  expect(after.outputs.slice(2)).toEqual(['Wrote file successfully.', 'Edit applied successfully.'])
})

story('what no argument can hold is reported in the result, and the arguments stay', async () => {
  const { project, session } = await start({
    'imports.ts': "import { a } from 'a';\nimport { c } from 'c';\na(c);\n",
    'all.ts': "const a = X;\nconst b = ['a long word', 'another long word', 'a third long word', X];\n",
    'old.ts': 'const  one = 1\nconst two = 2\n',
  })
  const turn = await session.turn(
    'go',
    edit(project, 'imports.ts', "import { a } from 'a';", "import { a } from 'a';\nimport {d} from 'd'"),
    edit(project, 'all.ts', 'X', "{key: 'a value'}", { replaceAll: true }),
    edit(project, 'old.ts', 'two = 2', 'two=3'),
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
  'a formatter that empties or removes the file leaves what the model wrote; each failure is reported and logged',
  async () => {
    const { project, session } = await start()
    const names = ['fails.js', 'empties.js', 'removes.js']
    const turn = await session.turn('go', names.map((name) => write(project, name, 'mine=1\n')), 'done')
    expect(turn.outputs.map((output) => output.split('\n')[2])).toEqual([
      expect.stringMatching(/^fails.js was not formatted: `echo spoilt .*` failed \(status 3\):$/),
      'empties.js was not formatted: `: > {path}` emptied the file.',
      expect.stringContaining('removes.js was not formatted: `rm {path}` removed the file'),
    ])
    expect(turn.outputs[0]).toEndWith(
      'first\nthe reason\n\nfails.js was formatted and differs from what you saw:\n@@ -1,1 +1,1 @@\n-mine=1\n+spoilt',
    )
    // What a formatter left that ended by itself may be what a person saved.
    const left = ['spoilt\n', 'mine=1\n', 'mine=1\n']
    for (const [index, name] of names.entries()) expect(await project.read(name)).toBe(left[index]!)
    expect(seenTexts(turn)).toEqual(names.map(() => 'mine=1\n'))
    expect(turn.tools[0]!.state.metadata!['opencode-sat']).toMatchObject({
      failed: [{ command: expect.stringContaining('echo spoilt'), why: 'failed (status 3)' }],
    })
    expect(await logged(await sharedHost(), project.path('fails.js'), 'WARN', 'status 3')).toEqual([
      expect.stringContaining('the reason'),
    ])
  },
)

story('a hostile file name is only a name', async () => {
  const { project, session } = await start()
  const names = [
    '; touch hacked;.js',
    '$(touch hacked).js',
    "it's `touch hacked`.js",
    'a "b" && c.js',
    '-i.js',
    'two\nlines.js',
    '*.js',
  ]
  const turn = await session.turn('go', names.map((name) => write(project, name, 'x=1\n')), 'done')
  for (const name of names) expect(await project.read(name)).toBe('x = 1\n')
  expect(seenTexts(turn)).toEqual(names.map(() => 'x = 1\n'))
  await expect(project.read('hacked')).rejects.toThrow()
})

story('a whole-project command runs once for files that are written at once', async () => {
  const { project, session } = await start({ 'all/old.js': 'old=1\n' })
  const names = ['all/a.js', 'all/b.js']
  const turn = await session.turn(
    'go',
    names.map((name) => write(project, name, 'x=1\n')),
    (request) => edit(project, 'all/a.js', argsIn(request)[0]!.content!, 'y=2\n'),
  )
  expect(seenTexts(turn)).toEqual([
    'x = 1\n',
    'x = 1\n',
    'y = 2\n',
  ])
  expect(await project.read('all/old.js')).toBe('old = 1\n')
  expect(await project.read('runs.txt')).toBe('run\nrun\n')
})

story("line ends and byte-order marks are the file's own", async () => {
  const { project, session } = await start({
    'a.crlf': 'a = 1\r\nb = 2\r\n',
    'bom.js': '\uFEFFa = 1\nb = 2\n',
  })
  const turn = await session.turn(
    'go',
    edit(project, 'a.crlf', 'a = 1\nb = 2', 'a=1\nc=3'),
    (request) => edit(project, 'a.crlf', argsIn(request)[0]!.newString!, 'd=4'),
    write(project, 'b.crlf', 'x=1\n'),
    edit(project, 'bom.js', 'b = 2', 'c=3'),
    write(project, 'bom.js', 'd=4\n'),
  )
  expect(bytesOf(project, 'a.crlf')).toBe('d = 4\r\n')
  expect(bytesOf(project, 'bom.js')).toBe('\uFEFFd = 4\n')
  expect(seenTexts(turn))
    .toEqual(['a = 1\r\nc = 3', 'd = 4', 'x = 1\r\n', 'c = 3', 'd = 4\n'])
})

const PATCH = [
  '*** Begin Patch',
  '*** Update File: patched.ts',
  '@@',
  ' const a = 1;',
  '-const b = 2;',
  '+const b={two:2}',
  '+const bb = "b"',
  ' const c = 3;',
  '*** Add File: new.ts',
  '+let n="n"',
  '*** Delete File: gone.ts',
  '*** Update File: m.ts',
  '*** Move to: sub/moved.ts',
  '@@',
  '-let m = 1;',
  '+let m={a:"a long property value",b:"another long property value",c:"and the third"}',
  '*** End Patch',
].join('\n')

story('a model that patches sees its added lines as the files have them', async () => {
  const { project, session } = await start({
    'patched.ts': 'const a = 1;\nconst b = 2;\nconst c = 3;\n',
    'm.ts': 'let m = 1;\n',
    'gone.ts': 'let g = 1;\n',
  })
  const turn = await session.turnAs({ model: 'gpt-5.2' }, 'go', {
    tool: 'apply_patch',
    args: { patchText: PATCH },
  })
  const now = PATCH
    .replace('+const b={two:2}\n+const bb = "b"', "+const b = { two: 2 };\n+const bb = 'b';")
    .replace('+let n="n"', "+let n = 'n';")
    .replace(/\+let m=.*/, (await project.read('sub/moved.ts')).trimEnd().replace(/^/gm, '+'))
  expect(seen(turn)).toEqual([{ patchText: now }])
  expect(now.match(/^\+/gm)).toHaveLength(8)
  const { metadata } = turn.tools[0]!.state
  expect(metadata!['files']).toMatchObject([
    { patch: expect.stringContaining('+const b = { two: 2 };'), additions: 2, deletions: 1 },
    { patch: expect.stringContaining("+let n = 'n';"), additions: 1 },
    { type: 'delete' },
    { additions: 5, deletions: 1 },
  ])
  expect(metadata!['diff']).toContain("+let n = 'n';\n")
  expect(metadata!['diff']).not.toContain('"n"')
})

story(
  'of two sections on one file the host applies the last, and a note shows what the file says',
  async () => {
    const { project, session } = await start({
      'twice.ts': 'const a = 1;\nconst b = 2;\nconst bb = 3;\nconst c = 3;\n',
    })
    // The host applies each section of a file to the text before them all.
    const sections = ['-const c = 3;\n+const c=[3]', '-const c = 3;\n+const c=[4]']
      .map((lines) => `*** Update File: twice.ts\n@@\n${lines}\n`)
    const twice = await session.turnAs({ model: 'gpt-5.2' }, 'twice', {
      tool: 'apply_patch',
      args: { patchText: `*** Begin Patch\n${sections.join('')}*** End Patch` },
    })
    expect(await project.read('twice.ts')).toEndWith('const c = [4];\n')
    expect(twice.outputs[0]).toContain('@@ -3,2 +3,2 @@\n const bb = 3;\n-const c=[4]\n+const c = [4];')
  },
)
