/**
 * Shows the rules for a new file before it is written: the call is refused once, and the next request holds the rules.
 * An edit of a file does not need this: the file was read, and the rules joined then.
 */
import { resolve } from 'node:path'
import { callHost, type Client } from '../host/client.ts'
import { filesOfCall, filesToAdd } from '../host/file-tools.ts'
import { RULES_FIRST } from '../host/message-parts.ts'
import { pathExists } from '../paths/real-path.ts'
import { nameInBackticks, safeName } from '../text/quoted-name.ts'
import type { Facts } from './conditions.ts'
import type { DeliveryInput } from './hidden-message.ts'
import type { Rule } from './rule-files.ts'
import { isFor } from './rules-in-request.ts'
import { fromWorktree, isForFile, namesOf } from './touched-files.ts'

/** Says which file waits for which rules; `isPart` where its call is a patch that would change others, too. */
const answerFor = (tool: string, rules: Array<Rule>, files: Array<string>, isPart: boolean): string => {
  const [names, paths] = [
    rules.map(({ name }) => nameInBackticks(name)).join(', '),
    files.map(nameInBackticks).join(', '),
  ]
  const [are, them] = files.length === 1 ? ['is', 'it'] : ['are', 'them']
  const waits = `${paths} ${are} not written yet${isPart ? ', nor is anything else of this patch' : ''}`
  const asks = rules.length === 1
    ? `The rule ${names} applies to ${them} and was not shown yet; its words follow. Go by it`
    : `The rules ${names} apply to ${them} and were not shown yet; their words follow. Go by them`
  return `${RULES_FIRST} ${waits}. ${asks} and call ${tool} again.`
}

// The host's wildcards in a permission: `*` for any characters, `?` for one.
const matches = (pattern: unknown, text: string): boolean => {
  const source = String(pattern).replace(/[^\w*?]/g, '\\$&').replaceAll('*', '.*').replaceAll('?', '.')
  return new RegExp(`^${source}$`, 's').test(text)
}

/** Whether an agent's permissions deny editing one of some files, as the plan agent's do: the host itself refuses then. */
const isDenied = async (client: Client, agent: string, files: Array<string>): Promise<boolean> => {
  const agents = await callHost(() => client.app.agents())
  const rules: unknown = agents.data?.find(({ name }) => name === agent)?.permission
  if (!Array.isArray(rules)) return false
  return files.some((file) => {
    const last = rules.map(Object).findLast(({ permission, pattern }) =>
      matches(permission, 'edit') && matches(pattern, file)
    )
    return last?.action === 'deny'
  })
}

/** What the model of a session knows: the facts, and the paths of the rules that it was shown or that are switched off. */
export type ShownRules = { facts: Facts; shown: ReadonlySet<string> }

/** Gives the answer of a call that adds files whose rules the session's model was not shown, or null. */
export const refusalFor = async (
  { tool, args }: { tool: string; args: unknown },
  { facts, shown }: ShownRules,
  { client, places, readRules, toast }: DeliveryInput,
): Promise<string | null> => {
  const named = filesToAdd(tool, args)
  const there = await Promise.all(named.map((name) => pathExists(resolve(places.given.directory, name))))
  const files = named.flatMap((name, index) => (there[index] ? [] : fromWorktree(name, places) ?? []))
  const names = new Map(
    await Promise.all(files.map(async (file) => [file, await namesOf(file, places)] as const)),
  )
  const onDisk = files.length > 0 ? await readRules(false) : null
  const missing = onDisk?.rules.filter((rule) =>
    rule.applies && isFor(rule, facts) && !shown.has(rule.path)
    && files.some((file) => isForFile(rule, names.get(file)!))
  ) ?? []
  if (missing.length === 0 || await isDenied(client, facts.agent, files)) return null
  const waiting = files.filter((file) => missing.some((rule) => isForFile(rule, names.get(file)!)))
  const rules = missing.map(({ name }) => safeName(name)).join(', ')
  // The refused call stands red on the screen, and its answer is behind a click.
  toast(
    `${rules} ${waiting.join()}`,
    `Rules come first: the agent reads ${rules}, then writes ${waiting.map(safeName).join(', ')}`,
  )
  return answerFor(tool, missing, waiting, filesOfCall(tool, args).length > waiting.length)
}
