import type { ToolContext } from '@opencode-ai/plugin'
import { realpathSync } from 'node:fs'
import { stateFolder } from '../backup.ts'
import type { Place } from '../boundary.ts'
import { DiscoveredFiles } from '../discovered-files.ts'
import { safe } from '../safe.ts'
import type { Ask, Door } from '../write-file.ts'

/** The host's own error where it refused a permission: the one thing that a tool throws on. */
export class PermissionRefused extends Error {
  constructor(cause: unknown) {
    super('permission refused', { cause })
  }
}

/** Whether a person said no, rather than a rule of the config. */
export const isRejection = (thrown: unknown): boolean =>
  thrown instanceof Error && thrown.name !== 'PermissionDeniedError'

const real = (path: string): string => safe(() => realpathSync(path)).data ?? path

/** Where a call is, links resolved, so that real paths can be judged by it. */
export const placeOf = (context: ToolContext, directory: string): Place => ({
  directory: real(context.directory ?? directory),
  worktree: real(context.worktree ?? context.directory ?? directory),
})

// A caller that brings no way to ask, such as a program that uses the tools by itself: what needs a person's consent
// is then refused, and so is every write of the agent that only plans.
const askNobody = ({ agent }: ToolContext): Ask => async ({ permission }) => {
  const isRefused = permission === 'external_directory' || (permission === 'edit' && agent === 'plan')
  if (isRefused) {
    throw new Error(`there is nobody to ask for the permission "${permission}"`)
  }
}

/** How a call asks the person. */
export const askOf = (context: ToolContext): Ask =>
  typeof context.ask === 'function' ? (question) => context.ask(question) : askNobody(context)

/** What a writing tool writes under in this call. */
export const doorOf = (context: ToolContext, directory: string, discovered: Set<string>): Door => ({
  place: placeOf(context, directory),
  ask: askOf(context),
  discovered,
  known: discovered instanceof DiscoveredFiles ? discovered.copy() : new Set(discovered),
  state: stateFolder(),
  abort: context.abort ?? new AbortController().signal,
})
