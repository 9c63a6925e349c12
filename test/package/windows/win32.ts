/** Preloaded: modules that are loaded after this one have the paths of Windows in `node:path`. */
import { mock } from 'bun:test'
import { posix, win32 } from 'node:path'

mock.module('node:path', () => ({ ...win32, win32, posix, default: win32 }))
