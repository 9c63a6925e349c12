/** Reads real sources for random edits: files of the installed packages. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { extname, join } from 'node:path'
import { CHECKOUT } from '../../harness/host.ts'

export type Source = { name: string; extension: string; text: string }

const FOLDERS =
  `effect/src zod/src/v4 @ai-sdk/provider/src @arethetypeswrong/core find-my-way-ts/src multipasta/src
  commander eslint/lib/rules eslint/lib/shared diff/libesm fast-check/lib highlight.js/styles find-my-way-ts
  picomatch yaml opencode-ai semver`.split(/\s+/)
const EXTENSIONS = new Set(['.ts', '.js', '.mjs', '.css', '.json', '.md'])
const MODULES = [join(CHECKOUT, 'test', 'node_modules'), join(CHECKOUT, 'node_modules')]
const MIN_BYTES = 800
const MAX_BYTES = 16_000

const isWritten = (name: string): boolean =>
  !/\.d\.ts$|\.min\./.test(name) && EXTENSIONS.has(extname(name)) && !name.includes('node_modules')

/** Reads the sources of a size that a model edits, in the same order in each run. */
export const readSources = (): Array<Source> => {
  const all: Array<Source> = []
  for (const part of FOLDERS) {
    const folder = MODULES.find((folder) => existsSync(join(folder, part)))
    if (folder === undefined) continue
    const names = readdirSync(join(folder, part), { recursive: true, encoding: 'utf8' })
    for (const name of names.filter(isWritten).sort()) {
      const path = join(folder, part, name)
      const { size } = statSync(path)
      if (size < MIN_BYTES || size > MAX_BYTES) continue
      const text = readFileSync(path, 'utf8')
      if (!text.includes('\uFFFD')) all.push({ name: `${part}/${name}`, extension: extname(name), text })
    }
  }
  return all
}
