import { expect } from 'bun:test'
import { applySection, parsePatch } from '../../src/format-on-save/calls/patch-text.ts'
import { CHECKOUT, type Turn } from '../harness/host.ts'
import type { Call } from '../harness/model.ts'
import { story } from '../harness/story.ts'
import { afterNote } from './fuzz/belief.ts'
import { seen, startBeside, stored } from './session.ts'

const TIDY = `sed -i 's/ *= */ = /; /[a-z0-9]$/s/$/;/' "$1"`

const SETTINGS: Array<[string, Record<string, unknown>]> = [
  ["the host's formatter", {
    plugin: [CHECKOUT],
    formatter: { tidy: { command: ['sh', '-c', TIDY, 'sh', '$FILE'], extensions: ['.js'] } },
  }],
  ['a command', { plugin: [[CHECKOUT, { format_on_save: { '*.js': TIDY.replaceAll('"$1"', '{path}') } }]] }],
]

const patchOf = (...lines: Array<string>): string => ['*** Begin Patch', ...lines, '*** End Patch'].join('\n')

const patch = (...lines: Array<string>): Call => ({
  tool: 'apply_patch',
  args: { patchText: patchOf(...lines) },
})

/** What a model believes of a file: what the patches, as it is shown them, make of its text, and then the note. */
const believedAfter = (turn: Turn, before: string, name: string): string | null => {
  const made = seen(turn).flatMap(({ patchText }) => parsePatch(patchText!))
    .reduce<string | null>((text, section) => applySection(section, text)?.raw ?? null, before)
  return turn.outputs.reduce((text, output) => text === null ? null : afterNote(output, name, text), made)
}

for (const [name, config] of SETTINGS) {
  story(`patches of one message on one file apply, and read as the file does: ${name}`, async () => {
    const old = 'a = 1;\nb = 2;\nc = 3;\n'
    const { project, session } = await startBeside(config, { 'x.js': old })
    const turn = await session.turnAs(
      { model: 'gpt-5.2' },
      'go',
      [
        patch('*** Update File: x.js', '@@', ' a = 1;', '-b = 2;', '+b=4', '+d=5', ' c = 3;'),
        patch('*** Update File: x.js', '@@', ' b=4', '-d=5', '+d=6', '+e=7', ' c = 3;'),
        patch('*** Update File: x.js', '@@ b=4', ' d=6', '-e=7', '+e=8'),
      ],
    )
    for (const output of turn.outputs) expect(output).toStartWith('Success. Updated the following files:')
    const text = await project.read('x.js')
    expect(text).toBe('a = 1;\nb = 4;\nd = 6;\ne = 8;\nc = 3;\n')
    expect(believedAfter(turn, old, 'x.js')).toBe(text)
    expect(await stored(session)).toEqual(seen(turn))
    expect(turn.outputs.filter((output) => output.includes('formatted')).length).toBeLessThan(2)

    // The next patch is made from what the last request shows.
    const next = await session.turnAs(
      { model: 'gpt-5.2' },
      'more',
      patch('*** Update File: x.js', '@@', ' d = 6;', '-e = 8;', '+last=9'),
    )
    expect(next.outputs).toEqual(['Success. Updated the following files:\nM x.js'])
    expect(await project.read('x.js')).toContain('d = 6;\nlast = 9;\n')
  })

  story(
    `a line that a later patch names stays as it was sent, and costs that patch nothing: ${name}`,
    async () => {
      const { project, session } = await startBeside(config, { 'named.js': 'a = 1;\nb = 2;\nc = 3;\n' })
      const first = patch('*** Update File: named.js', '@@', ' a = 1;', '-b = 2;', '+b=4')
      const turn = await session.turnAs({ model: 'gpt-5.2' }, 'go', [
        first,
        patch('*** Update File: named.js', '@@ b=4', '-c = 3;', '+c=5'),
      ])
      expect(await project.read('named.js')).toBe('a = 1;\nb = 4;\nc = 5;\n')
      expect(seen(turn)[0]!.patchText).toContain('\n-b = 2;\n+b=4\n')
      expect(seen(turn)[1]!.patchText).toContain('@@ b=4\n-c = 3;\n+c = 5;\n')
      expect(turn.outputs[1]).toEndWith('@@ -1,3 +1,3 @@\n a = 1;\n-b=4\n+b = 4;\n c = 5;')
    },
  )

  story(`a patch moves a file that the one before it had formatted: ${name}`, async () => {
    const { project, session } = await startBeside(config, { 'from.js': 'a = 1;\n' })
    const turn = await session.turnAs({ model: 'gpt-5.2' }, 'go', [
      patch('*** Update File: from.js', '@@', '-a = 1;', '+a=2', '+b=3'),
      patch('*** Update File: from.js', '*** Move to: to/y.js', '@@', ' a=2', '-b=3', '+b=4'),
      patch('*** Update File: to/y.js', '@@', ' a=2', '-b=4', '+b=5'),
    ])
    for (const output of turn.outputs) expect(output).toStartWith('Success. Updated the following files:')
    expect(await project.read('to/y.js')).toBe('a = 2;\nb = 5;\n')
    expect(believedAfter(turn, 'a = 1;\n', 'to/y.js')).toBe('a = 2;\nb = 5;\n')
  })
}

story(
  'fifteen hunks of patches of one message on one file are all there, without any formatter',
  async () => {
    const lines = Array.from({ length: 15 }, (_, index) => `line ${index}`)
    const { project, session } = await startBeside({ plugin: [CHECKOUT] }, {
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
