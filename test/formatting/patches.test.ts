import { expect } from 'bun:test'
import { readFileSync } from 'node:fs'
import { applySection, parsePatch } from '../../src/format-on-save/calls/patch-text.ts'
import { compileDprintPlugin, DPRINT_FILES } from '../harness/dprint.ts'
import { CHECKOUT, type Turn } from '../harness/host.ts'
import { story } from '../harness/story.ts'
import { afterNote } from './fuzz/belief.ts'
import { argsIn, patch, seen, startBeside, stored } from './session.ts'
import { SETTINGS, WITH_COMMAND } from './settings.ts'

compileDprintPlugin()

const start = (config: Record<string, unknown>, files: Record<string, string>) =>
  startBeside(config, files, 'gpt-5.2')

/** What the host says of a patch of one file, without a note. */
const ONLY_SUCCESS = /^Success\. Updated the following files:\nM \S+$/

type Calls = { from: number; to: number }

/** What a model believes of a file: what its patches, as it is shown them, make of its text, and then the note. */
const believedAfter = (turn: Turn, { from, to }: Calls, before: string, name: string): string | null => {
  const made = seen(turn).slice(from, to).flatMap(({ patchText }) => parsePatch(patchText!))
    .reduce<string | null>((text, section) => applySection(section, text)?.raw ?? null, before)
  return turn.outputs.slice(from, to)
    .reduce((text, output) => text === null ? null : afterNote(output, name, text), made)
}

for (const [name, config] of SETTINGS) {
  story(`patches of one message on a file apply, and read as the file does: ${name}`, async () => {
    const old = 'a = 1;\nb = 2;\nc = 3;\n'
    const { project, session } = await start(config, {
      'x.js': old,
      'named.js': old,
      'from.js': 'a = 1;\n',
    })
    let text = ''
    const turn = await session.turn(
      'go',
      [
        patch('*** Update File: x.js', '@@', ' a = 1;', '-b = 2;', '+b=4', '+d=5', ' c = 3;'),
        patch('*** Update File: x.js', '@@', ' b=4', '-d=5', '+d=6', '+e=7', ' c = 3;'),
        patch('*** Update File: x.js', '@@ b=4', ' d=6', '-e=7', '+e=8'),
        // A line that a later patch names stays as it was sent, and costs that patch nothing.
        patch('*** Update File: named.js', '@@', ' a = 1;', '-b = 2;', '+b=4'),
        patch('*** Update File: named.js', '@@ b=4', '-c = 3;', '+c=5'),
        // A patch moves a file that the one before it changed.
        patch('*** Update File: from.js', '@@', '-a = 1;', '+a=2', '+b=3'),
        patch('*** Update File: from.js', '*** Move to: to/y.js', '@@', ' a=2', '-b=3', '+b=4'),
        patch('*** Update File: to/y.js', '@@', ' a=2', '-b=4', '+b=5'),
      ],
      () => {
        text = readFileSync(project.path('x.js'), 'utf8')
        return patch('*** Update File: x.js', '@@', ' d = 6;', '-e = 8;', '+last=9')
      },
    )
    for (const output of turn.outputs) expect(output).toStartWith('Success. Updated the following files:')
    expect(await stored(session)).toEqual(seen(turn))
    expect(text).toBe('a = 1;\nb = 4;\nd = 6;\ne = 8;\nc = 3;\n')
    expect(believedAfter(turn, { from: 0, to: 3 }, old, 'x.js')).toBe(text)
    expect(turn.outputs.slice(0, 3).filter((output) => output.includes('formatted')).length).toBeLessThan(2)

    expect(await project.read('named.js')).toBe('a = 1;\nb = 4;\nc = 5;\n')
    expect(seen(turn)[3]!.patchText).toContain('\n-b = 2;\n+b=4\n')
    expect(seen(turn)[4]!.patchText).toContain('@@ b=4\n-c = 3;\n+c = 5;\n')
    expect(turn.outputs[4]).toEndWith('@@ -1,3 +1,3 @@\n a = 1;\n-b=4\n+b = 4;\n c = 5;')

    expect(await project.read('to/y.js')).toBe('a = 2;\nb = 5;\n')
    expect(believedAfter(turn, { from: 5, to: 8 }, 'a = 1;\n', 'to/y.js')).toBe('a = 2;\nb = 5;\n')

    // The next patch is made from what the last request shows.
    expect(turn.outputs.at(-1)).toMatch(/^Success\. Updated the following files:\nM \S*x\.js$/)
    expect(await project.read('x.js')).toContain('d = 6;\nlast = 9;\n')
  })
}

