import { expect, test } from 'bun:test'
import { withIdleTimeout } from './idle-timeout.ts'

test('until a silent disk answers, only the first call waits for it', async () => {
  let answer = (_: string): void => {}
  const read = withIdleTimeout(() => new Promise<string>((resolve) => answer = resolve), 300)
  const start = performance.now()
  expect((await read()).error).toMatch(/no answer/)
  expect(performance.now() - start).toBeGreaterThan(290)
  const secondStart = performance.now()
  expect((await read()).error).toMatch(/no answer/)
  expect(performance.now() - secondStart).toBeLessThan(290)
  answer('rules')
  expect((await read()).data).toBe('rules')
})

test('after a slow read has ended, the next call waits for a new read', async () => {
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
