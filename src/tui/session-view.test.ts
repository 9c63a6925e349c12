import { expect, test } from 'bun:test'
import { bytesHeld, cut, cutPath, hasRulesPart, tokensOf, viewOf, whyOf } from './session-view.ts'

const rulesPart = (mark: object) => ({ type: 'text', metadata: { 'opencode-sat': { rules: [], ...mark } } })
const toolPart = (mark?: object) => ({
  type: 'tool',
  state: { metadata: { diff: '', ...(mark && { 'opencode-sat': mark }) } },
})
const RULE = { name: 'style', path: '/p/style.md', why: 'always', bytes: 400 } as const

test('a session in which SAT did nothing has nothing to show', () => {
  expect(viewOf([])).toBeNull()
  expect(viewOf([{ type: 'text' }, { type: 'tool', state: { status: 'pending' } }, toolPart()])).toBeNull()
  expect(viewOf([rulesPart({ instructions: ['/p/AGENTS.md'] })])).toBeNull()
})

test('the newest rules message counts; formats are counted over all calls, a file once', () => {
  const view = viewOf([
    rulesPart({ inForce: [RULE], waiting: [{ name: 'old', path: '/p/old.md', globs: ['*'] }] }),
    toolPart({ formatted: ['a.ts'], corrected: true }),
    toolPart({ formatted: ['a.ts', 'b.ts'], corrected: false }),
    rulesPart({ inForce: [RULE, { ...RULE, name: 'react', why: 'file', file: 'App.tsx', held: false }] }),
  ])
  expect(view?.inForce.map(({ name }) => name)).toEqual(['style', 'react'])
  expect(view?.inForce.map(whyOf)).toEqual(['always', 'App.tsx'])
  expect(view?.waiting).toEqual([])
  expect(view && bytesHeld(view)).toBe(400)
  expect(view?.formatted).toEqual(['a.ts', 'b.ts'])
  expect(view?.corrected).toBe(1)
})

test('what an older SAT wrote, or nobody understands, is no list', () => {
  expect(viewOf([rulesPart({})])).toBeNull()
  expect(viewOf([rulesPart({ inForce: 'all', leftOut: [{ path: '/p/a.md', reason: 'no' }] })])?.inForce)
    .toEqual([])
  expect(hasRulesPart([{ type: 'text', metadata: { 'opencode-sat': 5 } }, { type: 'text', metadata: null }]))
    .toBe(false)
})

test('what hides in a name, or would break its line, is in sight', () => {
  const rule = { name: 'a\u200b\nb', path: '/p/a\u200b\nb.md', why: 'file', file: 'x\u202e.ts', bytes: 1 }
  expect(viewOf([rulesPart({ inForce: [rule] })])?.inForce).toEqual([
    { ...rule, name: 'a⟦U+200B⟧⟦U+000A⟧b', file: 'x⟦U+202E⟧.ts' } as never,
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
