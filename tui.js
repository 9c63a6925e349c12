// Loads the terminal half of SAT. The host (OpenCode) compiles JSX in a checkout, but not in node_modules.
// There, this file loads a build, and passes it the host's Solid and renderer.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { whyOff } from './missing.js'

const HOST_MODULES = "export * as solid from 'solid-js'; export * as jsx from '@opentui/solid/jsx-runtime'"

// The host's Bun treats the text before a colon in a path as a namespace. The folder of a package from a tarball
// has a colon in its name, so an import there does not find the host's modules.
const importFromOtherFolder = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'opencode-sat-'))
  try {
    const file = join(folder, 'host-modules.js')
    writeFileSync(file, HOST_MODULES)
    return await import(pathToFileURL(file).href)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const importHostModules = async () => {
  try {
    return { solid: await import('solid-js'), jsx: await import('@opentui/solid/jsx-runtime') }
  } catch {
    return importFromOtherFolder()
  }
}

const load = async () => {
  if (existsSync(new URL('./tui.tsx', import.meta.url))) return (await import('./tui.tsx')).default
  const { solid, jsx } = await importHostModules()
  globalThis[Symbol.for('opencode-sat.terminal')] = { 'solid-js': solid, '@opentui/solid/jsx-runtime': jsx }
  return (await import('./dist/tui.js')).default
}

const placeholder = (thrown) => ({
  id: 'opencode-sat',
  tui: async ({ ui }) =>
    ui.toast({ variant: 'error', title: 'SAT', message: whyOff(thrown), duration: 15_000 }),
})

export default await load().catch(placeholder)
