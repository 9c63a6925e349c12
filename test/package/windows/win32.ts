/** Replaces `node:path` with its Windows version. `windows.test.ts` preloads this file. */
import { mock } from 'bun:test'
import { posix, win32 } from 'node:path'

mock.module('node:path', () => ({ ...win32, win32, posix, default: win32 }))
