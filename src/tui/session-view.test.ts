import { expect, test } from 'bun:test'
import { bytesHeld, cut, cutPath, hasRulesPart, tokensOf, viewOf, whyOf } from './session-view.ts'

const NONE = { rules: [], joined: [], leftOut: [], instructions: [], folders: [] }
const rulesPart = (mark: object) => ({ type: 'text', metadata: { 'opencode-sat': { ...NONE, ...mark } } })
const toolPart = (mark?: object) => ({
  type: 'tool',
  state: { metadata: { diff: '', ...(mark && { 'opencode-sat': mark }) } },
})
const RULE = { name: 'style', path: 'style.md', kind: 'always', bytes: 400 } as const
const REACT = { ...RULE, name: 'react', kind: 'file', globs: ['*.tsx'] }

test('a session in which SAT did nothing has nothing to show', () => {
  expect(viewOf([])).toBeNull()
  expect(viewOf([{ type: 'text' }, { type: 'tool', state: { status: 'pending' } }, toolPart()])).toBeNull()
  expect(viewOf([rulesPart({ instructions: [{ path: 'AGENTS.md' }] })])).toBeNull()
})

test('what changed since replaces what was stored first; formats are counted over all calls, a file once', () => {
  const first = rulesPart({ rules: [RULE, REACT] })
  expect(viewOf([first])?.waiting).toMatchObject([{ name: 'react', globs: ['*.tsx'] }])
  const view = viewOf([
    first,
    toolPart({ formatted: ['a.ts'], corrected: true }),
    toolPart({ formatted: ['a.ts', 'b.ts'], corrected: false }),
    { type: 'text', metadata: { 'opencode-sat': { joined: [{ name: 'react', file: 'App.tsx' }] } } },
  ])
  expect(view?.inForce.map(({ name }) => name)).toEqual(['style', 'react'])
  expect(view?.inForce.map(whyOf)).toEqual(['always', 'App.tsx'])
  expect(view?.waiting).toEqual([])
  expect(view && bytesHeld(view)).toBe(800)
  expect(view?.formatted).toEqual(['a.ts', 'b.ts'])
  expect(view?.corrected).toBe(1)
})

const MADE_UP: Array<object> = [
  { rules: 'all' },
  { rules: [null] },
  { rules: [{ ...RULE, name: 5 }] },
  { leftOut: [null] },
  { joined: { react: 'App.tsx' } },
]

test.each(MADE_UP)('metadata of another version, cut off or made up is nothing: %j', (mark) => {
  expect(viewOf([rulesPart(mark)])).toBeNull()
  expect(hasRulesPart([{ type: 'text', metadata: { 'opencode-sat': 5 } }, { type: 'text', metadata: null }]))
    .toBe(false)
})

test('what hides in a name, or would break its line, is in sight', () => {
  const rule = { ...REACT, name: 'a\u200b\nb', path: 'a\u200b\nb.md' }
  expect(
    viewOf([rulesPart({ rules: [rule], joined: [{ name: 'a\u200b\nb', file: 'x\u202e.ts' }] })])?.inForce,
  )
    .toMatchObject([
      { path: rule.path, name: 'a⟦U+200B⟧⟦U+000A⟧b', file: 'x⟦U+202E⟧.ts' },
    ])
})

test('tokens are estimated by the bytes', () => {
  expect(tokensOf(0)).toBe('~0')
  expect(tokensOf(401)).toBe('~100')
})

const CUTS: Array<[(text: string, width: number) => string, string, number, string]> = [
  [cut, 'short', 10, 'short'],
  [cut, 'a long name', 6, 'a lon…'],
  [cut, '日本語の名前', 4, '日…'],
  [cut, '日本語', 6, '日本語'],
  [cut, 'Cafe\u0301', 4, 'Cafe\u0301'],
  [cut, '🎉 party', 4, '🎉 …'],
  [cutPath, 'src/日本語.ts', 6, '…語.ts'],
  [cutPath, 'src/App.tsx', 11, 'src/App.tsx'],
  [cutPath, 'src/components/App.tsx', 8, '…App.tsx'],
]

for (const [shorten, text, width, expected] of CUTS) {
  test(`${JSON.stringify(text)} in ${width} columns is ${expected}`, () => {
    expect(shorten(text, width)).toBe(expected)
  })
}
