/**
 * The server half of SAT, a plugin for OpenCode (the host): sends the person's rules with each request, checks and
 * formats the files that the model writes, and has tools to rewrite instruction files and prompts.
 */
import type { Plugin, PluginInput } from '@opencode-ai/plugin'
import { ruleDelivery } from './src/delivery/hooks.ts'
import { formatOnSave } from './src/format-on-save/index.ts'
import type { HostConfig } from './src/host/config.ts'
import { printInRun } from './src/host/headless-run.ts'
import { joinHooks, type PartHooks } from './src/host/join-hooks.ts'
import { createLog, type Log } from './src/host/log.ts'
import { onlyInCommands, withoutSchemaUrl } from './src/host/offered-tools.ts'
import { readOptions } from './src/host/read-options.ts'
import { createShowText, shownTextHooks } from './src/host/shown-text.ts'
import { claimInstance } from './src/host/single-instance.ts'
import { commandHooks } from './src/host/slash-commands.ts'
import { createToast, type Toast } from './src/host/toast.ts'
import { hostVersion, isTooOld, OLDEST_HOST } from './src/host/version.ts'
import { Steps } from './src/steps/steps.ts'
import { DESCRIPTIONS } from './src/tools/descriptions.ts'
import { sessionEvents, SessionStates } from './src/tools/pipeline-state.ts'
import * as promptTools from './src/tools/prompts.ts'
import * as ruleTools from './src/tools/rules.ts'

const mustStayOff = async (client: PluginInput['client'], log: Log, toast: Toast): Promise<boolean> => {
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

const createTools = (shared: Omit<ruleTools.DiscoverToolOptions, 'description'>) => {
  const optionsOf = (name: keyof typeof DESCRIPTIONS) => ({ description: DESCRIPTIONS[name], ...shared })
  return {
    'discover-rules': ruleTools.createDiscoverTool(optionsOf('discover-rules')),
    'parse-rules': ruleTools.createParseRulesTool(optionsOf('parse-rules')),
    'format-rules': ruleTools.createFormatRulesTool(optionsOf('format-rules')),
    'rewrite-rules': ruleTools.createRewriteTool(optionsOf('rewrite-rules')),
    'add-rules': ruleTools.createAddTool(optionsOf('add-rules')),
    'parse-prompt': promptTools.createParsePromptTool(optionsOf('parse-prompt')),
    'format-prompt': promptTools.createFormatPromptTool(optionsOf('format-prompt')),
  }
}

const SAT: Plugin = async ({ client, directory, worktree }, entryOptions) => {
  const log = createLog(client)
  const toast = createToast(client)
  if (await mustStayOff(client, log, toast)) return {}
  const { options, faults: optionFaults } = readOptions(entryOptions)
  // No toast, because SAT's terminal half (`tui.tsx`) shows these faults.
  for (const fault of optionFaults) {
    const line = `ignored an invalid option: ${fault}`
    log('warn', line)
    printInRun(line)
  }

  // Stores the host's object instead of a copy, because plugins after SAT may still change it.
  let mergedConfig: HostConfig | undefined
  const configHook = { config: async (merged: object) => void (mergedConfig = merged) }
  const config = () => mergedConfig
  const failures = new Map<PartHooks, string>()
  const sessions = new SessionStates()
  const tools = createTools({ directory, sessions, config, show: createShowText(client) })
  const toolNames = Object.keys(tools)

  const steps = new Steps({ client, directory, log })
  const shared = { client, log, toast, steps }
  const workspace = { directory, worktree }
  const formatHooks = formatOnSave({ ...shared, workspace, option: options.format_on_save })
  const faults = () => {
    const reason = failures.get(formatHooks)
    return reason === undefined ? [] : [{ feature: 'formatting', reason: `failed: ${reason}` }]
  }
  const ruleHooks = await ruleDelivery({ ...shared, ...workspace, options, config, faults })

  const hasTools = options.tools !== false
  // Hooks of the same name run in this order.
  return joinHooks(
    [
      configHook,
      shownTextHooks(),
      ...(hasTools ? [{ tool: tools }, withoutSchemaUrl(toolNames)] : []),
      ...(options.tools === 'commands' ? [onlyInCommands(toolNames)] : []),
      sessionEvents(sessions),
      steps.before,
      // No hook above may delay a call, because parallel calls on a file run in the order in which they arrive here.
      formatHooks,
      ruleHooks,
      steps.after,
      ...(hasTools ? [commandHooks()] : []),
    ],
    log,
    failures,
  )
}

export default SAT
