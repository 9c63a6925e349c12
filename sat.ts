import type { Hooks, Plugin, PluginInput } from '@opencode-ai/plugin'
import { ruleDelivery } from './src/delivery/hooks.ts'
import { formatOnSave } from './src/format-on-save/index.ts'
import type { HostConfig } from './src/host/config.ts'
import { HookFailures, joinHooks } from './src/host/join-hooks.ts'
import { createLog, type Log } from './src/host/log.ts'
import { onlyInCommands, withoutSchemaUrl } from './src/host/offered-tools.ts'
import { readOptions } from './src/host/options.ts'
import { createShowText, shownTextHooks, type ShowText } from './src/host/shown-text.ts'
import { claimInstance } from './src/host/single-instance.ts'
import { commandHooks } from './src/host/slash-commands.ts'
import { type Toast, toastOf } from './src/host/toast.ts'
import { hostVersion, isTooOld, OLDEST_HOST } from './src/host/version.ts'
import { Steps } from './src/steps/steps.ts'
import { DESCRIPTIONS } from './src/tools/descriptions.ts'
import { PipelineState, sessionEvents } from './src/tools/pipeline-state.ts'
import { createFormatPromptTool, createParsePromptTool } from './src/tools/prompts.ts'
import {
  createAddTool,
  createDiscoverTool,
  createFormatRulesTool,
  createParseRulesTool,
  createRewriteTool,
  type DiscoverToolOptions,
} from './src/tools/rules.ts'

/** Whether SAT stays off in this host; shows the reason to the person and logs it. */
const isOff = async (client: PluginInput['client'], log: Log, toast: Toast): Promise<boolean> => {
  if (!claimInstance(client)) {
    log('warn', 'SAT stands more than once in the list of plugins; the first entry acts')
    return true
  }
  const version = await hostVersion(client)
  if (version === undefined || !isTooOld(version)) return false
  const words = `SAT is off: OpenCode ${version} is too old for it, ${OLDEST_HOST} or newer is needed`
  log('error', words)
  toast('host', words)
  return true
}

const toolsOf = (
  shared: Omit<DiscoverToolOptions, 'description'> & { show: ShowText },
): NonNullable<Hooks['tool']> => ({
  'discover-rules': createDiscoverTool({ description: DESCRIPTIONS['discover-rules'], ...shared }),
  'parse-rules': createParseRulesTool({ description: DESCRIPTIONS['parse-rules'], ...shared }),
  'format-rules': createFormatRulesTool({ description: DESCRIPTIONS['format-rules'], ...shared }),
  'rewrite-rules': createRewriteTool({ description: DESCRIPTIONS['rewrite-rules'], ...shared }),
  'add-rules': createAddTool({ description: DESCRIPTIONS['add-rules'], ...shared }),
  'parse-prompt': createParsePromptTool({ description: DESCRIPTIONS['parse-prompt'], ...shared }),
  'format-prompt': createFormatPromptTool({ description: DESCRIPTIONS['format-prompt'], ...shared }),
})

/** The plugin: options, what the sessions share, seven tools, and the hooks of the wings. */
const SAT: Plugin = async ({ client, directory, worktree }, given) => {
  const log = createLog(client)
  const toast = toastOf(client)
  if (await isOff(client, log, toast)) return {}
  const { options, faults } = readOptions(given)
  // The terminal plugin shows them: a toast from here goes out before the screen is drawn.
  for (const fault of faults) log('warn', `ignored a wrong option: ${fault}`)

  let merged: HostConfig | undefined
  const config = () => merged
  const sessions = new PipelineState()
  const tool = toolsOf({ directory, sessions, config, show: createShowText(client) })
  const names = Object.keys(tool)
  const steps = new Steps({ client, directory, log })
  const host = { client, log, toast, steps }
  const place = { directory, worktree }
  const formatting = formatOnSave({ ...host, place, option: options.format_on_save })
  const failures = new HookFailures(log)
  const failed = () => failures.faultOf(formatting, 'formatting')
  const rules = await ruleDelivery({ ...host, ...place, options, config, faults: failed })
  return joinHooks(
    [
      // Later plugins may change this very object: it is read when it is needed.
      { config: async (given) => void (merged = given as HostConfig) },
      ...(options.tools === false ? [] : [{ tool }, withoutSchemaUrl(names), shownTextHooks()]),
      ...(options.tools === 'commands' ? [onlyInCommands(names)] : []),
      sessionEvents(sessions),
      steps.before,
      // Calls of one message take their turns on a file in the order in which this hook runs: nothing is awaited before it.
      formatting,
      rules,
      steps.after,
      // The steps of a command are no words of the person's, which bring rules in.
      ...(options.tools === false ? [] : [commandHooks()]),
    ],
    (...failure) => failures.record(...failure),
  )
}

export default SAT
