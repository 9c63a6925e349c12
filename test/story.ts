import { test } from 'bun:test'

// A turn of the real host takes a second or more, its first start several, and a machine may be busy.
export const STORY_TIMEOUT_MS = 90_000

/** A test that runs in the real host. */
export const story = (name: string, tell: () => Promise<void>): void =>
  test.concurrent(name, tell, STORY_TIMEOUT_MS)
