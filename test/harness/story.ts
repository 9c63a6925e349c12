import { test } from 'bun:test'

// The real host takes several seconds to start, and a second for each turn. A slow machine may take ten times as long.
export const STORY_TIMEOUT_MS = 300_000

/** Defines a test that runs at the same time as the other stories of its file. */
export const story = (name: string, body: () => Promise<void>): void =>
  test.concurrent(name, body, STORY_TIMEOUT_MS)

/** Returns a wrapper for the bodies of stories. Each body starts after the previous body has ended or failed. */
export const inSequence = () => {
  let previous: Promise<unknown> = Promise.resolve()
  return (body: () => Promise<void>) => (): Promise<void> => {
    const ended = previous.then(body)
    previous = ended.catch(() => {})
    return ended
  }
}
