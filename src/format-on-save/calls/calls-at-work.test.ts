import { expect, test } from 'bun:test'
import { CallsAtWork } from './calls-at-work.ts'

/** Whether a file is left as it stays, within a moment. */
const isLeft = async (calls: CallsAtWork, sessionID: string, path: string): Promise<boolean> =>
  Promise.race([calls.whenLeft(sessionID, path, 60_000).then(() => true), Bun.sleep(5).then(() => false)])

test('a file is left once all calls on it, and those that may change any, are over', async () => {
  const calls = new CallsAtWork()
  calls.begin('1', 'session', ['/p/x'], false)
  calls.begin('2', 'session', ['/p/x'], false)
  calls.end('1')
  expect(await isLeft(calls, 'session', '/p/x')).toBe(false)
  expect(await isLeft(calls, 'session', '/p/y')).toBe(true)
  expect(await isLeft(calls, 'other', '/p/x')).toBe(true)
  expect(calls.isAtWork('session', '/p/x')).toBe(true)
  const waiting = calls.whenLeft('session', '/p/x', 60_000)
  calls.end('2')
  await waiting
  calls.begin('3', 'session', ['/p/z'], true)
  expect(await isLeft(calls, 'session', '/p/x')).toBe(false)
  calls.endSession('session')
  expect(await isLeft(calls, 'session', '/p/x')).toBe(true)
})

test('nothing waits for longer than its limit', async () => {
  const calls = new CallsAtWork()
  calls.begin('1', 'session', ['/p/x'], false)
  await calls.whenLeft('session', '/p/x', 1)
  expect(calls.isAtWork('session', '/p/x')).toBe(true)
})
