import { expect } from 'bun:test'
import { symlinkSync } from 'node:fs'
import { CHECKOUT, type Project, type Turn } from '../harness/host.ts'
import { callsIn, type ModelRequest } from '../harness/model.ts'
import { story } from '../harness/story.ts'
import { edit, patch, read, seen, seenTexts, startBeside, startWith, stored, write } from './session.ts'
import { SETTINGS } from './settings.ts'

const PATCHED = '*** Update File: '

/** The text that the last read of a request shows, its lines without their numbers. */
const lastReadIn = (request: ModelRequest): string =>
  [...callsIn(request).findLast(({ tool }) => tool === 'read')!.output.matchAll(/^\d+: (.*)$/gm)]
    .map(([, line]) => `${line}\n`).join('')

/** The changed lines of the diff that the person sees of each call. */
const diffsOf = ({ tools }: Turn): Array<Array<string>> =>
  tools.map(({ state }) => String(state.metadata!['diff']).match(/^[+-](?![+-]).*/gm) ?? [])

/** The words of a result below the host's own. */
const noteIn = (output: string): string => output.split('\n\n').slice(1).join('\n\n')

const link = (project: Project, from: string, to: string): void =>
  symlinkSync(project.path(to), project.path(from))

for (const [name, config] of SETTINGS) {
  story(`a read next to edits of its file shows what they left, in their order: ${name}`, async () => {
    const { project, session } = await startBeside(config, { 'r.js': 'a = 1;\nb = 2;\n' })
    const shown: Array<string> = []
    const turn = await session.turn(
      'go',
      [
        edit(project, 'r.js', 'a = 1;', 'a=3'),
        read(project, 'r.js'),
        edit(project, 'r.js', 'b = 2;', 'b=4\nc=5'),
        write(project, 'made.js', 'm=1\n'),
        read(project, 'made.js'),
      ],
      (request) => {
        shown.push(lastReadIn(request))
        return [edit(project, 'r.js', 'a = 3;', 'a=6'), read(project, 'r.js')]
      },
      (request) => {
        shown.push(lastReadIn(request))
        return edit(project, 'r.js', 'b = 4;\nc = 5;', 'b=7')
      },
    )
    expect(shown).toEqual(['m = 1;\n', 'a = 6;\nb = 4;\nc = 5;\n'])
    expect(turn.outputs[1]).toContain('1: a = 3;\n2: b = 2;\n\n(End of file - total 2 lines)')
    expect(turn.outputs.map(noteIn).join('')).not.toContain('differs')
    expect(await project.read('r.js')).toBe('a = 6;\nb = 7;\n')
    expect(await stored(session)).toEqual(seen(turn))
  })

  story(`a read next to patches of its file shows what they left: ${name}`, async () => {
    const { project, session } = await startBeside(config, { 'rp.js': 'a = 1;\nb = 2;\n' }, 'gpt-5.2')
    let shown = ''
    const turn = await session.turn(
      'go',
      [
        patch(`${PATCHED}rp.js`, '@@', '-a = 1;', '+a=3'),
        patch(`${PATCHED}rp.js`, '@@', '-b = 2;', '+b=4'),
        read(project, 'rp.js'),
      ],
      (request) => {
        shown = lastReadIn(request)
        return patch(`${PATCHED}rp.js`, '@@', '-a = 3;', '-b = 4;', '+ab=5')
      },
    )
    expect(shown).toBe('a = 3;\nb = 4;\n')
    expect(turn.outputs.at(-1)).toStartWith('Success')
    expect(await project.read('rp.js')).toBe('ab = 5;\n')
  })

  story(`a file is one by whatever link a call names it: ${name}`, async () => {
    const files = { 'target.js': 'a = 1;\nb = 2;\n', 'patched.js': 'a = 1;\nb = 2;\n' }
    const { project, session } = await startBeside(config, files)
    link(project, 'link.js', 'target.js')
    const turn = await session.turn(
      'go',
      read(project, 'target.js'),
      [edit(project, 'link.js', 'a = 1;', 'a=3'), edit(project, 'target.js', 'a=3', 'a=4')],
      edit(project, 'target.js', 'b = 2;', 'b=5'),
    )
    expect(await project.read('target.js')).toBe('a = 4;\nb = 5;\n')
    expect(turn.outputs.slice(1)).toEqual(Array.from({ length: 3 }, () => 'Edit applied successfully.'))

    const { project: same, session: patching } = await startBeside(config, files, 'gpt-5.2')
    link(same, 'linked.js', 'patched.js')
    const patches = await patching.turn('go', [
      patch(`${PATCHED}linked.js`, '@@', '-a = 1;', '+a=3'),
      patch(`${PATCHED}patched.js`, '@@', '-b = 2;', '+b=4'),
    ])
    expect(await same.read('patched.js')).toBe('a = 3;\nb = 4;\n')
    for (const output of patches.outputs) expect(noteIn(output)).toBe('')
  })

  story(
    `a call that waits for its rule names its file; the others of its message are written: ${name}`,
    async () => {
      const files = {
        '.opencode/rules/new.md': '---\nglobs: "new/**"\n---\nNEW-RULE\n',
        'w.js': 'a = 1;\nb = 2;\n',
      }
      const { project, session } = await startBeside(config, files)
      const waits = write(project, 'new/x.js', 'x=1\n')
      const turn = await session.turn(
        'go',
        [edit(project, 'w.js', 'a = 1;', 'a=3'), waits, edit(project, 'w.js', 'b = 2;', 'b=4')],
        waits,
      )
      expect(turn.outputs.map((output) => output.split(' ', 4).join(' '))).toEqual([
        'Edit applied successfully.',
        'Rules come first: `new/x.js`',
        'Edit applied successfully.',
        'Wrote file successfully.',
      ])
      expect(seenTexts(turn)).toEqual(['a = 3;', 'x=1\n', 'b = 4;', 'x = 1;\n'])
      expect(await project.read('w.js')).toBe('a = 3;\nb = 4;\n')

      const { session: patching } = await startBeside(config, { ...files, 'wp.js': 'a = 1;\n' }, 'gpt-5.2')
      const both = patch(`${PATCHED}wp.js`, '@@', '-a = 1;', '+a=2', '*** Add File: new/y.js', '+y=1')
      const patches = await patching.turn('go', both, both)
      expect(patches.outputs[0]).toStartWith(
        'Rules come first: `new/y.js` is not written yet, nor is anything else of this patch. ',
      )
      expect(patches.outputs[1]).toStartWith('Success.')
      expect(seen(patches)[1]!.patchText).toContain('+a = 2;\n*** Add File: new/y.js\n+y = 1;')
    },
  )

  story(`a report names the formatter only where it is the cause: ${name}`, async () => {
    const { session } = await startBeside(config, { 'c.js': 'a=1\nb=1\nc=1\n' }, 'gpt-5.2')
    const change = (old: string, now: string) => patch(`${PATCHED}c.js`, '@@', `-${old}`, `+${now}`)
    const command = "until grep -q 3 c.js; do sleep 0.1; done; sleep 0.5; sed -i 's/c = 1/c = 2/' c.js"
    const turn = await session.turn(
      'go',
      change('a=1', 'a=2'),
      [change('a = 2;', 'a=3'), { tool: 'bash', args: { command, description: 'changes it' } }],
    )
    const notes = [turn.outputs[0]!, turn.outputs[1]!].map(noteIn)
    expect(notes[0]).toStartWith('c.js was formatted and differs from what you saw:\n')
    expect(notes[1]).toBe(
      'c.js now differs from what you saw:\n@@ -2,2 +2,2 @@\n b = 1;\n-c = 1;\n+c = 2;',
    )
  })

  story(`an edit applies to the file as it was believed, and as it is: ${name}`, async () => {
    const text = 'a = 1;\nb = 2;\n\n\nc = 3;\n'
    const { project, session } = await startBeside(config, { 'is.js': text, 'was.js': text })
    const turn = await session.turn(
      'go',
      ['is.js', 'was.js'].map((file) => edit(project, file, 'a = 1;', 'a=3')),
      [
        // A removed blank line is not reported: as a shell shows the file, and as it was.
        edit(project, 'is.js', 'b = 2;\n\nc = 3;', 'c=4'),
        edit(project, 'was.js', 'b = 2;\n\n\nc = 3;', 'c=4'),
      ],
    )
    expect(turn.outputs).toEqual(Array.from({ length: 4 }, () => 'Edit applied successfully.'))
    for (const file of ['is.js', 'was.js']) expect(await project.read(file)).toBe('a = 3;\nc = 4;\n')
  })

  story(`the diff of each call is its own change, formatted: ${name}`, async () => {
    const { project, session } = await startBeside(config, { 'd.js': 'a = 1;\nb = 2;\nc = 3;\n' })
    const turn = await session.turn('go', [
      edit(project, 'd.js', 'a = 1;', 'a=4'),
      edit(project, 'd.js', 'b = 2;', 'b=5\nb2=5'),
      edit(project, 'd.js', 'c = 3;', 'c=6'),
    ])
    expect(seenTexts(turn)).toEqual(['a = 4;', 'b = 5;\nb2 = 5;', 'c = 6;'])
    expect(diffsOf(turn)).toEqual([
      ['-a = 1;', '+a = 4;'],
      ['-b = 2;', '+b = 5;', '+b2 = 5;'],
      ['-c = 3;', '+c = 6;'],
    ])
    const { session: patching } = await startBeside(config, { 'dp.js': 'a = 1;\nb = 2;\n' }, 'gpt-5.2')
    const patches = await patching.turn('go', [
      patch(`${PATCHED}dp.js`, '@@', '-a = 1;', '+a=4'),
      patch(`${PATCHED}dp.js`, '@@', '-b = 2;', '+b=5'),
    ])
    expect(diffsOf(patches)).toEqual([['-a = 1;', '+a = 4;'], ['-b = 2;', '+b = 5;']])
  })
}

