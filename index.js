// The plugin's entry: loads the TypeScript of a checkout, or the bundle of the published package.
import { existsSync } from 'node:fs'
import { whyOff } from './missing.js'

// The terminal loses toasts that a plugin sends at once.
const READY_MS = 1500

// A plugin that only reports why SAT is off: the host would silently skip one that throws.
const placeholder = (thrown) => async ({ client }) => {
  const message = whyOff(thrown)
  const attempt = (report) => void Promise.resolve().then(report).catch(() => {})
  const entry = { service: 'opencode-sat', level: 'error', message: `opencode-sat: ${message}` }
  attempt(() => client.app.log({ body: entry }))
  const toast = { title: 'SAT', message, variant: 'error', duration: 15_000 }
  setTimeout(() => attempt(() => client.tui.showToast({ body: toast })), READY_MS).unref()
  return {}
}

const file = existsSync(new URL('./sat.ts', import.meta.url)) ? './sat.ts' : './dist/sat.js'

export default await import(file).then((module) => module.default).catch(placeholder)
