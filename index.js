// The plugin's entry. In a checkout it loads the TypeScript, in the published package the bundle, so that package.json
// names the same file in both.
import { existsSync } from 'node:fs'
import { whyOff } from './missing.js'

// The terminal loses toasts that are sent right after the plugin's start.
const READY_MS = 1500

/** Creates a plugin that only shows why SAT cannot be loaded: the host would silently skip a plugin that throws. */
const placeholder = (thrown) => async ({ client }) => {
  const message = whyOff(thrown)
  const ignoreErrors = async (report) => {
    try {
      await report()
    } catch {
      // Nobody could be shown the error.
    }
  }
  void ignoreErrors(() =>
    client.app.log({ body: { service: 'opencode-sat', level: 'error', message: `opencode-sat: ${message}` } })
  )
  const body = { title: 'SAT', message, variant: 'error', duration: 15_000 }
  setTimeout(() => void ignoreErrors(() => client.tui.showToast({ body })), READY_MS).unref()
  return {}
}

const load = async () => {
  try {
    const entry = existsSync(new URL('./sat.ts', import.meta.url)) ? './sat.ts' : './dist/sat.js'
    return (await import(entry)).default
  } catch (thrown) {
    return placeholder(thrown)
  }
}

const SAT = await load()

export default SAT