story(
  'a patch is corrected whose file the next one of its message moves, and one that adds again what was removed',
  async () => {
    const { project, session } = await start(WITH_COMMAND, {
      'before.js': 'a = 1;\nb=1\nc = 1;\n',
      'again.js': 'old = 1;\n',
    })
    const turn = await session.turn('go', [
      patch('*** Update File: before.js', '@@', '-a = 1;', '+a=2', ' b=1', '*** Delete File: again.js'),
      patch('*** Update File: before.js', '*** Move to: behind.js', '@@', '-c = 1;', '+c=2'),
      patch('*** Add File: again.js', '+new=1'),
    ])
    expect(await project.read('behind.js')).toBe('a = 2;\nb = 1;\nc = 2;\n')
    expect(seen(turn)[0]!.patchText).toContain('@@\n-a = 1;\n-b=1\n+a = 2;\n+b = 1;\n*** Delete')
    expect(seen(turn)[1]!.patchText).toContain('\n-c = 1;\n+c = 2;\n')
    for (const output of turn.outputs) expect(output).not.toContain('formatted')
    expect(await project.read('again.js')).toBe('new = 1;\n')
  },
)

const PATCH = [
  '*** Update File: patched.js',
  '@@',
  ' const a = 1;',
  '-const b = 2;',
  '+const b={two:2}',
  '+const bb = "b"',
  ' const c = 3;',
  '*** Add File: new.js',
  '+let n="n"',
  '*** Delete File: gone.js',
  '*** Update File: m.mts',
  '*** Move to: sub/moved.mts',
  '@@',
  '-let m = 1;',
  '+let m={a:"a long property value",b:"another long property value",c:"and the third"}',
  '*** Update File: old.js',
  '*** Move to: to/new.js',
  '@@',
  ' a = 1;',
  '-b = 2;',
  '+b=3',
]

story(
  'a model that patches sees its added lines as the files have them, and goes on from there',
  async () => {
    const { project, session } = await start(WITH_COMMAND, {
      ...DPRINT_FILES,
      'patched.js': 'const a = 1;\nconst b = 2;\nconst c = 3;\n',
      'm.mts': 'let m = 1;\n',
      'gone.js': 'let g = 1;\n',
      'old.js': 'a = 1;\r\nb = 2;\r\n',
    })
    const turn = await session.turn(
      'go',
      patch(...PATCH),
      [patch('*** Delete File: new.js'), patch('*** Add File: gone.js', '+back=1', '+two=2')],
      (request) => {
        expect(argsIn(request)[2]!.patchText).toContain('+back = 1;\n+two = 2;\n')
        const [moved, back] = ['*** Update File: to/new.js', '*** Update File: gone.js']
        return patch(moved, '@@', ' a = 1;', '-b = 3;', '+b=4', back, '@@', '-back = 1;', '+back=2')
      },
    )
    for (const output of turn.outputs) expect(output).toStartWith('Success')
    const moved = (await project.read('sub/moved.mts')).trimEnd()
    expect(seen(turn)[0]).toEqual(
      patch(...PATCH.map((line) =>
        line.startsWith('+let m=')
          ? moved.replace(/^/gm, '+')
          : line.replace(/^\+.*/, (added) => `${added.replace(/ *= */, ' = ')};`)
      )).args as { patchText: string },
    )
    expect(moved.split('\n')).toHaveLength(5)
    const { metadata } = turn.tools[0]!.state
    expect(metadata!['files']).toMatchObject([
      { patch: expect.stringContaining('+const b = {two:2};'), additions: 2, deletions: 1 },
      { patch: expect.stringContaining('+let n = "n";'), additions: 1 },
      { type: 'delete' },
      { additions: 5, deletions: 1 },
      { patch: expect.stringContaining('+b = 3;'), additions: 1, deletions: 1 },
    ])
    expect(metadata!['diff']).toContain('+let n = "n";\n')
    expect(metadata!['diff']).not.toContain('n="n"')
    expect((await project.read('to/new.js')).replaceAll('\r', '')).toBe('a = 1;\nb = 4;\n')
    expect(await project.read('gone.js')).toBe('back = 2;\ntwo = 2;\n')
  },
)

