// The plugin's entry: loads the TypeScript of a checkout, or the bundle of the published package.
import { existsSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'
import { whyOff } from './missing.js'

// The terminal loses a toast that is sent as soon as the plugin is loaded.
const READY_MS = 1500

// Like `isRun` in src/host/headless-run.ts, which cannot be imported if SAT cannot be loaded.
const isRun = isMainThread && process.argv.includes('run')
  && !process.argv.some((option) => option === '-i' || option === '--interactive')

// The host would silently skip a plugin that throws. This plugin only reports why SAT is off.
const placeholder = (thrown) => async ({ client }) => {
  const message = whyOff(thrown)
  if (isRun) {
    console.error(message)
    // Nothing was checked, so the run must not succeed.
    if (process.env.SAT_EXIT === '1') process.exitCode = 1
  }
  const attempt = (report) => void Promise.resolve().then(report).catch(() => {})
  const entry = { service: 'opencode-sat', level: 'error', message: `opencode-sat: ${message}` }
  attempt(() => client.app.log({ body: entry }))
  const toast = { title: 'SAT', message, variant: 'error', duration: 15_000 }
  setTimeout(() => attempt(() => client.tui.showToast({ body: toast })), READY_MS).unref()
  return {}
}

const file = existsSync(new URL('./sat.ts', import.meta.url)) ? './sat.ts' : './dist/sat.js'

export default await import(file).then((module) => module.default).catch(placeholder)
