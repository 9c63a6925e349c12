/** Stories of patches whose added lines are formatted, and of `applySection`, which applies a patch to a text. */
import { expect } from 'bun:test'
import { applySection, parsePatch } from '../../src/steps/patch-text.ts'
import { CHECKOUT, PATCH_MODEL } from '../harness/host.ts'
import { story } from '../harness/story.ts'
import { patch, startShared } from './session.ts'
import { WITH_COMMANDS, WITH_HOST_FORMATTERS } from './settings.ts'
import { argsIn, shownArgs } from './shown.ts'

const ONLY_SUCCESS = /^Success\. Updated the following files:\n[AM] [^\n]+$/

const PATCH = [
  ...['*** Update File: patched.js', '@@', ' const a = 1;', '-const b = 2;', '+const b={two:2}'],
  ...['+const bb = "b"', ' const c = 3;', '*** Add File: new.js', '+let n="n"', '*** Delete File: gone.js'],
  ...['*** Update File: old.js', '*** Move to: to/new.js', '@@', ' a = 1;', '-b = 2;', '+b=3'],
]

story("in the history and in diffs, a patch's added lines are formatted", async () => {
  const patched = { 'patched.js': 'const a = 1;\nconst b = 2;\nconst c = 3;\n' }
  const files = { ...patched, 'gone.js': 'let g = 1;\n', 'old.js': 'a = 1;\r\nb = 2;\r\n' }
  const { project, session } = await startShared(WITH_COMMANDS, files, PATCH_MODEL)
  const turn = await session.turn(
    'go',
    patch(...PATCH),
    [patch('*** Delete File: new.js'), patch('*** Add File: new.js', '+back=1', '+two=2')],
    (request) => {
      expect(argsIn(request)[2]!.patchText).toContain('+back = 1;\n+two = 2;\n')
      const moved = ['*** Update File: to/new.js', '@@', ' a = 1;', '-b = 3;', '+b=4']
      return patch(...moved, '*** Update File: new.js', '@@', '-back = 1;', '+back=2')
    },
  )
  const withoutNote = /^Success\.(?!.*formatted)/s
  for (const output of turn.outputs) expect(output).toMatch(withoutNote)
  const asFormatted = (line: string) => line.startsWith('+') ? `${line.replace(/ *= */, ' = ')};` : line
  expect(shownArgs(turn)[0]).toEqual(patch(...PATCH.map(asFormatted)).args)
  const { metadata } = turn.tools[0]!.state
  expect(metadata!['files']).toMatchObject([
    { patch: expect.stringContaining('+const b = {two:2};'), additions: 2, deletions: 1 },
    { patch: expect.stringContaining('+let n = "n";'), additions: 1 },
    { type: 'delete' },
    { patch: expect.stringContaining('+b = 3;'), additions: 1, deletions: 1 },
  ])
  expect(metadata!['diff']).toContain('+let n = "n";\n')
  expect(metadata!['diff']).not.toContain('n="n"')
  expect((await project.read('to/new.js')).replaceAll('\r', '')).toBe('a = 1;\nb = 4;\n')
  expect(await project.read('new.js')).toBe('back = 2;\ntwo = 2;\n')
})

const SPECIAL_PATCHES: Record<string, [before: string | null, lines: string, after: string]> = {
  'lines that differ only in indentation, one as in the patch': ['a\r\n  a\r\n', '@@\n-  a\n+b', 'a\r\nb\n'],
  'characters that look alike': ['“it’s”\u00A0— a…\n', '@@\n-"it\'s" - a...\n+b', 'b\n'],
  'old lines below the named line': [' old\ntwo\n old\n', '@@ two\n- old\n+ new', ' old\ntwo\n new\n'],
  'a context line that is indented only in the file': ['  a\n', '@@\n a\n+b', 'a\nb\n'],
  'look-alikes in a context line': ['“a” – b…\n', '@@\n "a" - b...\n+c=3', '"a" - b...\nc=3\n'],
  'a blank line at the end that the file lacks': ['a\nc\n', '@@\n-a\n+b\n ', 'b\nc\n'],
  'a blank line that the file lacks, above an added line': ['a\n', '@@\n a\n \n+b', 'a\n\nb\n'],
  'a blank line that the file lacks, below an added line': ['a\nb\n', '@@\n b\n+c\n ', 'a\nb\nc\n'],
  'a blank last line': ['a\n\n', '@@\n-a\n+b', 'b\n'],
  'a hunk of only added lines, and a blank last line': ['a\n\n', '@@\n+z', 'a\nz\n'],
  'a new file that ends with a blank line': [null, '+a\n+', 'a\n'],
  'a file that is empty': ['', '@@\n+b', 'b\n'],
  'a hunk of only added lines, above another hunk': ['a\nc\n', '@@\n+z\n@@\n-a\n+b', 'b\nc\nz\n'],
  'a patch that removes all lines': ['a\n', '@@\n-a', ''],
  'a hunk without lines': ['a\nb\n', '@@\n@@\n-b\n+c', 'a\nc\n'],
  'a blank line without a sign': ['a\n', '@@\n-a\n+b\n', 'b\n'],
  'a hunk below `End of File`, ignored': ['a\nc\n', '@@\n-a\n+b\n*** End of File\n@@\n-c\n+d', 'b\nc\n'],
}

story('`applySection` applies a patch as the host does', async () => {
  const rows = Object.entries(SPECIAL_PATCHES).map(([name, row]) => [`${name}.txt`, ...row] as const)
  const existing = rows.flatMap(([name, before]) => before === null ? [] : [[name, before]])
  const { project, session } = await startShared(
    WITH_HOST_FORMATTERS,
    Object.fromEntries(existing),
    PATCH_MODEL,
  )
  const kindOf = (before: string | null) => before === null ? 'Add' : 'Update'
  const sent = rows.map(([name, before, lines]) => patch(`*** ${kindOf(before)} File: ${name}`, lines))
  const turn = await session.turn('go', sent)
  for (const output of turn.outputs) expect(output).toMatch(ONLY_SUCCESS)
  expect(shownArgs(turn)).toEqual(sent.map(({ args }) => args))
  for (const [index, [name, before, , after]] of rows.entries()) {
    const applied = applySection(parsePatch(sent[index]!.args.patchText)[0]!, before)?.raw
    expect([name, applied, await project.read(name)]).toEqual([name, after, after])
  }
})

for (const options of [{}, { format_on_save: false, rules: false }]) {
  story(`without a formatter, all parallel patches apply (${JSON.stringify(options)})`, async () => {
    const lines = ['one', 'two', 'three', 'four', 'five', 'six']
    const config = { plugin: [[CHECKOUT, options]], formatter: false }
    const files = { 'hunks.txt': `${lines.join('\n')}\n` }
    const { project, session } = await startShared(config, files, PATCH_MODEL)
    const patches = lines.map((line) => patch('*** Update File: hunks.txt', '@@', `-${line}`, `+${line} now`))
    for (const output of (await session.turn('go', patches)).outputs) expect(output).toMatch(ONLY_SUCCESS)
    expect(await project.read('hunks.txt')).toBe(lines.map((line) => `${line} now\n`).join(''))
  })
}
