/** Offers the tools only for SAT's commands (option `tools: "commands"`), and shortens the tools' definitions. */
import { LruMap } from '../text/lru-map.ts'
import type { PartHooks } from './join-hooks.ts'
import { isCommandPart } from './slash-commands.ts'

const MAX_SESSIONS = 500

// A command may ask twice: `/add-rule` asks for the rule, and then whether to write it.
const TURNS_FOR_ANSWERS = 2

/** Creates the hook that offers the tools only in the turn of a SAT command and in the next turns, for the answers. */
export const onlyInCommands = (toolNames: Array<string>): PartHooks => {
  // Maps a session to the number of turns that still have the tools, including the latest turn. If the latest turn
  // lacks the tools, the number is 0 or less.
  const turnsBySession = new LruMap<string, number>(MAX_SESSIONS)
  return {
    'chat.message': async ({ sessionID }, { message, parts }) => {
      // A message without typed words, for example from another plugin, continues the turn before it.
      const isTyped = parts.some((part) => part.type === 'text' && part.text && !part.synthetic)
      const turnsBefore = turnsBySession.get(sessionID) ?? 0
      const turns = parts.some(isCommandPart) ? 1 + TURNS_FOR_ANSWERS : turnsBefore - (isTyped ? 1 : 0)
      turnsBySession.set(sessionID, turns)
      if (turns > 0) return
      message.tools = { ...message.tools, ...Object.fromEntries(toolNames.map((name) => [name, false])) }
    },
  }
}

/** Creates the hook that removes the key `$schema` (17 tokens) from the definition of each of these tools. */
export const withoutSchemaUrl = (toolNames: Array<string>): PartHooks => ({
  'tool.definition': async ({ toolID }, definition: { description: string; jsonSchema?: object }) => {
    if (!toolNames.includes(toolID) || definition.jsonSchema === undefined) return
    // Copies the schema, because the host uses the original again.
    const { $schema: _, ...jsonSchema } = definition.jsonSchema as { $schema?: string }
    definition.jsonSchema = jsonSchema
  },
})
