import type { Plugin } from '@opencode-ai/plugin'
import { commandHooks } from './src/commands.ts'
import { DiscoveredFiles } from './src/discovered-files.ts'
import { joinHooks } from './src/join-hooks.ts'
import { logOf } from './src/log.ts'
import { readOptions } from './src/options.ts'
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

/** The plugin: its options, one shared record of what was discovered, seven tools, and the hooks of its wings. */
const SAT: Plugin = async ({ client, directory }, given) => {
  const log = logOf(client)
  const { faults } = readOptions(given)
  for (const fault of faults) log('warn', `ignored a wrong option: ${fault}`)

  const config = captureConfig()
  const discovered = new DiscoveredFiles()
  const tools = {
    tool: {
      'discover-rules': createDiscoverTool({
        description: DISCOVER_DESC,
        directory,
        discovered,
        config: config.current,
      }),
      'parse-rules': createParseRulesTool({ description: PARSE_RULES_DESC }),
      'format-rules': createFormatRulesTool({ description: FORMAT_RULES_DESC }),
      'rewrite-rules': createRewriteTool({
        description: REWRITE_RULES_DESC,
        directory,
        discovered,
        config: config.current,
      }),
      'add-rules': createAddTool({ description: ADD_RULES_DESC, directory, discovered }),
      'parse-prompt': createParsePromptTool({ description: PARSE_PROMPT_DESC }),
      'format-prompt': createFormatPromptTool({ description: FORMAT_PROMPT_DESC }),
    },
  }
  return joinHooks(
    [config.hooks, tools, commandHooks()],
    (hook, thrown) => log('error', `The hook ${hook} failed: ${reasonOf(thrown)}`),
  )
}

export default SAT
