/** Limits SAT's tools to commands and the turns after them (`tools: "commands"`), and shortens their definitions. */
import { LruMap } from '../text/lru-map.ts'
import type { PartHooks } from './join-hooks.ts'
import { isCommandPart } from './slash-commands.ts'

const MAX_SESSIONS = 500

// A command may ask twice: `/add-rule` asks for the rule, and then whether to write it.
const TURNS_FOR_ANSWERS = 2

/** Creates the hook that keeps the tools only in the turns of SAT's commands and in the turns for answers. */
export const onlyInCommands = (toolNames: Array<string>): PartHooks => {
  // How many turns still have the tools, including the latest turn; 0 or less if the latest turn lacks them.
  const turnsBySession = new LruMap<string, number>(MAX_SESSIONS)
  return {
    'chat.message': async ({ sessionID }, { message, parts }) => {
      // A message without typed words, such as another plugin's, continues the turn before it, so the tools stay.
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
