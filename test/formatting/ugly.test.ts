/** Format on save where models, files and formatters are ugly: each edit is made from what the last request shows. */
import { expect } from 'bun:test'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { CHECKOUT, type Turn } from '../harness/host.ts'
import { type Call, type ModelRequest, textOf } from '../harness/model.ts'
import { story } from '../harness/story.ts'
import { argsIn, argsOn, edit, patch, seen, startBeside, stored, write } from './session.ts'

const require = createRequire(import.meta.url)
const PRETTIER = join(dirname(require.resolve('prettier/package.json')), 'bin/prettier.cjs')

/** Sorts imports and takes out those that nothing uses, and one of two that are the same. */
const ORGANIZE = `import { readFileSync, writeFileSync } from 'node:fs'
const path = process.argv[2]
const lines = readFileSync(path, 'utf8').split('\\n')
const rest = lines.filter((line) => !line.startsWith('import'))
const used = lines.filter((line) => line.startsWith('import') && rest.join(' ').includes(/import (\\w+)/.exec(line)[1]))
const tidy = [...used.map((line) => line.replace(/;?$/, ';')), ...rest.map((line) => line.replace(/ *= */, ' = '))]
writeFileSync(path, [...new Set(tidy.slice(0, used.length))].sort().concat(tidy.slice(used.length)).join('\\n'))
`

/** A session in the project of these stories; each has files of its own there. */
const start = (files: Record<string, string> = {}) =>
  startBeside({
    plugin: [[CHECKOUT, {
      format_on_save: {
        'comment.js': `node '${PRETTIER}' --write {path}`,
        'imports.js': { command: 'node organize.mjs {path}', when: 'turn' },
        'renamed.js': 'mv {path} renamed.txt',
        '*.js': "sed -i 's/ *= */ = /' {path}",
      },
    }]],
  }, files)

const last = (request: ModelRequest): Record<string, string> => argsIn(request).at(-1)!

const result = (request: ModelRequest): string =>
  textOf(request.messages.findLast(({ role }) => role === 'tool')!)

const expectApplied = (turn: Turn): void => {
  for (const output of turn.outputs) expect(output).toMatch(/^(Wrote file|Edit applied|Success)/)
}

story(
  'a comment that prettier lets jump over a token is shown, and is neither lost nor there twice',
  async () => {
    const old = 'const a = b ? d : // old\n  e;\nfunction f() {\n  return g;\n}\n'
    const { project, session } = await start({ 'comment.js': old })
    const turn = await session.turn(
      'go',
      edit(project, 'comment.js', 'd : // old', 'd : // new'),
      (request) => {
        expect(last(request)).toMatchObject({ oldString: 'd : // old', newString: 'd // new\n  :' })
        expect(result(request)).toContain('+const a = b\n+  ? d // new\n+  : e;')
        return edit(project, 'comment.js', '  ? d // new\n  : e;', '  ? d // newer\n  : e;')
      },
      edit(project, 'comment.js', 'function f()', 'function f() // why\n'),
      (request) => {
        expect(last(request).newString + result(request)).toContain('// why')
        return edit(project, 'comment.js', '  // why\n', '')
      },
    )
    expectApplied(turn)
    expect(await project.read('comment.js')).toBe(
      'const a = b\n  ? d // newer\n  : e;\nfunction f() {\n  return g;\n}\n',
    )
  },
)

