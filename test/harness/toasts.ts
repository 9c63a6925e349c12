import { eventually } from './eventually.ts'
import type { Project } from './host.ts'

/** A toast in an event of the host. */
type ShownToast = { title?: string; message: string; variant: string }

/**
 * Listens to the host's events of a project, as the host's terminal does.
 *
 * @returns the toasts so far, a function that waits for a toast, and one that stops listening
 */
export const toastsOf = async (project: Project, url: string) => {
  const shown: Array<ShownToast> = []
  const ended = new AbortController()
  const response = await fetch(`${url}/event`, {
    headers: { 'x-opencode-directory': encodeURIComponent(project.directory) },
    signal: ended.signal,
  })
  const listen = async () => {
    let text = ''
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      const lines = (text + chunk).split('\n')
      // The last line is incomplete.
      text = lines.pop() ?? ''
      const events = lines.filter((line) => line.startsWith('data: '))
        .map((line) => JSON.parse(line.slice('data: '.length)) as { type: string; properties: ShownToast })
      shown.push(
        ...events.filter(({ type }) => type === 'tui.toast.show').map(({ properties }) => properties),
      )
    }
  }
  const listening = listen().catch(() => {})
  return {
    shown,
    /** Waits for the first toast whose text matches. */
    waitFor: async (words: RegExp): Promise<ShownToast> => {
      const isExpected = ({ message }: ShownToast) => words.test(message)
      await eventually(() => shown, (toasts) => toasts.some(isExpected), `No toast ${words}`)
      return shown.find(isExpected)!
    },
    stop: async () => {
      ended.abort()
      await listening
    },
  }
}
