/** The history shows calls as they were formatted; notes report what their arguments cannot express. */
import { expect } from 'bun:test'
import { readFileSync } from 'node:fs'
import type { Turn } from '../harness/host.ts'
import { type Call, callsIn, textOf } from '../harness/model.ts'
import { diffsOf, edit, noteBelow, read, shownArgs, shownTexts, startShared, write } from './session.ts'
import { IMPORTS, storyPerSetting } from './settings.ts'

/** A call on the file of a row: the text of a write, or the old and the new text of an edit. */
type CallOnFile = string | [old: string, now: string, more?: { replaceAll: true }]

/** Calls on one file, message by message, and these calls as the last request shows them. */
type Row = {
  /** The only setting in which this holds; default: both. */
  onlyWith?: string
  before?: string
  messages: Array<Array<CallOnFile>>
  /** The texts of all calls, and the notes in their answers. */
  texts: Array<string>
  notes?: Array<string>
  /** The changed lines of the diffs that the person sees. */
  diffs?: Array<Array<string>>
  after: string
}

const formatted = (hunk: string): string => `FILE was formatted and differs from what you saw:\n${hunk}`

const USES_B = "import { b } from 'b';\nb(1);\n"
const USES_BOTH = "import { a } from 'a';\nimport { b } from 'b';\nb(1);\na(2);\n"
const ADDS_IMPORT: CallOnFile = ["import { b } from 'b';", "import { b } from 'b';\nimport { a } from 'a'"]
const ADDS_CODE: CallOnFile = ['b(1);', 'b(1);\na(2)']
const IMPORTED = "import { a } from 'a';\nimport { b } from 'b';"
const BLANKS = 'a = 1;\nb = 2;\n\n\nc = 3;\n'
const LOOSE = 'a = 1;\nf( b );\nc = 3;\n'
const FOUND_LOOSELY: Array<CallOnFile> = [['a = 1;', 'a=2'], ['f(  b  );', 'd=4\ne=5'], ['c = 3;', 'c=6']]

