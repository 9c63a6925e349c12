/** Reads source files of the installed packages, as texts for the fuzzer and the bench to edit. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { CHECKOUT } from '../../harness/host.ts'

export type Source = { name: string; extension: string; text: string }

const SOURCE_FOLDERS =
  `effect/src zod/src/v4 @ai-sdk/provider/src @arethetypeswrong/core find-my-way-ts/src multipasta/src
  commander eslint/lib/rules eslint/lib/shared diff/libesm fast-check/lib highlight.js/styles find-my-way-ts
  picomatch yaml opencode-ai semver`.split(/\s+/)
const PACKAGE_FOLDERS = [join(CHECKOUT, 'test', 'node_modules'), join(CHECKOUT, 'node_modules')]
const MIN_BYTES = 800
const MAX_BYTES = 16_000

const isSource = (name: string): boolean =>
  /\.(?:ts|js|mjs|css|json|md)$/.test(name) && !/\.d\.ts$|\.min\.|node_modules/.test(name)

const sourcesIn = (sourceFolder: string): Array<Source> => {
  const folder = PACKAGE_FOLDERS.map((packages) => join(packages, sourceFolder)).find(existsSync)
  if (folder === undefined) return []
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(isSource)
  // Sorted, so that the same seed picks the same sources.
  return names.sort().map((name) => ({
    name: `${sourceFolder}/${name}`,
    extension: extname(name),
    text: readFileSync(join(folder, name), 'utf8'),
  }))
}

/** Reads all sources except short, long and binary ones. */
export const readSources = (): Array<Source> =>
  SOURCE_FOLDERS.flatMap(sourcesIn).filter(({ text }) => {
    const size = Buffer.byteLength(text)
    return size >= MIN_BYTES && size <= MAX_BYTES && !text.includes('\uFFFD')
  })
