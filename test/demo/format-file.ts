/** Formats a file of the demo with dprint's library, because the program `dprint` needs 10 s to compile its plugin. */
import { createFromBuffer } from '@dprint/formatter'
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const { getPath } = createRequire(import.meta.url)('@dprint/typescript') as { getPath(): string }
const filePath = process.argv[2]!
const formatter = createFromBuffer(readFileSync(getPath()))
formatter.setConfig({ indentWidth: 2 }, { semiColons: 'asi', quoteStyle: 'preferSingle' })
writeFileSync(filePath, formatter.formatText({ filePath, fileText: readFileSync(filePath, 'utf8') }))
