/** Tests of a clone, and of `setup.ts`, which fetches packages for one platform (such as `@dprint/linux-x64-glibc`). */
import { $ } from 'bun'
import { expect, test } from 'bun:test'
import { copyFileSync, existsSync, readdirSync, readFileSync, realpathSync, symlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { CHECKOUT, writeInto } from '../harness/host.ts'
import { scratchFolder } from '../harness/scratch.ts'
import { platformPackages, thisMachine } from '../setup.ts'
import { copyCheckout } from './packed.ts'

const MODULES = join(CHECKOUT, 'test', 'node_modules')
const scratch = scratchFolder()

const manifestOf = (folder: string) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))

const bestPackages = (machine: ReturnType<typeof thisMachine>) =>
  ['opencode-ai', 'dprint'].map((parent) => {
    const names = Object.keys(manifestOf(join(MODULES, parent)).optionalDependencies)
    return platformPackages(names, machine)[0]
  })

test.each<[platform: string, arch: string, isMusl: boolean, hostPackage?: string, dprint?: string]>([
  ['darwin', 'arm64', false, 'opencode-darwin-arm64', '@dprint/darwin-arm64'],
  ['win32', 'x64', false, 'opencode-windows-x64', '@dprint/win32-x64'],
  ['linux', 'x64', true, 'opencode-linux-x64-musl', '@dprint/linux-x64-musl'],
  ['linux', 'riscv64', false, undefined, '@dprint/linux-riscv64-glibc'],
])('setup chooses the packages for %s %s (musl: %p)', (platform, arch, isMusl, hostPackage, dprint) => {
  expect(bestPackages({ platform, arch, isMusl })).toEqual([hostPackage, dprint])
})

/** Does not compress, because compression would take over a second. */
const pack = (folder: string): Uint8Array<ArrayBuffer> => {
  const command = ['tar', '-chf', '-', '-C', dirname(folder), basename(folder)]
  return Bun.gzipSync(new Uint8Array(Bun.spawnSync(command).stdout), { level: 0 })
}

const startRegistry = (modules: string, names: RegExp): string => {
  const server: Bun.Server<undefined> = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: ({ url }): Response => {
      // `/zod` asks for the versions of a package, `/zod.tgz` for its archive.
      const [, name = '', end] = /^\/(.*?)(\.tgz)?$/.exec(decodeURIComponent(new URL(url).pathname))!
      const folder = join(modules, name)
      if (!names.test(name) || !existsSync(folder)) return new Response('{}', { status: 404 })
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

/** With an empty cache, Bun has to fetch from the registry. */
const setUp = async (folder: string, registry: string) => {
  const env = { BUN_INSTALL_CACHE_DIR: join(folder, 'cache'), BUN_CONFIG_REGISTRY: registry }
  const running = $`${process.execPath} setup.ts`.cwd(folder).env({ ...process.env, ...env })
  const { exitCode, stdout, stderr } = await running.nothrow().quiet()
  return { exitCode, out: String(stdout), err: String(stderr) }
}

test('setup fetches missing platform packages, reports unavailable packages, and links folders', async () => {
  const checkout = join(scratch, 'checkout')
  const folder = join(checkout, 'test')
  const modules = join(folder, 'node_modules')
  writeInto(checkout, {
    'package.json': '{"dependencies":{"zod":"4.1.8"}}',
    'test/package.json': '{"devDependencies":{"dprint":"*","opencode-ai":"*"}}',
    'test/node_modules/.keep': '',
  })
  for (const name of ['bun.lock', 'setup.ts']) copyFileSync(join(CHECKOUT, 'test', name), join(folder, name))
  const linkPackage = (name: string) => symlinkSync(join(MODULES, name), join(modules, name))
  for (const name of ['dprint', 'opencode-ai']) linkPackage(name)

  const [hostPackage, dprint] = bestPackages(thisMachine()) as [string, string]
  const registry = startRegistry(MODULES, /^@dprint\//)
  const { out, err, exitCode } = await setUp(folder, registry)
  expect(exitCode).toBe(1)
  expect(err).toMatch(/^opencode-ai needs (.*), which .*npm install --no-save --no-package-lock \1\n$/)
  expect(err).toContain(`${hostPackage}@`)
  expect(out).toContain(`Fetching ${dprint}@${manifestOf(join(MODULES, dprint)).version}, which this`)
  expect(readdirSync(join(modules, dprint)).toSorted()).toEqual(readdirSync(join(MODULES, dprint)).toSorted())
  expect(readFileSync(join(folder, 'bun.lock'))).toEqual(readFileSync(join(CHECKOUT, 'test', 'bun.lock')))
  expect(readdirSync(checkout).toSorted()).toEqual(['bench', 'package.json', 'src', 'test'])
  for (const part of ['src', 'bench']) {
    expect(realpathSync(join(checkout, part, 'node_modules'))).toBe(realpathSync(modules))
  }

  linkPackage(hostPackage)
  expect(await setUp(folder, registry)).toEqual({ exitCode: 0, out: '', err: '' })
}, 120_000)

test('in a clone with only the production dependencies, SAT loads and has its seven tools', async () => {
  const clone = join(scratch, 'clone')
  copyCheckout(clone)
  const registry = startRegistry(join(CHECKOUT, 'node_modules'), /./)
  const env = { NODE_ENV: 'production', npm_config_omit: 'dev', npm_config_registry: registry }
  await $`npm install --cache node_modules/.npm`.cwd(clone).env({ ...process.env, ...env }).quiet()
  const program = `const { default: SAT } = await import(${JSON.stringify(join(clone, 'index.js'))})
    console.log(Object.keys((await SAT({ directory: '/', client: {} })).tool ?? {}).length)`
  expect(await $`${process.execPath} --no-install -e ${program}`.text()).toBe('7\n')
}, 120_000)