/** One counts the lines of its files in another one; one fails on a bracket, below lines of its own. */
const COMMANDS = {
  pair: `sed -i 's/ *= */ = /' "$1"; cat *.pair | wc -l > count.txt`,
  broken: `grep -n '(' "$1" && exit 2; sed -i 's/ *= */ = /' "$1"`,
}

const OTHERS: Array<[string, Record<string, unknown>]> = [
  ["the host's formatter", {
    plugin: [CHECKOUT],
    formatter: Object.fromEntries(
      Object.entries(COMMANDS).map(([name, command]) => [name, {
        command: ['sh', '-c', command, 'sh', '$FILE'],
        extensions: [`.${name}`],
      }]),
    ),
  }],
  ['a command', {
    plugin: [[CHECKOUT, {
      format_on_save: Object.fromEntries(
        Object.entries(COMMANDS).map((
          [name, command],
        ) => [`*.${name}`, command.replaceAll('"$1"', '{path}')]),
      ),
    }]],
  }],
]

for (const [name, config] of OTHERS) {
  story(`another file that a formatter writes is reported: ${name}`, async () => {
    const files = { 'a.pair': 'a = 1\n', 'count.txt': '1\n' }
    const { project, session } = await startWith(config, { files })
    const turn = await session.turn(
      'go',
      read(project, 'count.txt'),
      edit(project, 'a.pair', 'a = 1', 'a=1\nb=2'),
      edit(project, 'count.txt', '2', 'two'),
    )
    expect(turn.outputs[1]).toBe(
      'Edit applied successfully.\n\ncount.txt now differs from what you saw:\n@@ -1,1 +1,1 @@\n-1\n+2',
    )
    expect(turn.outputs[2]).toBe('Edit applied successfully.')
    const patches = await session.turnAs(
      { model: 'gpt-5.2' },
      'go',
      read(project, 'count.txt'),
      patch(`${PATCHED}a.pair`, '@@', ' b = 2', '+c=3'),
    )
    expect(noteIn(patches.outputs[1]!)).toStartWith('count.txt now differs from what you saw:\n')
    expect(seen(patches).at(-1)!.patchText).toContain('+c = 3')
  })

  story(`a formatter that fails is reported, its output once: ${name}`, async () => {
    const { project, session } = await startBeside(config)
    const turn = await session.turn(
      'go',
      write(project, 'x.broken', 'a=(\n'),
      edit(project, 'x.broken', 'a=(', 'first=1\na=('),
      edit(project, 'x.broken', 'a=(', 'a=1'),
    )
    const notes = turn.outputs.map(noteIn)
    expect(notes[0]).toMatch(/^x\.broken was not formatted: `.*` failed \(status 2\):\n1:a=\($/s)
    expect(notes[1]).toMatch(
      /^x\.broken is still not formatted: `.*` failed \(status 2\), with the same output\.$/s,
    )
    expect(notes[2]).not.toContain('not formatted')
    expect(await project.read('x.broken')).toBe('first = 1\na = 1\n')
  })
}
