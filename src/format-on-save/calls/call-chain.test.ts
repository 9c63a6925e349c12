import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { editCase, formatTypeScript } from '../../../test/format-on-save-cases.ts'
import { realign } from '../realign/realign.ts'
import { CallChain } from './call-chain.ts'
import { readCall } from './call.ts'

type Edit = { oldString: string; newString: string; replaceAll?: boolean; sent?: string }

/** A chain that begins with a write and goes on with edits, each applied to the text that the file then has. */
const start = (content: string, ...steps: Array<Edit | { formatted: string }>) => {
  const write = readCall('write', { filePath: '/p/x', content }, '/p')!.files[0]!
  const chain = new CallChain({ callID: 'write', file: write, applied: write.simulate(null)! })
  for (const [index, step] of steps.entries()) {
    if ('formatted' in step) chain.format(step.formatted, realign(chain.text, step.formatted))
    else {
      const file = readCall('edit', { filePath: '/p/x', ...step }, '/p', step.sent)!.files[0]!
      chain.add({ callID: `edit ${index}`, file, applied: file.simulate(chain.text)! })
    }
  }
  return chain
}

test.each<[string, Parameters<typeof start>, Array<string | undefined>]>([
  ['one call', ['a=1\n', { formatted: 'a = 1\n' }], ['a = 1\n']],
  [
    'an edit of what was written',
    ['a=1\nb=2\n', { oldString: 'b=2', newString: 'b=3' }, { formatted: 'a = 1;\nb = 3;\n' }],
    ['a = 1;\nb=2\n', 'b = 3;'],
  ],
  [
    'an edit behind the formatter, by what its old text has become',
    ['a=1\nb=2\n', { formatted: 'a = 1\nb = 2\n' }, { oldString: 'b = 2', newString: 'b=3', sent: 'b=2' }, {
      formatted: 'a = 1\nb = 3\n',
    }],
    ['a = 1\nb=2\n', 'b = 3'],
  ],
  [
    'an edit of an edit',
    [
      'a=1\nb=2\n',
      { oldString: 'b=2', newString: 'b=3\nc=4' },
      { oldString: 'c=4', newString: 'c=5' },
      { formatted: 'a = 1;\nb = 3;\nc = 5;\n' },
    ],
    ['a = 1;\nb=2\n', 'b = 3;\nc=4', 'c = 5;'],
  ],
  [
    'an edit that takes in one before it',
    [
      'a=1\nb=2\n',
      { oldString: '=2', newString: '=3' },
      { oldString: 'b=3', newString: 'c=4' },
      { formatted: 'a = 1;\nc = 4;\n' },
    ],
    ['a = 1;\nb=2\n', undefined, 'c = 4;'],
  ],
])('each call says what makes the file of what the one before it says: %s', (_, given, expected) => {
  const chain = start(...given)
  const [, ...steps] = given
  const edits = steps.flatMap((step, index) =>
    typeof step === 'object' && 'formatted' in step ? [] : [`edit ${index}`]
  )
  expect(['write', ...edits].map((id) => chain.textsOf(id)?.[0])).toEqual(expected)
  expect(chain.believed()).toBe(chain.text)
})

test('an edit that the formatter took back is not corrected, and is not what is believed', () => {
  const chain = start('a = 1;\n', { oldString: 'a = 1;', newString: 'a=1' }, { formatted: 'a = 1;\n' })
  expect(chain.textsOf('edit 0')).toBeNull()
  expect(chain.believed()).toBe('a=1\n')
})

test('whatever is written and edited, the calls say the file, or what they say is known to be something else', () => {
  let told = 0
  fc.assert(
    fc.property(editCase, ({ file, oldString, newString, raw }) => {
      const formatted = formatTypeScript(raw)!
      const chain = start(file, { oldString, newString }, { formatted })
      const write = chain.textsOf('write')?.[0] ?? file
      const edit = chain.textsOf('edit 0')?.[0] ?? newString
      const at = write.indexOf(oldString)
      const isOnce = at >= 0 && write.indexOf(oldString, at + 1) < 0
      const made = isOnce ? write.slice(0, at) + edit + write.slice(at + oldString.length) : null
      expect(chain.believed()).toBe(made)
      if (made !== formatted) told += 1
    }),
    { numRuns: 80, seed: 20_261_121 },
  )
  expect(told).toBeLessThan(8)
})
