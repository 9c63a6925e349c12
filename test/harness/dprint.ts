/** Provides the formatter `dprint`, and compiles its plugin in advance. */
import { execFileSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const require = createRequire(import.meta.url)
const PROGRAM = join(dirname(require.resolve('dprint/package.json')), 'dprint')

export const DPRINT_PLUGIN = require.resolve('@dprint/typescript/plugin.wasm')

export const DPRINT_SETTINGS = {
  global: { lineWidth: 80, indentWidth: 2 },
  typescript: { quoteStyle: 'preferSingle', 'module.sortImportDeclarations': 'caseInsensitive' },
}

const CACHE = join(import.meta.dirname, '..', 'node_modules', '.cache', 'dprint')

/** Without the shared cache, `dprint` would compile its plugin for each new host. */
export const DPRINT = `DPRINT_CACHE_DIR='${CACHE}' '${PROGRAM}' fmt -- {path}`

/** Takes ten seconds. Formatters that compile the plugin in parallel would time out. */
export const compileDprintPlugin = (): void => {
  execFileSync(PROGRAM, ['fmt', '--stdin', 'x.ts', '--config-discovery=false', '--plugins', DPRINT_PLUGIN], {
    env: { ...process.env, DPRINT_CACHE_DIR: CACHE },
    input: '',
  })
}
