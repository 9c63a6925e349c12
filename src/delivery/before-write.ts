/**
 * Shows the rules for a new file before it is written: the call is refused once, and the next request holds the rules.
 * An edit does not need this: its file was read, and the rules joined then.
 */
import { callHost, type Client } from '../host/client.ts'
import { isPatch, PATCH_HEADER } from '../host/file-tools.ts'
import { codeName } from '../text/quoted-name.ts'
import type { Rule } from './rule-files.ts'
import { isFor } from './rules-in-request.ts'
import type { Session } from './session.ts'

/** How the answer of a refused call begins, which distinguishes it in the history from a failed call. */
export const RULES_FIRST = 'Rules come first, nothing was written.'

/** Lists the files that a call would write and that its tool may add, as its arguments name them. */
export const filesToAdd = (tool: string, args: unknown): Array<string> => {
  const { filePath, patchText } = Object(args) as Record<string, unknown>
  if (tool === 'write') return typeof filePath === 'string' ? [filePath] : []
  if (!isPatch(tool) || typeof patchText !== 'string') return []
  return patchText.split('\n').flatMap((line) => {
    const [, what, name] = PATCH_HEADER.exec(line.trimEnd()) ?? []
    return what === 'Add' && name !== undefined ? [name.trim()] : []
  })
}

const answerFor = (tool: string, rules: Array<Rule>, files: Array<string>): string => {
  const [names, paths] = [rules.map(({ name }) => codeName(name)).join(', '), files.map(codeName).join(', ')]
  return rules.length === 1
    ? `${RULES_FIRST} The rule ${names} applies to ${paths} and was not shown yet; its words follow. Go by it and call ${tool} again.`
    : `${RULES_FIRST} The rules ${names} apply to ${paths} and were not shown yet; their words follow. Go by them and call ${tool} again.`
}

// The host's wildcards in a permission: `*` for any characters, `?` for one.
const matches = (pattern: unknown, text: string): boolean =>
  typeof pattern === 'string'
  && new RegExp(
    `^${pattern.replace(/[.+^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*').replaceAll('?', '.')}$`,
    's',
  )
    .test(text)

/** Whether an agent's permissions deny editing one of some files, as the plan agent's do: the host itself refuses then. */
const isDenied = async (client: Client, agent: string, files: Array<string>): Promise<boolean> => {
  const agents = await callHost(() => client.app.agents())
  const rules: unknown = agents.data?.find(({ name }) => name === agent)?.permission
  if (!Array.isArray(rules)) return false
  return files.some((file) => {
    const last = rules.findLast((rule) =>
      matches(Object(rule).permission, 'edit') && matches(Object(rule).pattern, file)
    )
    return Object(last).action === 'deny'
  })
}

/** A call that would add these files, relative to the worktree, with the rules on the disk. */
type AddingCall = { client: Client; tool: string; files: Array<string>; rules: Array<Rule> }

/** Gives the answer of a call that adds files whose rules the session's model was not shown, or null. */
export const refusalFor = async (
  { agent, shown, refusedFor }: Pick<Session, 'agent' | 'shown' | 'refusedFor'>,
  { client, tool, files, rules }: AddingCall,
): Promise<string | null> => {
  const missing = rules.filter((rule) =>
    rule.kind === 'file' && isFor(rule, agent) && !shown.has(rule.path)
    && files.some((file) => rule.applies?.(file))
  )
  const set = missing.map(({ path }) => path).join('\n')
  // Calls of one step are refused alike; in a later step the model has been shown the rules.
  const isAgain = refusedFor.has(set) && refusedFor.get(set) !== shown
  if (missing.length === 0 || isAgain || await isDenied(client, agent, files)) return null
  refusedFor.set(set, shown)
  return answerFor(tool, missing, files.filter((file) => missing.some((rule) => rule.applies?.(file))))
}
