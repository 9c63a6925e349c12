import type { Plugin } from '@opencode-ai/plugin'
import { commandHooks } from './src/commands.ts'
import { ruleDelivery } from './src/delivery/hooks.ts'
import { DiscoveredFiles } from './src/discovered-files.ts'
import { formatOnSave } from './src/format-on-save/index.ts'
import { joinHooks } from './src/join-hooks.ts'
import { logOf } from './src/log.ts'
import { readOptions } from './src/options.ts'
import { forgetDeleted, RulesInWork } from './src/rules-in-work.ts'
import { reasonOf } from './src/safe.ts'
import {
  ADD_RULES_DESC,
  DISCOVER_DESC,
  FORMAT_PROMPT_DESC,
  FORMAT_RULES_DESC,
  PARSE_PROMPT_DESC,
  PARSE_RULES_DESC,
  REWRITE_RULES_DESC,
} from './src/tools/descriptions.ts'
import { captureConfig } from './src/tools/host-config.ts'
import { createFormatPromptTool, createParsePromptTool } from './src/tools/prompts.ts'
import {
  createAddTool,
  createDiscoverTool,
  createFormatRulesTool,
  createParseRulesTool,
  createRewriteTool,
} from './src/tools/rules.ts'

/** The plugin: options, what the sessions share, seven tools, and the hooks of the wings. */
const SAT: Plugin = async ({ client, directory, worktree }, given) => {
  const log = logOf(client)
  const { options, faults } = readOptions(given)
  for (const fault of faults) log('warn', `ignored a wrong option: ${fault}`)

  const config = captureConfig()
  const discovered = new DiscoveredFiles()
  const sessions = new RulesInWork()
  const tools = {
    tool: {
      'discover-rules': createDiscoverTool({
        description: DISCOVER_DESC,
        directory,
        discovered,
        config: config.current,
      }),
      'parse-rules': createParseRulesTool({ description: PARSE_RULES_DESC, sessions }),
      'format-rules': createFormatRulesTool({ description: FORMAT_RULES_DESC, sessions }),
      'rewrite-rules': createRewriteTool({
        description: REWRITE_RULES_DESC,
        directory,
        discovered,
        sessions,
        config: config.current,
      }),
      'add-rules': createAddTool({ description: ADD_RULES_DESC, directory, discovered, sessions }),
      'parse-prompt': createParsePromptTool({ description: PARSE_PROMPT_DESC }),
      'format-prompt': createFormatPromptTool({ description: FORMAT_PROMPT_DESC }),
    },
  }
  const rules = await ruleDelivery({ client, directory, worktree, log, options })
  const formatting = formatOnSave({ client, directory, option: options.format_on_save, log })
  return joinHooks(
    [config.hooks, tools, commandHooks(), forgetDeleted(sessions), rules, formatting],
    (hook, thrown) => log('error', `The hook ${hook} failed: ${reasonOf(thrown)}`),
  )
}

export default SAT
