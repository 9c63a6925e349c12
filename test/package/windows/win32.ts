/** Preloaded by `windows.test.ts`: `node:path` is that of Windows. */
import { mock } from 'bun:test'
import { posix, win32 } from 'node:path'

mock.module('node:path', () => ({ ...win32, win32, posix, default: win32 }))
