import { test } from 'bun:test'

// On a slow machine, each turn in the real host may take ten seconds.
export const STORY_TIMEOUT_MS = 300_000

export const story = (name: string, body: () => Promise<void>): void =>
  test.concurrent(name, body, STORY_TIMEOUT_MS)

/** Returns a wrapper that starts each body after the previous body has ended or failed. */
export const inSequence = () => {
  let previous: Promise<unknown> = Promise.resolve()
  return (body: () => Promise<void>) => (): Promise<void> => {
    const ended = previous.then(body)
    previous = ended.catch(() => {})
    return ended
  }
}
