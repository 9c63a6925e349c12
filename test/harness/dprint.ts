/** The `dprint` command as stories use it: with its plugin compiled before a formatter's time runs. */
import { execFileSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const require = createRequire(import.meta.url)
const PROGRAM = join(dirname(require.resolve('dprint/package.json')), 'dprint')

/** The plugin for TypeScript, for the list in `dprint.json`. */
export const DPRINT_PLUGIN = require.resolve('@dprint/typescript/plugin.wasm')

/** What the stories' projects set. */
export const DPRINT_SETTINGS = {
  global: { lineWidth: 80, indentWidth: 2 },
  typescript: { quoteStyle: 'preferSingle', 'module.sortImportDeclarations': 'caseInsensitive' },
}

/** The project's file that the command reads. */
export const DPRINT_FILES = {
  'dprint.json': JSON.stringify({
    ...DPRINT_SETTINGS.global,
    typescript: DPRINT_SETTINGS.typescript,
    plugins: [DPRINT_PLUGIN],
  }),
}

// To compile it takes ten seconds.
const CACHE = join(import.meta.dirname, '..', 'node_modules', '.cache', 'dprint')

/** The option's command. The home of a host is empty, and so would the cache be there. */
export const DPRINT = `DPRINT_CACHE_DIR='${CACHE}' '${PROGRAM}' fmt -- {path}`

/** Compiles the plugin unless that is done. Formatters that do so at once wait for each other, beyond their limit. */
export const compileDprintPlugin = (): void => {
  execFileSync(PROGRAM, ['fmt', '--stdin', 'x.ts', '--config-discovery=false', '--plugins', DPRINT_PLUGIN], {
    env: { ...process.env, DPRINT_CACHE_DIR: CACHE },
    input: '',
  })
}
