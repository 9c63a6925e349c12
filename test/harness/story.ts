import { test } from 'bun:test'

// A turn of the real host takes a second, its start several: this allows for a machine that is ten times as slow.
export const STORY_TIMEOUT_MS = 300_000

/** Defines a test that runs at the same time as the other stories of its file. */
export const story = (name: string, body: () => Promise<void>): void =>
  test.concurrent(name, body, STORY_TIMEOUT_MS)

/** Returns a function that wraps stories so that each waits for the one before it: they share a screen or project. */
export const inSequence = () => {
  let previous: Promise<unknown> = Promise.resolve()
  return (body: () => Promise<void>) => (): Promise<void> => {
    const ended = previous.then(body)
    previous = ended.catch(() => {})
    return ended
  }
}
