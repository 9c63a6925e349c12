// A checkout needs its dependencies to run; the published bundle needs them only to be built. `manifest.mjs packed`
// changes this word in package.json while npm packs, and `manifest.mjs checkout` restores it. After a crash in between,
// the word stays wrong until the next run.
import { readFile, writeFile } from 'node:fs/promises'

const WORDS = {
  packed: ['"dependencies"', '"devDependencies"'],
  checkout: ['"devDependencies"', '"dependencies"'],
}

const [from, to] = WORDS[process.argv[2]]
const path = new URL('package.json', import.meta.url)
await writeFile(path, (await readFile(path, 'utf8')).replace(from, to))
