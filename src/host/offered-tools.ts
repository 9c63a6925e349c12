/** Limits SAT's tools to turns of and after commands (option `tools: "commands"`); shortens their definitions. */
import { LruMap } from '../text/lru-map.ts'
import type { PartHooks } from './join-hooks.ts'
import { isCommandPart } from './slash-commands.ts'

const MAX_SESSIONS = 500

// A command may ask twice: `/add-rule` asks for the rule, and then whether to write it.
const TURNS_FOR_ANSWERS = 2

/** Creates the hook that removes the tools from all turns but those of SAT's commands and the turns for answers. */
export const onlyInCommands = (toolNames: Array<string>): PartHooks => {
  // How many turns have the tools, the latest one included; 0 or less if it has none.
  const turnsBySession = new LruMap<string, number>(MAX_SESSIONS)
  return {
    'chat.message': async ({ sessionID }, { message, parts }) => {
      // A message without typed words, such as one of another plugin, continues the turn before it: its tools stay.
      const isTyped = parts.some((part) => part.type === 'text' && part.text && !part.synthetic)
      const turnsBefore = turnsBySession.get(sessionID) ?? 0
      const turns = parts.some(isCommandPart) ? 1 + TURNS_FOR_ANSWERS : turnsBefore - (isTyped ? 1 : 0)
      turnsBySession.set(sessionID, turns)
      if (turns > 0) return
      message.tools = { ...message.tools, ...Object.fromEntries(toolNames.map((name) => [name, false])) }
    },
  }
}

/** Creates the hook that removes the key `$schema` from the definitions of these tools: it costs 17 tokens in each. */
export const withoutSchemaUrl = (toolNames: Array<string>): PartHooks => ({
  'tool.definition': async ({ toolID }, definition: { description: string; jsonSchema?: object }) => {
    if (!toolNames.includes(toolID) || definition.jsonSchema === undefined) return
    // Copies the schema, because the host uses the original again.
    const { $schema: _, ...jsonSchema } = definition.jsonSchema as { $schema?: string }
    definition.jsonSchema = jsonSchema
  },
})
