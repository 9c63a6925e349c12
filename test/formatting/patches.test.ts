import { expect } from 'bun:test'
import { applySection, parsePatch } from '../../src/format-on-save/calls/patch-text.ts'
import { CHECKOUT, type Turn } from '../harness/host.ts'
import { story } from '../harness/story.ts'
import { afterNote } from './fuzz/belief.ts'
import { patch, seen, startBeside, stored } from './session.ts'
import { SETTINGS } from './settings.ts'

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
    const { project, session } = await startBeside(config, {
      'x.js': old,
      'named.js': old,
      'from.js': 'a = 1;\n',
    })
    const turn = await session.turnAs(
      { model: 'gpt-5.2' },
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
    )
    for (const output of turn.outputs) expect(output).toStartWith('Success. Updated the following files:')
    expect(await stored(session)).toEqual(seen(turn))
    const text = await project.read('x.js')
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
    const next = await session.turnAs(
      { model: 'gpt-5.2' },
      'more',
      patch('*** Update File: x.js', '@@', ' d = 6;', '-e = 8;', '+last=9'),
    )
    expect(next.outputs).toEqual([
      expect.stringMatching(/^Success\. Updated the following files:\nM \S*x\.js$/),
    ])
    expect(await project.read('x.js')).toContain('d = 6;\nlast = 9;\n')
  })
}

story(
  'fifteen hunks of patches of one message on one file are all there, without any formatter',
  async () => {
    const lines = Array.from({ length: 15 }, (_, index) => `line ${index}`)
    const { project, session } = await startBeside({ plugin: [CHECKOUT], formatter: false }, {
      'hunks.txt': `${lines.join('\n')}\n`,
    })
    await session.turnAs(
      { model: 'gpt-5.2' },
      'go',
      lines.map((line) => patch('*** Update File: hunks.txt', '@@', `-${line}`, `+${line} now`)),
    )
    expect(await project.read('hunks.txt')).toBe(`${lines.map((line) => `${line} now`).join('\n')}\n`)
  },
)