const ROWS: Record<string, Row> = {
  'found.js: a call finds text that two calls before it wrote': {
    messages: [['a=1\nb=2\n', ['a=1', 'a=1\nc=1'], ['b=2', 'b=3'], ['c=1\nb=3', 'd=4']]],
    texts: ['a=1\nb=2\n', 'a = 1;\nc=1', 'b=3', 'd = 4;'],
    after: 'a = 1;\nd = 4;\n',
  },
  'others.js: lines outside of the calls are reported once': {
    before: 'z=1\n\n\na = 1;\nb = 2;\ny = 2;\n',
    messages: [[['a = 1;', 'new = 1;\na=2'], ['b = 2;', 'b=3']]],
    texts: ['new = 1;\na = 2;', 'b = 3;'],
    notes: ['', formatted('@@ -1,3 +1,2 @@\n-z=1\n+z = 1;\n \n-')],
    after: 'z = 1;\n\nnew = 1;\na = 2;\nb = 3;\ny = 2;\n',
  },
  'code.ts: code that uses an import of the next call is kept': {
    before: USES_B,
    messages: [[ADDS_CODE, ADDS_IMPORT]],
    texts: ['b(1);\na(2);', IMPORTED],
    after: USES_BOTH,
  },
  'import.ts: an import that the next call uses is kept': {
    before: USES_B,
    messages: [[ADDS_IMPORT, ADDS_CODE]],
    texts: [IMPORTED, 'b(1);\na(2);'],
    after: USES_BOTH,
  },
  'loose.js: an edit whose place the host finds loosely is corrected, like the others': {
    onlyWith: 'a command',
    before: LOOSE,
    messages: [FOUND_LOOSELY],
    texts: ['a = 2;', 'd = 4;\ne = 5;', 'c = 6;'],
    after: 'a = 2;\nd = 4;\ne = 5;\nc = 6;\n',
  },
  'loose.txt: an edit whose place the host finds loosely gets no note in a file without a formatter': {
    before: LOOSE,
    messages: [FOUND_LOOSELY],
    texts: ['a=2', 'd=4\ne=5', 'c=6'],
    after: 'a=2\nd=4\ne=5\nc=6\n',
  },
  'two.js: an edit that creates a file is corrected, and a second edit of it': {
    messages: [[['', 'a=1\n'], ['a=1', 'a=2\nb=3']]],
    texts: ['a=1\n', 'a = 2;\nb = 3;'],
    after: 'a = 2;\nb = 3;\n',
  },
  // The arguments of a call cannot express these changes, so a note reports them.
  'sorted.ts: an import that was sorted among others is reported': {
    before: "import { a } from 'a';\nimport { c } from 'c';\na(c, d);\n",
    messages: [[["import { a } from 'a';", "import { a } from 'a';\nimport { d } from 'd'"]]],
    texts: ["import { a } from 'a';\nimport { d } from 'd'"],
    notes: [
      formatted(
        "@@ -1,4 +1,4 @@\n import { a } from 'a';\n-import { d } from 'd'\n import { c } from 'c';\n+import { d } from 'd';\n a(c, d);",
      ),
    ],
    after: "import { a } from 'a';\nimport { c } from 'c';\nimport { d } from 'd';\na(c, d);\n",
  },
  'all.js: places of one edit that were formatted differently are reported': {
    before: 'X;\nf = X;\n',
    messages: [[['X', 'x=1', { replaceAll: true }]]],
    texts: ['x=1'],
    notes: [formatted('@@ -1,2 +1,2 @@\n-x=1;\n+x = 1;\n f = x=1;')],
    after: 'x = 1;\nf = x=1;\n',
  },
  'same.js: a new text that formatting makes equal to the old one is reported': {
    before: 'one = 1;\ntwo = 2;\n',
    messages: [[['two = 2;', 'two=2']]],
    texts: ['two=2'],
    notes: [formatted('@@ -1,2 +1,2 @@\n one = 1;\n-two=2\n+two = 2;')],
    after: 'one = 1;\ntwo = 2;\n',
  },
  "crlf.js: texts get the file's line ends": {
    before: 'a = 1;\r\nb = 2;\r\n',
    messages: [[['a = 1;\nb = 2;', 'a=1\nc=3']], [['c = 3;', 'd=4']]],
    texts: ['a = 1;\r\nc = 3;', 'd = 4;'],
    after: 'a = 1;\r\nd = 4;\r\n',
  },
  'mark.js: a byte-order mark stays': {
    before: '\uFEFFa = 1;\nb = 2;\n',
    messages: [[['b = 2;', 'b=3;\nc=3;'], ['c=3;', 'c=4;']], ['d=4\n']],
    texts: ['b = 3;\nc=3;', 'c = 4;', 'd = 4;\n'],
    after: '\uFEFFd = 4;\n',
  },
  'other.js: tabs, other alphabets and no line end at the end': {
    before: '\tf(値段é👩‍👧);\n\t値段é👩‍👧 = 1;',
    messages: [[['値段é👩‍👧 = 1;', '値段é👩‍👧=2;\n\té=3;'], ['é=3;', 'é=4;']], [['é = 4;', 'é=5;']]],
    texts: ['値段é👩‍👧 = 2;\n\té=3;\n', 'é = 4;', 'é = 5;'],
    after: '\tf(値段é👩‍👧);\n\t値段é👩‍👧 = 2;\n\té = 5;\n',
  },
  'diff.js: the diff of each call is its own change, formatted': {
    before: 'a = 1;\nb = 2;\nc = 3;\n',
    messages: [[['a = 1;', 'a=4'], ['b = 2;', 'b=5\nb2=5'], ['c = 3;', 'c=6']]],
    texts: ['a = 4;', 'b = 5;\nb2 = 5;', 'c = 6;'],
    diffs: [['-a = 1;', '+a = 4;'], ['-b = 2;', '+b = 5;', '+b2 = 5;'], ['-c = 3;', '+c = 6;']],
    after: 'a = 4;\nb = 5;\nb2 = 5;\nc = 6;\n',
  },
  // An edit that removes text is corrected, and a removed blank line gets no note.
  'lost.js: a line that a formatter removed is reported': {
    before: 'one = 1;\n\ntwo = 2;\n\nthree = 3;\n',
    messages: [[['three = 3;', 'three = 3;\none = 1;']], [['two = 2;\n\n', '\n\n']], [['one = 1;', '']]],
    texts: ['three = 3;\none = 1;', '', ''],
    notes: [formatted('@@ -5,2 +5,1 @@\n three = 3;\n-one = 1;'), '', ''],
    after: '\nthree = 3;\n',
  },
  // A removed blank line is not reported, so an edit applies with the blank line or without it.
  'is.js: an edit applies that has the lines as they are': {
    before: BLANKS,
    messages: [[['a = 1;', 'a=3']], [['b = 2;\n\nc = 3;', 'c=4']]],
    texts: ['a = 3;', 'c = 4;'],
    after: 'a = 3;\nc = 4;\n',
  },
  'was.js: an edit applies that has the lines as they were': {
    before: BLANKS,
    messages: [[['a = 1;', 'a=3']], [['b = 2;\n\n\nc = 3;', 'c=4']]],
    texts: ['a = 3;', 'c = 4;'],
    after: 'a = 3;\nc = 4;\n',
  },
  'blank.ts: an edit across unreported blank lines applies after a note on other lines': {
    before: 'b(1);\n\n\nb(2);\n',
    messages: [[['b(1);', "b(1);\nimport { gone } from 'g'\nb(3)"]], [['b(1);\nb(3);\n\n\nb(2);', 'b(4)']]],
    texts: ['b(1);\nb(3);', 'b(4);'],
    notes: ["FILE was formatted, which dropped words from:\nimport { gone } from 'g'", ''],
    after: 'b(4);\n',
  },
}

