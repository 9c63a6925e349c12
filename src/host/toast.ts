/** Shows toasts: short messages in the terminal about faults that the person should fix. */
import { safeAsync } from '../safe.ts'
import { wrapToast } from '../text/wrap-toast.ts'
import type { Client } from './client.ts'
import { printInRun } from './headless-run.ts'

/** Of several messages with the same key, only the first is shown. */
export type Toast = (key: string, message: string) => void

// A toast in the first 200 ms after the plugin's start is lost (host 1.18.33).
const READY_MS = 1_500
const READING_MS = 4_000
const TOAST = { title: 'SAT', variant: 'warning', duration: 10_000 } as const

/** Creates a `Toast`, which returns at once and never fails. */
export const createToast = (client: Client): Toast => {
  const shownKeys = new Set<string>()
  let waiting: Array<string> = []
  let mayShowAt = Date.now() + READY_MS
  const sendToast = (): void => {
    const body = { ...TOAST, message: wrapToast(waiting.join('\n')) }
    waiting = []
    mayShowAt = Date.now() + READING_MS
    void safeAsync(async () => await client.tui.showToast({ body }))
  }
  return (key, message) => {
    if (shownKeys.has(key)) return
    shownKeys.add(key)
    if (printInRun(`SAT: ${message}`)) return
    waiting.push(message)
    if (waiting.length === 1) setTimeout(sendToast, Math.max(0, mayShowAt - Date.now())).unref()
  }
}
