// Before `npm pack`, `node manifest.mjs packed` renames "dependencies" in package.json to "devDependencies", because
// the bundle contains the dependencies. Afterwards, `node manifest.mjs checkout` renames it back. If npm crashes in
// between, the next `npm pack` renames it back.
import { readFile, writeFile } from 'node:fs/promises'

const NAMES = {
  packed: ['"dependencies"', '"devDependencies"'],
  checkout: ['"devDependencies"', '"dependencies"'],
}

const [from, to] = NAMES[process.argv[2]]
const path = new URL('package.json', import.meta.url)
await writeFile(path, (await readFile(path, 'utf8')).replace(from, to))