story(
  'edits of one message that wait for the end of the turn, where imports are sorted and removed',
  async () => {
    const old = 'import zoo from "zoo";\nlet a = zoo;\nlet b = 2;'
    const { project, session } = await start({ 'organize.mjs': ORGANIZE, 'imports.js': old })
    const turn = await session.turn('go', [
      edit(
        project,
        'imports.js',
        'import zoo from "zoo";',
        'import zoo from "zoo";\nimport bee from "bee"\nimport bee from "bee"',
      ),
      edit(project, 'imports.js', 'let b = 2;', 'let b=bee'),
      edit(
        project,
        'imports.js',
        'import zoo from "zoo";\n',
        'import zoo from "zoo";\nimport unused from "u"\n',
      ),
    ], () => {
      // Once the turn has ended the formatter may begin at any time.
      expect(readFileSync(project.path('imports.js'), 'utf8')).toContain('let b=bee')
      return 'Done.'
    })
    expectApplied(turn)
    const next = await session.turn('more', (request) => {
      const note = request.messages.map(textOf).find((text) => text.includes('was formatted'))!
      expect(note).toContain('+import bee from "bee";\n import zoo from "zoo";\n-import unused from "u"')
      expect(argsIn(request)[1]!.newString).toBe('let b=bee')
      return [
        edit(
          project,
          'imports.js',
          'import bee from "bee";\n',
          'import bee from "bee";\nimport cow from "cow"\n',
        ),
        edit(project, 'imports.js', 'let b = bee', 'let b=[bee,cow]'),
      ]
    })
    expectApplied(next)
    // A request waits for the formatting of the turn before it.
    await session.turn('end')
    expect(await project.read('imports.js')).toBe(
      'import bee from "bee";\nimport cow from "cow";\nimport zoo from "zoo";\nlet a = zoo;\nlet b = [bee,cow]',
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

/** Makes a message of what it says on each of the files. */
const onEach = (calls: (name: string, word: string) => Array<Call>) => (): Array<Call> =>
  LAYOUTS.flatMap(([name, as]) => calls(name, as('value').replace('\uFEFF', '')))

story('several messages on files of other layouts, with other calls between them', async () => {
  const before = 'if (value) {\n  value = 1;\n}\nvalue = 2;\n'
  const { project, session } = await start(
    Object.fromEntries(LAYOUTS.map(([name, as]) => [name, as(before)])),
  )
  const turn = await session.turn(
    'go',
    onEach((name, word) => [
      edit(project, name, `${word} = 1;`, `${word}=3;\n${word}=4;`),
      edit(project, name, `${word}=4;`, `${word}=5;`),
    ]),
    onEach((name) => [write(project, `beside ${name}`, 'y=2\n')]),
    onEach((name) => [edit(project, `beside ${name}`, 'y = 2', 'y=3')]),
    (request) =>
      onEach((name, word) => [edit(project, name, argsOn(request, name)[1]!.newString!, `${word}=6;`)])(),
    (request) =>
      onEach((name, word) => [edit(project, name, argsOn(request, name)[2]!.newString!, `${word}=7;`)])(),
  )
  expectApplied(turn)
  for (const [name, as] of LAYOUTS) {
    const word = as('value').replace('\uFEFF', '')
    const lines = as(`${word} = 3;\n${word} = 7;`).replace('\uFEFF', '')
    // With its byte-order mark.
    expect(readFileSync(project.path(name), 'utf8')).toBe(as(before).replace(`${word} = 1;`, lines))
  }
  expect(await stored(session)).toEqual(seen(turn))
})

story('a patch that moves and edits, deletes and adds', async () => {
  const { project, session } = await start({ 'old.js': 'a = 1;\r\nb = 2;\r\n', 'gone.js': 'g = 1;\n' })
  const turn = await session.turnAs(
    { model: 'gpt-5.2' },
    'go',
    patch(
      '*** Update File: old.js',
      '*** Move to: to/new.js',
      '@@',
      ' a = 1;',
      '-b = 2;',
      '+b=3;',
      '*** Delete File: gone.js',
      '*** Add File: added.js',
      '+c=1;',
      '+d=2;',
    ),
    [patch('*** Delete File: added.js'), patch('*** Add File: gone.js', '+back=1;')],
    (request) => {
      const [first, , third] = argsIn(request)
      expect(first!.patchText).toContain('+b = 3;')
      expect(first!.patchText).toContain('+c = 1;\n+d = 2;\n')
      expect(third!.patchText).toContain('+back = 1;')
      return patch(
        '*** Update File: to/new.js',
        '@@',
        ' a = 1;',
        '-b = 3;',
        '+b=4;',
        '*** Update File: gone.js',
        '@@',
        '-back = 1;',
        '+back=2;',
      )
    },
  )
  expectApplied(turn)
  expect((await project.read('to/new.js')).replaceAll('\r', '')).toBe('a = 1;\nb = 4;\n')
  expect(await project.read('gone.js')).toBe('back = 2;\n')
})

story('a formatter that renames the file is undone, and the edits go on', async () => {
  const { project, session } = await start()
  const turn = await session.turn(
    'go',
    write(project, 'renamed.js', 'x=1;\n'),
    [edit(project, 'renamed.js', 'x=1;', 'x=2;\ny=2;'), edit(project, 'renamed.js', 'y=2;', 'y=3;')],
    edit(project, 'renamed.js', 'y=3;', 'y=4;'),
  )
  expectApplied(turn)
  expect(turn.outputs.join('')).not.toContain('differs')
  expect(await project.read('renamed.js')).toBe('x=2;\ny=4;\n')
})
