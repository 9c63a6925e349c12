/** Measures the size of the package, and the time to import it in a fresh process; compares both with zod's. */
import { execFileSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Bench, inFolder, medianTimes, type Row, toRow } from './measure.ts'

const root = dirname(import.meta.dirname)

const sizeOf = async (folder: string): Promise<number> =>
  (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)

const NODE = ['node', '--input-type=module', '-e']
const BUN = [process.execPath, '-e']

const importTime = ([binary = '', ...flags]: Array<string>, module: string): number => {
  const program = `const start = performance.now()
    await import(${JSON.stringify(module)})
    console.log(performance.now() - start)`
  return Number(execFileSync(binary, [...flags, program], { cwd: root, encoding: 'utf8' }))
}

const importRow = async (build: string, runtime: Array<string>, module: string): Promise<Row> =>
  toRow(
    { label: 'import', size: build, baseline: 'zod' },
    ...await medianTimes(15, () => importTime(runtime, module), () => importTime(runtime, 'zod')),
  )

const bench: Bench = () =>
  inFolder(async (scratch) => {
    const tarball = execFileSync('npm', ['pack', '--silent', '--pack-destination', scratch], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim().split('\n').at(-1)!
    execFileSync('tar', ['xzf', join(scratch, tarball), '-C', scratch])
    const published = join(scratch, 'package')
    const sizes = [await sizeOf(published), await sizeOf(join(root, 'node_modules', 'zod'))] as const
    const toKilobytes = (bytes: number) => `${Math.round(bytes / 1000)} kB`
    return [
      toRow({ label: 'installed size', size: '1 package', baseline: 'zod' }, ...sizes, toKilobytes),
      await importRow('published, Node', NODE, pathToFileURL(join(published, 'index.js')).href),
      await importRow('published, Bun', BUN, join(published, 'index.js')),
      await importRow('checkout, Bun', BUN, join(root, 'index.js')),
    ]
  })

export default bench
