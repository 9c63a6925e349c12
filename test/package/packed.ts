import { $ } from 'bun'
import { expect } from 'bun:test'
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CHECKOUT, OFFLINE } from '../harness/host.ts'
import { scratchFolder } from '../harness/scratch.ts'

type Packed = { filename: string; unpackedSize: number; files: Array<{ path: string }> }

export const scratch = scratchFolder()

export const run = async (command: string, args: Array<string>, cwd = scratch): Promise<string> => {
  const env = { ...process.env, ...OFFLINE, XDG_STATE_HOME: join(scratch, 'state') }
  const { exitCode, stdout, stderr } = await $`${command} ${args}`.cwd(cwd).env(env).nothrow().quiet()
  if (exitCode === 0) return stdout.toString()
  throw new Error(`${command} ${args.join(' ')} ended with ${exitCode}:\n${stdout}\n${stderr}`)
}

/** Copies the files that git does not ignore. */
export const copyCheckout = (folder: string): void => {
  const command = ['git', 'ls-files', '--cached', '--others', '--exclude-standard']
  const paths = Bun.spawnSync(command, { cwd: CHECKOUT }).stdout.toString().trim().split('\n')
  for (const path of paths) cpSync(join(CHECKOUT, path), join(folder, path))
}

const once = <T>(work: () => Promise<T>): () => Promise<T> => {
  let result: Promise<T> | undefined
  return () => (result ??= work())
}

/** Packs a copy of the checkout only once, because parallel runs would write the same files. */
export const packedPackage = once(async (): Promise<Packed> => {
  const copy = join(scratch, 'clone')
  copyCheckout(copy)
  for (const modules of ['node_modules', 'test/node_modules']) {
    symlinkSync(join(CHECKOUT, modules), join(copy, modules))
  }
  const answer = await run('npm', ['pack', '--json', '--silent', '--pack-destination', scratch], copy)
  // The script `prepack` changes package.json, and `postpack` must restore it.
  expect(readFileSync(join(copy, 'package.json'), 'utf8'))
    .toBe(readFileSync(join(CHECKOUT, 'package.json'), 'utf8'))
  return (JSON.parse(answer) as [Packed])[0]
})

export const packedSpecifier = async (): Promise<string> =>
  `opencode-sat@file:${join(scratch, (await packedPackage()).filename)}`

/** Returns the folder of the installed package. */
export const installedPackage = once(async (): Promise<string> => {
  const { filename } = await packedPackage()
  writeFileSync(join(scratch, 'package.json'), '{"type": "module"}')
  await run('npm', ['install', '--offline', join(scratch, filename)])
  return join(scratch, 'node_modules', 'opencode-sat')
})
