import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { CHECKOUT } from '../../harness/host.ts'

export type Source = { name: string; extension: string; text: string }

/** Folders of installed packages. */
const FOLDERS =
  `effect/src zod/src/v4 @ai-sdk/provider/src @arethetypeswrong/core find-my-way-ts/src multipasta/src
  commander eslint/lib/rules eslint/lib/shared diff/libesm fast-check/lib highlight.js/styles find-my-way-ts
  picomatch yaml opencode-ai semver`.split(/\s+/)
const MODULES = [join(CHECKOUT, 'test', 'node_modules'), join(CHECKOUT, 'node_modules')]
const MIN_BYTES = 800
const MAX_BYTES = 16_000

const isWritten = (name: string): boolean =>
  /\.(?:ts|js|mjs|css|json|md)$/.test(name) && !/\.d\.ts$|\.min\.|node_modules/.test(name)

const sourcesIn = (part: string): Array<Source> => {
  const folder = MODULES.map((modules) => join(modules, part)).find((path) => existsSync(path))
  if (folder === undefined) return []
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(isWritten).sort().map((name) => ({
    name: `${part}/${name}`,
    extension: extname(name),
    text: readFileSync(join(folder, name), 'utf8'),
  }))
}

/** Reads files of installed packages that a model could have edited, in the same order in each run. */
export const readSources = (): Array<Source> =>
  FOLDERS.flatMap(sourcesIn).filter(({ text }) => {
    const size = Buffer.byteLength(text)
    return size >= MIN_BYTES && size <= MAX_BYTES && !text.includes('\uFFFD')
  })
