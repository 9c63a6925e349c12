/**
 * Completes `bun install --frozen-lockfile` in test/; runs in Bun. The packages for tests, demo, bench and build are in
 * test/node_modules; the root's node_modules has only what a user installs.
 *
 * Links src/node_modules and bench/node_modules to test/node_modules, and in test/node_modules the root's packages.
 * Fetches the platform packages that bun.lock omits: the registry with which it was created has the host, dprint and
 * biome for Linux only.
 */
import { spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * The properties of a machine that decide which build of a program it runs: platform and arch, by Node's names, and
 * whether its C library is musl.
 */
type Machine = { platform: string; arch: string; isMusl: boolean }

/**
 * Selects the platform packages that run on a machine, the best first.
 *
 * @param names the optional dependencies of a package, such as `@dprint/linux-x64-glibc`
 */
export const platformPackages = (
  names: Array<string>,
  { platform, arch, isMusl }: Machine,
): Array<string> => {
  const system = platform === 'win32' ? ['win32', 'windows'] : [platform]
  const fits = (words: Array<string>) =>
    system.some((word) => words.includes(word)) && words.includes(arch)
    && (isMusl ? words.includes('musl') : !words.includes('musl'))
  // A baseline build is for processors without AVX2. It runs on all, but more slowly.
  const isBaseline = (name: string) => Number(name.includes('baseline'))
  return names.filter((name) => fits(name.split(/[-/@]/))).sort((a, b) => isBaseline(a) - isBaseline(b))
}

export const thisMachine = (): Machine => ({
  platform: process.platform,
  arch: process.arch,
  isMusl: existsSync('/lib') && readdirSync('/lib').some((name) => name.startsWith('ld-musl-')),
})

const readJson = (path: string) => JSON.parse(readFileSync(path, 'utf8'))

/**
 * Installs one package into the folder `modules`; returns the error if that fails, else null. Bun first installs the
 * package into a scratch folder, so that it changes no lock file.
 */
const fetchInto = (modules: string, name: string, spec: string): string | null => {
  const scratch = join(modules, '.platform-package')
  rmSync(scratch, { recursive: true, force: true })
  mkdirSync(scratch, { recursive: true })
  writeFileSync(join(scratch, 'package.json'), '{}')
  const add = ['add', '--exact', '--ignore-scripts', spec]
  const { status, stderr } = spawnSync(process.execPath, add, { cwd: scratch, encoding: 'utf8' })
  const fetched = join(scratch, 'node_modules', name)
  const isFetched = status === 0 && existsSync(fetched)
  if (isFetched) {
    mkdirSync(dirname(join(modules, name)), { recursive: true })
    renameSync(fetched, join(modules, name))
  }
  rmSync(scratch, { recursive: true, force: true })
  return isFetched ? null : stderr.trim().split('\n').at(-1) ?? `bun ended with ${status}`
}

/** Fetches the platform package of a package unless one for this machine is installed; returns the error or null. */
const fetchPlatformPackage = (modules: string, parent: string, machine: Machine): string | null => {
  const { version, optionalDependencies = {} } = readJson(join(modules, parent, 'package.json'))
  const names = Object.keys(optionalDependencies)
  const candidates = platformPackages(names, machine)
  const isInstalled = candidates.some((name) => existsSync(join(modules, name, 'package.json')))
  if (names.length === 0 || isInstalled) return null
  const [best] = candidates
  if (!best) return `${parent} ${version} has no package for ${machine.platform} on ${machine.arch}.`
  const spec = `${best}@${optionalDependencies[best]}`
  console.log(`Fetching ${spec} for this machine, which the lock file leaves out …`)
  const fault = fetchInto(modules, best, spec)
  return fault === null ? null : `${parent} needs ${spec}, which could not be fetched (${fault}). `
    + `Try again, or run: npm install --no-save --no-package-lock ${spec}`
}

/** Creates a link to the folder `target` at a path, and replaces what is there. */
const link = (target: string, path: string): void => {
  mkdirSync(dirname(path), { recursive: true })
  rmSync(path, { force: true, recursive: true })
  symlinkSync(target, path, 'junction')
}

/** Lists the packages that the manifest of a folder names. */
const packagesOf = (folder: string): Array<string> => {
  const { dependencies, devDependencies } = readJson(join(folder, 'package.json'))
  return Object.keys({ ...dependencies, ...devDependencies })
}

if (import.meta.main) {
  const root = dirname(import.meta.dirname)
  const modules = join(import.meta.dirname, 'node_modules')
  const machine = thisMachine()
  for (const parent of packagesOf(import.meta.dirname)) {
    const fault = fetchPlatformPackage(modules, parent, machine)
    if (fault === null) continue
    console.error(fault)
    process.exitCode = 1
  }
  for (const folder of ['src', 'bench']) link(modules, join(root, folder, 'node_modules'))
  // A second copy of zod would not know the descriptions that the first one stores.
  for (const name of packagesOf(root)) link(join(root, 'node_modules', name), join(modules, name))
}
