import { expect, test } from 'bun:test'
import { reasonOf, safe, safeAsync, withTimeout } from './safe.ts'

test('an exception, a rejection and a timeout are failures with a reason', async () => {
  expect(safe(() => 7)).toEqual({ data: 7, error: null })
  expect(safe(() => JSON.parse('{'))).toEqual({ data: null, error: expect.any(String) })
  for (const run of [safeAsync, (work: () => Promise<unknown>) => withTimeout(1_000, work())]) {
    expect(await run(async () => 7)).toEqual({ data: 7, error: null })
    expect(await run(() => Promise.reject(new Error('no')))).toEqual({ data: null, error: 'no' })
  }
  expect((await withTimeout(1, new Promise(() => {}))).error).toBe('no answer within 1 ms')
})

const coded = (code: string) => Object.assign(new Error(`${code}: raw words of the system`), { code })

test.each<[reason: string, thrown: unknown]>([
  ['no such file', coded('ENOENT')],
  ['EODD: raw words of the system', coded('EODD')],
  ['null', null],
])('a thrown value has the reason "%s"', (reason, thrown) => {
  expect(reasonOf(thrown)).toBe(reason)
})
