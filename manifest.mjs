// Renames "dependencies" in package.json to "devDependencies" before npm packs (argument `packed`), because the
// published bundle contains the dependencies; and back afterwards (`checkout`) or, after a crash, at the next run.
import { readFile, writeFile } from 'node:fs/promises'

const NAMES = {
  packed: ['"dependencies"', '"devDependencies"'],
  checkout: ['"devDependencies"', '"dependencies"'],
}

const [from, to] = NAMES[process.argv[2]]
const path = new URL('package.json', import.meta.url)
await writeFile(path, (await readFile(path, 'utf8')).replace(from, to))
