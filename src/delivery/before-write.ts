/**
 * Refuses a call that would create a file before the model has read the rules for it. The next request contains these
 * rules. An edit of an existing file is not refused: the model read the file first, and its rules were injected then.
 */
import { resolve } from 'node:path'
import { callHost, type Client } from '../host/client.ts'
import { filesOfCall, filesToCreate } from '../host/file-tools.ts'
import { RULES_FIRST } from '../host/message-parts.ts'
import { candidatePaths, pathInWorktree } from '../paths/path-in-worktree.ts'
import { pathExists } from '../paths/real-path.ts'
import { nameInBackticks, safeName } from '../text/quoted-name.ts'
import type { DeliveryInput } from './hidden-message.ts'
import type { Rule } from './rule-files.ts'
import { meetsConditions, type RequestInput } from './rules-in-request.ts'
import { isForFile } from './touched-files.ts'

/** Formats the answer to a refused call. With `hasOtherFiles`, the call is a patch that also changes other files. */
const refusalText = (tool: string, rules: Array<Rule>, files: Array<string>, hasOtherFiles: boolean) => {
  const names = rules.map(({ name }) => nameInBackticks(name)).join(', ')
  const paths = files.map(nameInBackticks).join(', ')
  const them = files.length === 1 ? 'it' : 'them'
  const others = hasOtherFiles ? ', nor is anything else of this patch' : ''
  const status = `${paths} ${files.length === 1 ? 'is' : 'are'} not written yet${others}`
  const request = rules.length === 1
    ? `The rule ${names} applies to ${them} and was not shown yet; its words follow. Go by it`
    : `The rules ${names} apply to ${them} and were not shown yet; their words follow. Go by them`
  return `${RULES_FIRST} ${status}. ${request} and call ${tool} again.`
}

/** Whether a text matches a permission pattern of the host, such as `src/*`: `*` matches any characters, `?` one. */
const matchesPermission = (pattern: unknown, text: string): boolean => {
  const source = String(pattern).replace(/[^\w*?]/g, '\\$&').replaceAll('*', '.*').replaceAll('?', '.')
  return new RegExp(`^${source}$`, 's').test(text)
}

/**
 * Whether the host denies an agent the edit of any of the files, as for the plan agent. The host then refuses the call
 * itself.
 */
const isDenied = async (client: Client, agent: string, files: Array<string>): Promise<boolean> => {
  const agents = await callHost(() => client.app.agents())
  const permissions: unknown = agents.data?.find(({ name }) => name === agent)?.permission
  if (!Array.isArray(permissions)) return false
  const lastRuleFor = (file: string) =>
    permissions.map(Object).findLast(({ permission, pattern }) =>
      matchesPermission(permission, 'edit') && matchesPermission(pattern, file)
    )
  return files.some((file) => lastRuleFor(file)?.action === 'deny')
}

/** The last request of a session, with the paths of the rules that were in force. */
export type LastRequest = RequestInput & { paths: ReadonlySet<string> }

/**
 * Returns the answer to a call that must be refused, because it creates files before the model read their rules; else
 * null.
 */
export const refusalFor = async (
  { tool, args }: { tool: string; args: unknown },
  { facts, isOn, paths }: LastRequest,
  { client, places, readRules, toast }: DeliveryInput,
): Promise<string | null> => {
  const created: Array<{ file: string; names: Array<string> }> = []
  for (const path of filesToCreate(tool, args)) {
    const file = pathInWorktree(path, places)
    if (file === undefined || await pathExists(resolve(places.original.directory, path))) continue
    created.push({ file, names: await candidatePaths(file, places) })
  }
  if (created.length === 0) return null
  const missing = (await readRules('cached')).rules.filter((rule) =>
    rule.applies && isOn(rule) && meetsConditions(rule, facts) && !paths.has(rule.path)
    && created.some(({ names }) => isForFile(rule, names))
  )
  if (missing.length === 0 || await isDenied(client, facts.agent, created.map(({ file }) => file))) {
    return null
  }
  const waiting = created.filter(({ names }) => missing.some((rule) => isForFile(rule, names)))
    .map(({ file }) => file)
  const rules = missing.map(({ name }) => safeName(name)).join(', ')
  // The screen shows the refused call in red, and its answer only after a click.
  toast(
    `${rules} ${waiting.join()}`,
    `Rules come first: the agent reads ${rules}, then writes ${waiting.map(safeName).join(', ')}`,
  )
  return refusalText(tool, missing, waiting, filesOfCall(tool, args).length > waiting.length)
}
