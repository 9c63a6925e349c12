/** After `bun install` in test/, links node_modules and fetches this machine's packages that bun.lock leaves out. */
import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import { dirname, join } from 'node:path'

type Machine = { platform: string; arch: string; isMusl: boolean }

/** Returns the names (such as `@dprint/linux-x64-glibc`) of the packages that run on a machine, best first. */
export const platformPackages = (names: Array<string>, { platform, arch, isMusl }: Machine) => {
  const system = platform === 'win32' ? ['win32', 'windows'] : [platform]
  const fits = (words: Array<string>) =>
    system.some((word) => words.includes(word)) && words.includes(arch) && words.includes('musl') === isMusl
  // A baseline build (for processors without AVX2) comes last, because it is slower.
  const rankOf = (name: string) => name.includes('baseline') ? 1 : 0
  return names.filter((name) => fits(name.split(/[-/@]/))).sort((a, b) => rankOf(a) - rankOf(b))
}

export const thisMachine = (): Machine => ({
  platform: process.platform,
  arch: process.arch,
  isMusl: fs.existsSync('/lib') && fs.readdirSync('/lib').some((name) => name.startsWith('ld-musl-')),
})

const readJson = (path: string) => JSON.parse(fs.readFileSync(path, 'utf8'))

const reportFailure = (message: string): void => {
  console.error(message)
  process.exitCode = 1
}

const fetchPlatformPackage = (modules: string, parent: string, machine: Machine): void => {
  const { version, optionalDependencies = {} } = readJson(join(modules, parent, 'package.json'))
  const names = Object.keys(optionalDependencies)
  const candidates = platformPackages(names, machine)
  const isInstalled = candidates.some((name) => fs.existsSync(join(modules, name, 'package.json')))
  if (names.length === 0 || isInstalled) return
  const [best] = candidates
  if (!best) {
    return reportFailure(`${parent} ${version} has no package for ${machine.platform} on ${machine.arch}.`)
  }
  const spec = `${best}@${optionalDependencies[best]}`
  console.log(`Fetching ${spec}, which this machine needs and the lock file leaves out …`)
  // In a folder with a package.json of its own, Bun does not change the lock file of test/.
  const scratch = join(modules, '.platform-package')
  fs.mkdirSync(scratch, { recursive: true })
  fs.writeFileSync(join(scratch, 'package.json'), '{}')
  const add = ['add', '--exact', '--ignore-scripts', spec]
  const { status, stderr } = spawnSync(process.execPath, add, { cwd: scratch, encoding: 'utf8' })
  const fetched = join(scratch, 'node_modules', best)
  if (status === 0 && fs.existsSync(fetched)) {
    fs.mkdirSync(dirname(join(modules, best)), { recursive: true })
    fs.renameSync(fetched, join(modules, best))
  } else {
    const advice = `Try again, or run: npm install --no-save --no-package-lock ${spec}`
    const reason = stderr.trim().split('\n').at(-1)
    reportFailure(`${parent} needs ${spec}, which could not be fetched (${reason}). ${advice}`)
  }
  fs.rmSync(scratch, { recursive: true })
}

const link = (target: string, path: string): void => {
  fs.mkdirSync(dirname(path), { recursive: true })
  fs.rmSync(path, { force: true, recursive: true })
  fs.symlinkSync(target, path, 'junction')
}

const packagesOf = (folder: string): Array<string> => {
  const { dependencies, devDependencies } = readJson(join(folder, 'package.json'))
  return Object.keys({ ...dependencies, ...devDependencies })
}

if (import.meta.main) {
  const root = dirname(import.meta.dirname)
  const modules = join(import.meta.dirname, 'node_modules')
  const machine = thisMachine()
  for (const parent of packagesOf(import.meta.dirname)) fetchPlatformPackage(modules, parent, machine)
  for (const folder of ['src', 'bench']) link(modules, join(root, folder, 'node_modules'))
  // Tests must load the plugin's copy of zod, because only this copy finds the descriptions of the plugin's schemas.
  for (const name of packagesOf(root)) link(join(root, 'node_modules', name), join(modules, name))
}
