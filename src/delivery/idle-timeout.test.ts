import { expect, test } from 'bun:test'
import { withIdleTimeout } from './idle-timeout.ts'

test('the first call waits for a disk that does not answer; until it does, later calls do not', async () => {
  let answer = (_: string): void => {}
  const read = withIdleTimeout(() => new Promise<string>((resolve) => answer = resolve), 300)
  const start = performance.now()
  expect((await read()).error).toMatch(/no answer/)
  expect(performance.now() - start).toBeGreaterThan(290)
  const again = performance.now()
  expect((await read()).error).toMatch(/no answer/)
  expect(performance.now() - again).toBeLessThan(290)
  answer('rules')
  // The next call may still time out, because its limit is 0 ms.
  expect((await read()).data ?? (await read()).data).toBe('rules')
})

test('after a slow run has ended, a call waits for the next run', async () => {
  let ms = 400
  const read = withIdleTimeout(() => Bun.sleep(ms).then(() => 'rules'), 200)
  expect((await read()).error).toMatch(/no answer/)
  await Bun.sleep(ms)
  ms = 20
  expect((await read()).data).toBe('rules')
})

test('a call waits longer for a slow disk if the disk makes progress', async () => {
  let answers = 0
  const work = async () => {
    for (answers = 0; answers < 30; answers++) await Bun.sleep(50)
    return 'rules'
  }
  expect((await withIdleTimeout(work, 1_000, () => answers)()).data).toBe('rules')
  expect((await withIdleTimeout(work, 1_000)()).error).toMatch(/no answer/)
})
