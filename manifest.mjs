// Renames "dependencies" in package.json to "devDependencies" while npm packs, because the published bundle contains
// the dependencies; and back. After a crash in between, the name stays wrong until the next run.
import { readFile, writeFile } from 'node:fs/promises'

const NAMES = {
  packed: ['"dependencies"', '"devDependencies"'],
  checkout: ['"devDependencies"', '"dependencies"'],
}

const [from, to] = NAMES[process.argv[2]]
const path = new URL('package.json', import.meta.url)
await writeFile(path, (await readFile(path, 'utf8')).replace(from, to))
