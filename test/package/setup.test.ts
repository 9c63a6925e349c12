/** `setup` fetches platform packages that the lock file omits; a clone runs with a production install. */
import { $ } from 'bun'
import { expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { CHECKOUT } from '../harness/host.ts'
import { scratchFolder } from '../harness/scratch.ts'
import { platformPackages } from '../setup.ts'
import { copyCheckout } from './packed.ts'

const modules = join(CHECKOUT, 'test', 'node_modules')
const manifestOf = (folder: string) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))

test.each<[platform: string, arch: string, isMusl: boolean, host?: string, dprint?: string]>([
  ['darwin', 'arm64', false, 'opencode-darwin-arm64', '@dprint/darwin-arm64'],
  ['win32', 'x64', false, 'opencode-windows-x64', '@dprint/win32-x64'],
  ['linux', 'x64', true, 'opencode-linux-x64-musl', '@dprint/linux-x64-musl'],
  ['linux', 'riscv64', false, undefined, '@dprint/linux-riscv64-glibc'],
])('the packages for %s %s, with musl: %p', (platform, arch, isMusl, host, dprint) => {
  const names = ['opencode-ai', 'dprint'].map((parent) =>
    Object.keys(manifestOf(join(modules, parent)).optionalDependencies).toReversed()
  )
  expect(names.map((all) => platformPackages(all, { platform, arch, isMusl })[0])).toEqual([host, dprint])
})

const scratch = scratchFolder()

const packageFolders = (modules: string): Array<string> =>
  readdirSync(modules).filter((name) => !name.startsWith('.')).flatMap((name) =>
    name.startsWith('@') ? readdirSync(join(modules, name)).map((inner) => `${name}/${inner}`) : [name]
  )

/** Links some packages of this checkout into a folder. */
const linkPackages = (folder: string, isLinked: (name: string) => boolean): void => {
  for (const name of packageFolders(modules).filter(isLinked)) {
    mkdirSync(join(folder, 'node_modules', name, '..'), { recursive: true })
    symlinkSync(join(modules, name), join(folder, 'node_modules', name))
  }
}

const HOST = /^opencode-(?:linux|darwin|windows)/
const DPRINT = /^@dprint\/.*(?:x64|arm64)/

/** Creates the folder `test` of a checkout without the host and the programs of dprint. */
const incompleteFolder = (): string => {
  const folder = join(mkdtempSync(join(scratch, 'checkout-')), 'test')
  mkdirSync(folder)
  writeFileSync(join(folder, '..', 'package.json'), '{"dependencies":{"zod":"4.1.8"}}')
  for (const name of ['package.json', 'bun.lock', 'setup.ts']) {
    copyFileSync(join(CHECKOUT, 'test', name), join(folder, name))
  }
  linkPackages(folder, (name) => !HOST.test(name) && !DPRINT.test(name))
  return folder
}

/** Packs a package as a registry sends it, but uncompressed: compressing a program takes more than a second. */
const packed = (folder: string): Uint8Array<ArrayBuffer> => {
  const link = join(mkdtempSync(join(scratch, 'packed-')), 'package')
  symlinkSync(folder, link)
  const { stdout } = spawnSync('tar', ['-chf', '-', '-C', dirname(link), 'package'], { maxBuffer: 1e9 })
  return Bun.gzipSync(stdout, { level: 0 })
}

/** Starts a registry on loopback that has some installed packages; returns its address. */
const registryOf = (folders: Array<string>): string => {
  const found = new Map(folders.map((folder) => [manifestOf(folder).name, folder]))
  const server: Bun.Server<undefined> = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: ({ url }): Response => {
      const [, name = '', end] = /^\/(.*?)(\.tgz)?$/.exec(decodeURIComponent(new URL(url).pathname))!
      const folder = found.get(name)
      if (folder === undefined) return new Response('{}', { status: 404 })
      if (end !== undefined) return new Response(packed(folder))
      const { version, dependencies } = manifestOf(folder)
      const dist = { tarball: `${server.url}${name}.tgz` }
      return Response.json({
        name,
        'dist-tags': { latest: version },
        versions: { [version]: { name, version, dist, dependencies } },
      })
    },
  })
  server.unref()
  return String(server.url)
}

const setUp = async (folder: string, registry: string) => {
  // The cache is empty, so that everything comes from the registry.
  const cache = join(folder, 'cache')
  const env = { BUN_INSTALL_CACHE_DIR: cache, BUN_CONFIG_REGISTRY: registry, npm_config_registry: registry }
  const running = $`${process.execPath} setup.ts`.cwd(folder).env({ ...process.env, ...env })
  const { exitCode: status, stdout, stderr } = await running.nothrow().quiet()
  return { status, out: stdout.toString(), err: stderr.toString() }
}

test('setup fetches platform packages that the lock file omits, and reports a failure', async () => {
  const name = packageFolders(modules).find((name) => DPRINT.test(name))!
  const folder = incompleteFolder()
  const registry = registryOf([join(modules, name)])
  const lock = readFileSync(join(folder, 'bun.lock'), 'utf8')
  const { out, err, status } = await setUp(folder, registry)
  expect(status).toBe(1)
  expect(err.trim().split('\n')).toEqual([
    expect.stringMatching(
      /opencode-ai needs (opencode-\w+-\w+@[\d.]+), .*npm install --no-save --no-package-lock \1/,
    ),
  ])
  expect(out).toContain(`Fetching ${name}@${manifestOf(join(modules, name)).version} for this machine`)
  // The unit tests and the bench find the packages of this folder; the root has only what a user installs.
  for (const name of ['src', 'bench']) {
    expect(realpathSync(join(folder, '..', name, 'node_modules', 'fast-check'))).toBe(
      realpathSync(join(modules, 'fast-check')),
    )
  }
  expect(readdirSync(join(folder, '..')).toSorted()).toEqual(['bench', 'package.json', 'src', 'test'])
  const fetched = readdirSync(join(folder, 'node_modules', name))
  expect(fetched.toSorted()).toEqual(readdirSync(join(modules, name)).toSorted())
  expect(readFileSync(join(folder, 'bun.lock'), 'utf8')).toBe(lock)
  linkPackages(folder, (name) => HOST.test(name))
  expect(await setUp(folder, registry)).toEqual({ status: 0, out: '', err: '' })
}, 120_000)

test('a clone runs with what a production install has', async () => {
  const clone = join(mkdtempSync(join(scratch, 'clone-')), 'clone')
  copyCheckout(clone)
  const installed = join(CHECKOUT, 'node_modules')
  const packages = packageFolders(installed).map((name) => join(installed, name))
    .filter((folder) => !lstatSync(folder).isSymbolicLink())
  const env = { NODE_ENV: 'production', npm_config_omit: 'dev', npm_config_registry: registryOf(packages) }
  await $`npm install --cache node_modules/.npm`.cwd(clone).env({ ...process.env, ...env }).quiet()
  const program = `const { default: SAT } = await import(${JSON.stringify(join(clone, 'index.js'))})
    console.log(Object.keys((await SAT({ directory: '/', client: {} })).tool ?? {}).length)`
  expect(await $`${process.execPath} --no-install -e ${program}`.text()).toBe('7\n')
}, 120_000)
