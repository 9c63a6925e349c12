// What a checkout needs to run is what the published bundle needs only to be built. `manifest.mjs packed` says so in
// package.json while npm packs it, `manifest.mjs checkout` takes it back: one word, which a crash in between leaves
// wrong until the next time.
import { readFile, writeFile } from 'node:fs/promises'

const WORDS = {
  packed: ['"dependencies"', '"devDependencies"'],
  checkout: ['"devDependencies"', '"dependencies"'],
}

const [from, to] = WORDS[process.argv[2]]
const path = new URL('package.json', import.meta.url)
await writeFile(path, (await readFile(path, 'utf8')).replace(from, to))
