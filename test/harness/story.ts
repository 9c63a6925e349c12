import { test } from 'bun:test'

// A turn of the real host takes a second or more, its first start several. The limit is for a machine ten times as
// slow.
export const STORY_TIMEOUT_MS = 300_000

/** Runs a test in the real host. */
export const story = (name: string, body: () => Promise<void>): void =>
  test.concurrent(name, body, STORY_TIMEOUT_MS)

/** Makes stories with the same screen or project wait for each other, while others run. */
export const inSequence = () => {
  let last: Promise<unknown> = Promise.resolve()
  return (body: () => Promise<void>) => (): Promise<void> => {
    const result = last.then(body)
    last = result.catch(() => {})
    return result
  }
}
