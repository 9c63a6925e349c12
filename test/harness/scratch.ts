import { afterAll, beforeAll } from 'bun:test'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** Returns the real path of a new folder, which is removed after the last test of the test file. */
export const scratchFolder = (): string => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sat-test-')))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Creates a scratch folder. During the tests of the file, SAT's state folder is in it. */
export const scratchWithState = (): string => {
  const folder = scratchFolder()
  const before = process.env['XDG_STATE_HOME']!
  beforeAll(() => void (process.env['XDG_STATE_HOME'] = join(folder, 'state')))
  afterAll(() => void (process.env['XDG_STATE_HOME'] = before))
  return folder
}

export const writeFileAt = (path: string, text: string | Uint8Array = ''): void => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}
