// As index.js: the checkout's own JSX, which the host compiles, or what was built of it for the published package, for
// under node_modules the host compiles none. Solid and its renderer are the host's own, and handed on to what is built.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { whyOff } from './missing.js'

const ASKED = "export * as solid from 'solid-js'; export * as jsx from '@opentui/solid/jsx-runtime'"

// A package that was installed from a tarball lies in a folder named `opencode-sat@file:…`. The host's Bun takes the
// colon for the end of a namespace and does not find the host's modules from there, so a file in another folder asks for them.
const fromBeside = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'opencode-sat-'))
  try {
    writeFileSync(join(folder, 'asked.js'), ASKED)
    return await import(pathToFileURL(join(folder, 'asked.js')).href)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const broughtByHost = async () => {
  try {
    return { solid: await import('solid-js'), jsx: await import('@opentui/solid/jsx-runtime') }
  } catch {
    return fromBeside()
  }
}

const load = async () => {
  if (existsSync(new URL('./tui.tsx', import.meta.url))) return (await import('./tui.tsx')).default
  const { solid, jsx } = await broughtByHost()
  globalThis[Symbol.for('opencode-sat.terminal')] = { 'solid-js': solid, '@opentui/solid/jsx-runtime': jsx }
  return (await import('./dist/tui.js')).default
}

/** The terminal's half where it cannot be loaded. */
const absent = (thrown) => ({
  id: 'opencode-sat',
  tui: async ({ ui }) =>
    ui.toast({ variant: 'error', title: 'SAT', message: whyOff(thrown), duration: 15_000 }),
})

export default await load().catch(absent)
