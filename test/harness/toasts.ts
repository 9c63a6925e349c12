import { eventually } from './eventually.ts'
import type { Project } from './host.ts'

type ShownToast = { title?: string; message: string; variant: string }

/** Collects the toasts of a project from the events that the host sends to the terminal. */
export const toastsOf = async (project: Project, url: string) => {
  const ended = new AbortController()
  const query = `directory=${encodeURIComponent(project.directory)}`
  const response = await fetch(`${url}/event?${query}`, { signal: ended.signal })
  let received = ''
  const listen = async () => {
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) received += chunk
  }
  const listening = listen().catch(() => {})
  const stop = async () => {
    ended.abort()
    await listening
  }
  const toasts = {
    get shown(): Array<ShownToast> {
      const events = received.matchAll(/^data: (.*"tui\.toast\.show".*)\n/gm)
      return Array.from(events, ([, event]) => JSON.parse(event!).properties)
    },
    waitFor: async (words: RegExp): Promise<ShownToast> => {
      const find = () => toasts.shown.find(({ message }) => words.test(message))
      return (await eventually(find, Boolean, `No toast ${words}`))!
    },
    stop,
    [Symbol.asyncDispose]: stop,
  }
  return toasts
}
