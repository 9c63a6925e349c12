import { eventually } from './eventually.ts'
import type { Project } from './host.ts'

/** A toast in an event of the host. */
type ShownToast = { title?: string; message: string; variant: string }

/**
 * Listens to the host's events of a project, as its terminal does.
 *
 * @returns the toasts so far, and functions that wait for one and that stop listening
 */
export const toastsOf = async (project: Project, url: string) => {
  const shown: Array<ShownToast> = []
  const ended = new AbortController()
  const response = await fetch(`${url}/event`, {
    headers: { 'x-opencode-directory': encodeURIComponent(project.directory) },
    signal: ended.signal,
  })
  const listening = (async () => {
    let text = ''
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk
      const lines = text.split('\n')
      text = lines.pop() ?? ''
      for (const line of lines) {
        if (!line.startsWith('data: ')) continue
        const event = JSON.parse(line.slice(6)) as { type: string; properties: ShownToast }
        if (event.type === 'tui.toast.show') shown.push(event.properties)
      }
    }
  })().catch(() => {})
  return {
    shown,
    /** Waits for the first toast whose text matches. */
    waitFor: async (words: RegExp): Promise<ShownToast> => {
      const isExpected = ({ message }: ShownToast) => words.test(message)
      return (await eventually(() => shown, (all) => all.some(isExpected), `No toast ${words}`)).find(
        isExpected,
      )!
    },
    stop: async () => {
      ended.abort()
      await listening
    },
  }
}
