/** The server plugin: reads its options and wires its tools and hooks. The terminal plugin is tui.tsx. */
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
import { createToast, type Toast } from './src/host/toast.ts'
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

/** Whether SAT must stay off in this host. If so, shows the person the reason and logs it. */
const isOff = async (client: PluginInput['client'], log: Log, toast: Toast): Promise<boolean> => {
  if (!claimInstance(client)) {
    log('warn', 'SAT is in the list of plugins more than once; the first entry is used')
    return true
  }
  const version = await hostVersion(client)
  if (version === undefined || !isTooOld(version)) return false
  const message = `SAT is off: OpenCode ${version} is too old for it, ${OLDEST_HOST} or newer is needed`
  log('error', message)
  toast('host', message)
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

/** The plugin: reads the options, creates the state that sessions share, the seven tools, and the hooks. */
const SAT: Plugin = async ({ client, directory, worktree }, entryOptions) => {
  const log = createLog(client)
  const toast = createToast(client)
  if (await isOff(client, log, toast)) return {}
  const { options, faults } = readOptions(entryOptions)
  // The terminal plugin shows them: a toast at this time would be sent before the screen is drawn.
  for (const fault of faults) log('warn', `ignored an invalid option: ${fault}`)

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
  const formattingFaults = () => failures.faultOf(formatting, 'formatting')
  const rules = await ruleDelivery({ ...host, ...place, options, config, faults: formattingFaults })
  return joinHooks(
    [
      // Later plugins may change this object, so it is read when it is needed.
      { config: async (hostConfig) => void (merged = hostConfig as HostConfig) },
      ...(options.tools === false ? [] : [{ tool }, withoutSchemaUrl(names), shownTextHooks()]),
      ...(options.tools === 'commands' ? [onlyInCommands(names)] : []),
      sessionEvents(sessions),
      steps.before,
      // Parallel calls get a file in the order in which this hook runs, so nothing may be awaited before it.
      formatting,
      rules,
      steps.after,
      // The steps of a command are not the person's words, so rules with keywords must not see them.
      ...(options.tools === false ? [] : [commandHooks()]),
    ],
    (...failure) => failures.record(...failure),
  )
}

export default SAT
