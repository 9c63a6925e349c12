/** Removes SAT's tools from turns without SAT commands (option `tools: "commands"`), and `$schema` from these tools. */
import { LruMap } from '../text/lru-map.ts'
import type { PartHooks } from './join-hooks.ts'
import { isCommandPart } from './slash-commands.ts'

const MAX_SESSIONS = 500

/** Creates the hook that removes the tools from each turn that no command of SAT started. */
export const onlyInCommands = (toolNames: Array<string>): PartHooks => {
  const offersBySession = new LruMap<string, boolean>(MAX_SESSIONS)
  return {
    'chat.message': async ({ sessionID }, { message, parts }) => {
      // A message without typed words, such as one of another plugin, continues the turn before it: its tools stay.
      const isTyped = parts.some((part) => part.type === 'text' && part.text && !part.synthetic)
      const isOffered = isTyped ? parts.some(isCommandPart) : offersBySession.get(sessionID) ?? false
      offersBySession.set(sessionID, isOffered)
      if (isOffered) return
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
