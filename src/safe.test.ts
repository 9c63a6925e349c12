import { expect, test } from 'bun:test'
import { reasonOf, safe, safeAsync } from './safe.ts'

test('a success has data, a throw becomes a failure with the reason', async () => {
  expect(safe(() => 7)).toEqual({ data: 7, error: null })
  expect(safe(() => JSON.parse('{'))).toEqual({ data: null, error: expect.any(String) })
  expect(await safeAsync(async () => 7)).toEqual({ data: 7, error: null })
  expect(await safeAsync(() => Promise.reject(new Error('no')))).toEqual({ data: null, error: 'no' })
})

const coded = (code: string) => Object.assign(new Error(`${code}: raw words of the system`), { code })

test.each([
  ['ENOENT', 'no such file'],
  ['EODD', 'EODD: raw words of the system'],
])('%s reads "%s"', (code, reason) => {
  expect(reasonOf(coded(code))).toBe(reason)
})

test('any thrown value has a reason', () => {
  expect([reasonOf('words'), reasonOf(undefined), reasonOf(null)]).toEqual(['words', 'undefined', 'null'])
})
