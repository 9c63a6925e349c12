// The checkout runs its TypeScript as it stands, the published package its bundle. One entry serves both, so that
// package.json names the same in both.
import { existsSync } from 'node:fs'
import { whyOff } from './missing.js'

// The terminal draws no toast that comes in the first moments of the plugin's life.
const READY_MS = 1500

/** The plugin where SAT cannot be loaded. The host leaves out one that throws without a word, so this one says it. */
const absent = (thrown) => async ({ client }) => {
  const message = whyOff(thrown)
  const quietly = async (say) => {
    try {
      await say()
    } catch {
      // Nobody is there to be told.
    }
  }
  void quietly(() =>
    client.app.log({ body: { service: 'opencode-sat', level: 'error', message: `opencode-sat: ${message}` } })
  )
  const body = { title: 'SAT', message, variant: 'error', duration: 15_000 }
  setTimeout(() => void quietly(() => client.tui.showToast({ body })), READY_MS).unref()
  return {}
}

const load = async () => {
  try {
    const entry = existsSync(new URL('./sat.ts', import.meta.url)) ? './sat.ts' : './dist/sat.js'
    return (await import(entry)).default
  } catch (thrown) {
    return absent(thrown)
  }
}

const SAT = await load()

export default SAT
