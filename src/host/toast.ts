import { safeAsync } from '../safe.ts'
import { wrapToast } from '../text/wrap-toast.ts'
import type { Client } from './client.ts'
import { printInRun } from './run-output.ts'

/** Shows the person a short warning in the terminal, once for each key. */
export type Toast = (key: string, message: string) => void

// How long after the plugin's start the terminal draws toasts: before 200 ms they were lost (host 1.18.33).
const READY_MS = 1_500
// How long a toast stays before the next one takes its place, so that it can be read.
const READING_MS = 4_000
const TOAST = { title: 'SAT', variant: 'warning', duration: 10_000 } as const

/**
 * Makes toasts over the host's client, for what the person should fix; the log has the detail. In `opencode run` each
 * message is a line on stderr.
 *
 * Only the first message of a key is shown. Messages that arrive while a toast is on the screen are shown together in
 * the next one, a line each. It never waits and never fails; without a terminal nothing is shown.
 *
 * @param ready after how many milliseconds the terminal is ready for the first toast
 * @param reading after how many it is ready for the next one
 */
export const toastOf = (client: Client, ready = READY_MS, reading = READING_MS): Toast => {
  const shown = new Set<string>()
  let waiting: Array<string> = []
  let free = Date.now() + ready
  const show = (): void => {
    const body = { ...TOAST, message: wrapToast(waiting.join('\n')) }
    waiting = []
    free = Date.now() + reading
    // The log has the detail; a lost toast must not cost a turn.
    void safeAsync(async () => await client.tui.showToast({ body }))
  }
  return (key, message) => {
    if (shown.has(key)) return
    shown.add(key)
    if (printInRun(`SAT: ${message}`)) return
    waiting.push(message)
    if (waiting.length === 1) setTimeout(show, Math.max(0, free - Date.now())).unref()
  }
}
