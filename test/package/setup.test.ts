/** Checks that `test/setup.ts` completes the install of a checkout, and that a clone loads as a user installs it. */
import { $ } from 'bun'
import { expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, realpathSync, symlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { CHECKOUT, writeInto } from '../harness/host.ts'
import { scratchFolder } from '../harness/scratch.ts'
import { platformPackages } from '../setup.ts'
import { copyCheckout } from './packed.ts'

const MODULES = join(CHECKOUT, 'test', 'node_modules')
const manifestOf = (folder: string) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))

test.each<[platform: string, arch: string, isMusl: boolean, host?: string, dprint?: string]>([
  ['darwin', 'arm64', false, 'opencode-darwin-arm64', '@dprint/darwin-arm64'],
  ['win32', 'x64', false, 'opencode-windows-x64', '@dprint/win32-x64'],
  ['linux', 'x64', true, 'opencode-linux-x64-musl', '@dprint/linux-x64-musl'],
  ['linux', 'riscv64', false, undefined, '@dprint/linux-riscv64-glibc'],
])('the best packages for %s %s, with musl: %p', (platform, arch, isMusl, host, dprint) => {
  const best = ['opencode-ai', 'dprint'].map((parent) => {
    // Reversed, so that the slower builds (`-baseline`) precede the best ones.
    const names = Object.keys(manifestOf(join(MODULES, parent)).optionalDependencies).toReversed()
    return platformPackages(names, { platform, arch, isMusl })[0]
  })
  expect(best).toEqual([host, dprint])
})

const scratch = scratchFolder()

/** Lists the names of the packages in a folder `node_modules`. */
const packagesIn = (modules: string): Array<string> =>
  ['*/package.json', '@*/*/package.json'].flatMap((pattern) =>
    [...new Bun.Glob(pattern).scanSync({ cwd: modules, followSymlinks: true })].map(dirname)
  )

/** Links packages from `MODULES` into the folder `node_modules` of a folder. */
const linkPackages = (folder: string, names: Array<string>): void => {
  for (const name of names) {
    const path = join(folder, 'node_modules', name)
    mkdirSync(dirname(path), { recursive: true })
    symlinkSync(join(MODULES, name), path)
  }
}

/** Packs a package as a registry sends it; not compressed, which would take over a second. */
const pack = (folder: string): Uint8Array<ArrayBuffer> => {
  const { stdout } = spawnSync('tar', ['-chf', '-', '-C', dirname(folder), basename(folder)], {
    maxBuffer: 1e9,
  })
  return Bun.gzipSync(stdout, { level: 0 })
}

/** Starts a local registry that has only the named packages of a folder `node_modules`; returns its address. */
const startRegistry = (modules: string, names: Array<string>): string => {
  const server: Bun.Server<undefined> = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: ({ url }): Response => {
      // `/zod` asks for the versions of a package, `/zod.tgz` for its archive.
      const [, name = '', end] = /^\/(.*?)(\.tgz)?$/.exec(decodeURIComponent(new URL(url).pathname))!
      if (!names.includes(name)) return new Response('{}', { status: 404 })
      const folder = join(modules, name)
      if (end !== undefined) return new Response(pack(folder))
      const { version, dependencies } = manifestOf(folder)
      const dist = { tarball: `${server.url}${name}.tgz` }
      const versions = { [version]: { name, version, dist, dependencies } }
      return Response.json({ name, 'dist-tags': { latest: version }, versions })
    },
  })
  server.unref()
  return String(server.url)
}

/** Runs `setup.ts` in the folder `test` of a checkout. The cache is empty, so everything comes from the registry. */
const setUp = async (folder: string, registry: string) => {
  const env = { BUN_INSTALL_CACHE_DIR: join(folder, 'cache'), BUN_CONFIG_REGISTRY: registry }
  const running = $`${process.execPath} setup.ts`.cwd(folder).env({ ...process.env, ...env })
  const { exitCode, stdout, stderr } = await running.nothrow().quiet()
  return { exitCode, out: String(stdout), err: String(stderr) }
}

// Names of platform packages, such as `opencode-linux-x64` and `@dprint/linux-x64-glibc`.
const HOST_PACKAGE = /^opencode-(?:linux|darwin|windows)/
const DPRINT_PACKAGE = /^@dprint\/.*(?:x64|arm64)/

test('setup fetches a missing platform package, or reports that it cannot, and links folders', async () => {
  const checkout = join(scratch, 'checkout')
  const folder = join(checkout, 'test')
  writeInto(checkout, { 'package.json': '{"dependencies":{"zod":"4.1.8"}}', 'test/.keep': '' })
  const copied = ['package.json', 'bun.lock', 'setup.ts']
  for (const name of copied) copyFileSync(join(CHECKOUT, 'test', name), join(folder, name))
  const names = packagesIn(MODULES)
  linkPackages(folder, names.filter((name) => !HOST_PACKAGE.test(name) && !DPRINT_PACKAGE.test(name)))

  // The registry has the platform package of dprint, but not that of the host.
  const dprint = names.find((name) => DPRINT_PACKAGE.test(name))!
  const registry = startRegistry(MODULES, [dprint])
  const { out, err, exitCode } = await setUp(folder, registry)
  expect(exitCode).toBe(1)
  const fault = /^opencode-ai needs (opencode-\w+-\w+@[\d.]+), .*npm install --no-save --no-package-lock \1$/
  expect(err.trim()).toMatch(fault)
  expect(out).toContain(`Fetching ${dprint}@${manifestOf(join(MODULES, dprint)).version} for this machine`)
  const filesOf = (modules: string) => readdirSync(join(modules, dprint)).toSorted()
  expect(filesOf(join(folder, 'node_modules'))).toEqual(filesOf(MODULES))
  const [lock, lockBefore] = [folder, join(CHECKOUT, 'test')].map((at) => readFileSync(join(at, 'bun.lock')))
  expect(lock).toEqual(lockBefore!)
  // `src/node_modules` and `bench/node_modules` lead to `test/node_modules`. Nothing is installed into the root.
  const [inTest, inSrc, inBench] = ['test', 'src', 'bench']
    .map((part) => realpathSync(join(checkout, part, 'node_modules/fast-check')))
  expect([inSrc, inBench]).toEqual([inTest, inTest])
  expect(readdirSync(checkout).toSorted()).toEqual(['bench', 'package.json', 'src', 'test'])

  linkPackages(folder, names.filter((name) => HOST_PACKAGE.test(name)))
  expect(await setUp(folder, registry)).toEqual({ exitCode: 0, out: '', err: '' })
}, 120_000)

test('a clone loads with only the production dependencies', async () => {
  const clone = join(scratch, 'clone')
  copyCheckout(clone)
  const installed = join(CHECKOUT, 'node_modules')
  const registry = startRegistry(installed, packagesIn(installed))
  const env = { NODE_ENV: 'production', npm_config_omit: 'dev', npm_config_registry: registry }
  await $`npm install --cache node_modules/.npm`.cwd(clone).env({ ...process.env, ...env }).quiet()
  const program = `const { default: SAT } = await import(${JSON.stringify(join(clone, 'index.js'))})
    console.log(Object.keys((await SAT({ directory: '/', client: {} })).tool ?? {}).length)`
  expect(await $`${process.execPath} --no-install -e ${program}`.text()).toBe('7\n')
}, 120_000)