story(
  'of two sections on one file the host applies the last, and a note shows what the file says',
  async () => {
    const { project, session } = await start(WITH_COMMAND, { 'twice.js': 'a = 1;\nb = 2;\nc = 3;\n' })
    // The host applies each section of a file to the text before them all.
    const section = (now: string) => ['*** Update File: twice.js', '@@', '-c = 3;', now]
    const turn = await session.turn('go', patch(...section('+c=[3]'), ...section('+c=[4]')))
    expect(await project.read('twice.js')).toBe('a = 1;\nb = 2;\nc = [4];\n')
    expect(turn.outputs[0]).toContain('@@ -2,2 +2,2 @@\n b = 2;\n-c=[4]\n+c = [4];')
  },
)

story(
  'where the host finds the lines of a patch loosely, nothing is reported of a file that nothing formatted',
  async () => {
    const patches: Array<[name: string, before: string, lines: Array<string>]> = [
      ['blank-end.txt', 'a = 1\nb = 2\n', [' b = 2', '+c=3', ' ']],
      ['at-end.txt', 'a = 1\nb = 2\n', ['+c=3', '@@', '-a = 1', '+a=4']],
      ['dropped.txt', 'a = 1\nb = 2\n', ['-a = 1', '+a=4', '*** End of File', '@@', '-b = 2', '+b=5']],
      ['signs.txt', '“a” – b…\n', [' "a" - b...', '+c=3']],
    ]
    const { project, session } = await start(
      SETTINGS[0]![1],
      Object.fromEntries(patches.map(([name, before]) => [name, before])),
    )
    const sent = patches.map(([name, , lines]) => patch(`*** Update File: ${name}`, '@@', ...lines))
    const turn = await session.turn('go', sent)
    for (const output of turn.outputs) expect(output).toMatch(ONLY_SUCCESS)
    expect(seen(turn)).toEqual(sent.map(({ args }) => args as Record<string, string>))
    expect(await Promise.all(patches.map(([name]) => project.read(name)))).toEqual([
      'a = 1\nb = 2\nc=3\n',
      'a=4\nb = 2\nc=3\n',
      'a=4\nb = 2\n',
      '"a" - b...\nc=3\n',
    ])
  },
)

story(
  'all patches of one message on one file are there, without any formatter',
  async () => {
    const lines = Array.from({ length: 6 }, (_, index) => `line ${index}`)
    const { project, session } = await start({ plugin: [CHECKOUT], formatter: false }, {
      'hunks.txt': `${lines.join('\n')}\n`,
    })
    const { outputs } = await session.turn(
      'go',
      lines.map((line) => patch('*** Update File: hunks.txt', '@@', `-${line}`, `+${line} now`)),
    )
    for (const output of outputs) expect(output).toMatch(ONLY_SUCCESS)
    expect(await project.read('hunks.txt')).toBe(`${lines.map((line) => `${line} now`).join('\n')}\n`)
  },
)