/** Expects the changed lines of the diff of each call, and their counts. */
const expectDiffs = (tools: Turn['tools'], diffs: Array<Array<string>>): void => {
  expect(diffsOf({ tools })).toEqual(diffs)
  for (const [at, { state: { metadata } }] of tools.entries()) {
    const count = (sign: string) => diffs[at]!.filter((line) => line.startsWith(sign)).length
    const counts = { additions: count('+'), deletions: count('-') }
    expect(metadata!['filediff']).toMatchObject({ ...counts, patch: metadata!['diff'] })
  }
}

storyPerSetting('the history shows calls as formatted; notes report the rest', async (config, setting) => {
  const rows = Object.entries(ROWS).filter(([, { onlyWith = setting }]) => onlyWith === setting)
    .map(([name, row]) => ({ name, file: name.split(':')[0]!, ...row }))

  const files = rows.flatMap(({ file, before }) => before === undefined ? [] : [[file, before] as const])
  const { project, session } = await startShared(config, {
    'imports.mjs': IMPORTS,
    ...Object.fromEntries(files),
  })
  // All rows share the messages of one turn, because each row has its own file.
  const messageAt = (at: number): Array<Call> =>
    rows.flatMap(({ file, messages }) =>
      (messages[at] ?? []).map((call) =>
        typeof call === 'string' ? write(project, file, call) : edit(project, file, ...call)
      )
    )
  const turn = await session.turn('go', messageAt(0), messageAt(1), messageAt(2))
  for (const { name, file, messages, texts, notes = [], diffs, after } of rows) {
    const sent = messages.flat().map((call) => typeof call === 'string' ? [undefined, call] : call)
    // With its byte-order mark.
    const current = readFileSync(project.path(file), 'utf8')
    const shown = { name, after: current, texts: shownTexts(turn, file) }
    expect(shown).toEqual({ name, after, texts })
    // The old texts are those that were sent.
    expect(shownArgs(turn, file).map(({ oldString }) => oldString)).toEqual(sent.map(([old]) => old))
    const tools = turn.tools.filter(({ state }) => state.input['filePath'] === project.path(file))
    for (const [at, { state: { output, metadata } }] of tools.entries()) {
      const [old, text] = sent[at]!
      const words = `${old === undefined ? 'Wrote file' : 'Edit applied'} successfully.`
      expect(output).toBe([words, notes[at]?.replace('FILE', file)].filter(Boolean).join('\n\n'))
      if (texts[at] === text) continue
      expect(metadata!['opencode-sat']).toEqual({ formatted: [project.path(file)], corrected: true })
    }
    if (diffs) expectDiffs(tools, diffs)
  }
  expect(turn.tools.map(({ state }) => state.input)).toEqual(shownArgs(turn))
  // All later requests show a call in the same way as the first one, so the provider's cache stays valid.
  const last = callsIn(turn.requests.at(-1)!)
  for (const request of turn.requests.map(callsIn)) expect(last.slice(0, request.length)).toEqual(request)
  const results = turn.requests.at(-1)!.messages.filter(({ role }) => role === 'tool')
  expect(results.map(textOf)).toEqual(turn.outputs)
})

storyPerSetting('a note reports what a failed call or a shell command left in a file', async (config) => {
  const { project, session } = await startShared(config, { 'left.js': 'a=1\nb=1\n' })
  const command = "until grep -q 3 left.js; do sleep 0.1; done; sleep 2; sed -i 's/b = 1/b = 2/' left.js"
  const turn = await session.turn(
    'go',
    read(project, 'left.js'),
    [edit(project, 'left.js', 'a=1', 'a=2'), edit(project, 'left.js', 'is not there', 'c=1')],
    [edit(project, 'left.js', 'a = 2;', 'a=3'), {
      tool: 'bash',
      args: { command, description: 'changes it' },
    }],
  )
  const hunk = 'differs from what you saw:\n@@ -1,2 +1,2 @@\n'
  expect([turn.outputs[1]!, turn.outputs[3]!].map(noteBelow)).toEqual([
    `left.js was formatted and ${hunk} a = 2;\n-b=1\n+b = 1;`,
    `left.js now ${hunk} a = 3;\n-b = 1;\n+b = 2;`,
  ])
  expect(await project.read('left.js')).toBe('a = 3;\nb = 2;\n')
})

storyPerSetting('a note reports what another session changed between request and call', async (config) => {
  const { project, session } = await startShared(config, { 'between.js': 'a=1\nb = 1;\nc=1\n' })
  const otherSession = await project.session()
  const turn = await session.turn('go', read(project, 'between.js'), async () => {
    await otherSession.turn('go', edit(project, 'between.js', 'a=1', 'a=2'))
    return [edit(project, 'between.js', 'b = 1;', 'b=2'), edit(project, 'between.js', 'b=2', 'b=3')]
  })
  expect(await project.read('between.js')).toBe('a = 2;\nb = 3;\nc = 1;\n')
  expect(shownTexts(turn).slice(1)).toEqual(['b=2', 'b = 3;'])
  expect(turn.outputs.slice(1).map(noteBelow)).toEqual([
    '',
    'between.js may differ from what you saw; read it again before you edit it.',
  ])
})
