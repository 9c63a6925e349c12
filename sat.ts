import type { Plugin } from '@opencode-ai/plugin'
import {
  ADD_RULES_DESC,
  DISCOVER_DESC,
  FORMAT_PROMPT_DESC,
  FORMAT_RULES_DESC,
  PARSE_PROMPT_DESC,
  PARSE_RULES_DESC,
  REWRITE_RULES_DESC,
} from './src/tools/descriptions.ts'
import { createFormatPromptTool, createParsePromptTool } from './src/tools/prompts.ts'
import {
  createAddTool,
  createDiscoverTool,
  createFormatRulesTool,
  createParseRulesTool,
  createRewriteTool,
} from './src/tools/rules.ts'

/** The plugin: one shared record of what was discovered, seven tools (sat-plan.md, sat.ts). */
const SAT: Plugin = async ({ directory }) => {
  const discovered = new Set<string>()
  return {
    tool: {
      'discover-rules': createDiscoverTool({ description: DISCOVER_DESC, directory, discovered }),
      'parse-rules': createParseRulesTool({ description: PARSE_RULES_DESC }),
      'format-rules': createFormatRulesTool({ description: FORMAT_RULES_DESC }),
      'rewrite-rules': createRewriteTool({ description: REWRITE_RULES_DESC, directory, discovered }),
      'add-rules': createAddTool({ description: ADD_RULES_DESC, directory, discovered }),
      'parse-prompt': createParsePromptTool({ description: PARSE_PROMPT_DESC }),
      'format-prompt': createFormatPromptTool({ description: FORMAT_PROMPT_DESC }),
    },
  }
}

export default SAT
