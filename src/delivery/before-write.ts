/** Refuses a call that would create a file whose rules the model has not read. */
import { resolve } from 'node:path'
import { callHost, type Client } from '../host/client.ts'
import { filesOfCall, filesToCreate } from '../host/file-tools.ts'
import { RULES_FIRST } from '../host/message-parts.ts'
import { candidatePaths, pathInWorktree, relativeRealPath } from '../paths/path-in-worktree.ts'
import { pathExists } from '../paths/real-path.ts'
import { nameInBackticks, safeName } from '../text/quoted-name.ts'
import type { DeliveryInput } from './hidden-message.ts'
import type { Rule } from './rule-files.ts'
import { meetsConditions, type RequestInput } from './rules-in-request.ts'
import { isForFile } from './touched-files.ts'

const refusalText = (tool: string, rules: Array<Rule>, files: Array<string>, hasOtherFiles: boolean) => {
  const ruleNames = rules.map(({ name }) => nameInBackticks(name)).join(', ')
  const fileNames = files.map(nameInBackticks).join(', ')
  const [are, theFiles] = files.length === 1 ? ['is', 'this file'] : ['are', 'these files']
  const andOthers = hasOtherFiles ? ', and neither is the rest of this patch' : ''
  const status = `${fileNames} ${are} not written yet${andOthers}`
  const instruction = rules.length === 1
    ? `The rule ${ruleNames} applies to ${theFiles} and was not shown yet. Its text follows. Obey it`
    : `The rules ${ruleNames} apply to ${theFiles} and were not shown yet. Their texts follow. Obey them`
  return `${RULES_FIRST} ${status}. ${instruction} and call ${tool} again.`
}

const matchesPermission = (pattern: unknown, text: string): boolean => {
  const source = String(pattern).replace(/[^\w*?]/g, '\\$&').replaceAll('*', '.*').replaceAll('?', '.')
  return new RegExp(`^${source}$`, 's').test(text)
}

const isEditDenied = async (client: Client, agent: string, files: Array<string>): Promise<boolean> => {
  const agents = await callHost(() => client.app.agents())
  const permissions: unknown = agents.data?.find(({ name }) => name === agent)?.permission
  if (!Array.isArray(permissions)) return false
  // In the host, the last permission that matches decides.
  const editPermissionFor = (file: string) =>
    permissions.map(Object).findLast(({ permission, pattern }) =>
      matchesPermission(permission, 'edit') && matchesPermission(pattern, file)
    )
  return files.some((file) => editPermissionFor(file)?.action === 'deny')
}

/** Each returned `file` is relative to the worktree. Globs may match any of its `paths`. */
const newFilesOf = async (tool: string, args: unknown, places: DeliveryInput['places']) => {
  const newFiles: Array<{ file: string; paths: Array<string> }> = []
  for (const name of filesToCreate(tool, args)) {
    const path = resolve(places.original.directory, name)
    const file = pathInWorktree(path, places) ?? await relativeRealPath(path, places)
    // A model reads an existing file before it writes to it, and so receives the file's rules.
    if (file === undefined || await pathExists(path)) continue
    newFiles.push({ file, paths: await candidatePaths(file, places) })
  }
  return newFiles
}

/** `rulePaths` includes the paths of switched-off rules. */
export type LastRequest = RequestInput & { rulePaths: ReadonlySet<string> }

/** Returns the answer that refuses a call, or null if the call may run or the host itself will refuse it. */
export const refusalFor = async (
  { tool, args }: { tool: string; args: unknown },
  { facts, isOn, rulePaths }: LastRequest,
  { client, places, readRules, toast }: DeliveryInput,
): Promise<string | null> => {
  const newFiles = await newFilesOf(tool, args, places)
  if (newFiles.length === 0) return null
  const unreadRules = (await readRules('cached')).rules.filter((rule) =>
    rule.applies && isOn(rule) && meetsConditions(rule, facts) && !rulePaths.has(rule.path)
    && newFiles.some(({ paths }) => isForFile(rule, paths))
  )
  if (unreadRules.length === 0) return null
  if (await isEditDenied(client, facts.agent, newFiles.map(({ file }) => file))) return null
  const waitingFiles = newFiles
    .filter(({ paths }) => unreadRules.some((rule) => isForFile(rule, paths)))
    .map(({ file }) => file)
  const ruleNames = unreadRules.map(({ name }) => safeName(name)).join(', ')
  const hasOtherFiles = filesOfCall(tool, args).length > waitingFiles.length
  // On the screen, the refused call only turns red, and its answer is hidden until a click.
  toast(
    `${ruleNames} ${waitingFiles.join()}`,
    `Rules come first: the agent reads ${ruleNames}, then writes ${waitingFiles.map(safeName).join(', ')}`,
  )
  return refusalText(tool, unreadRules, waitingFiles, hasOtherFiles)
}
