/** Offers the tools only for SAT's commands (option `tools: "commands"`), and shortens the tools' definitions. */
import { LruMap } from '../text/lru-map.ts'
import type { PartHooks } from './join-hooks.ts'
import { isCommandPart } from './slash-commands.ts'

const MAX_SESSIONS = 500

// A command may ask twice: `/add-rule` asks for the rule, and then whether to write it.
const TURNS_FOR_ANSWERS = 2

export const onlyInCommands = (toolNames: Array<string>): PartHooks => {
  const turnsLeftBySession = new LruMap<string, number>(MAX_SESSIONS)
  return {
    'chat.message': async ({ sessionID }, { message, parts }) => {
      // A message without typed words, for example from another plugin, continues the turn before it.
      const isTyped = parts.some((part) => part.type === 'text' && part.text && !part.synthetic)
      const turnsBefore = turnsLeftBySession.get(sessionID) ?? 0
      const turnsLeft = parts.some(isCommandPart) ? 1 + TURNS_FOR_ANSWERS : turnsBefore - (isTyped ? 1 : 0)
      turnsLeftBySession.set(sessionID, turnsLeft)
      if (turnsLeft > 0) return
      message.tools = { ...message.tools, ...Object.fromEntries(toolNames.map((name) => [name, false])) }
    },
  }
}

/** Removes the key `$schema`, which costs 17 tokens for each tool. */
export const withoutSchemaUrl = (toolNames: Array<string>): PartHooks => ({
  'tool.definition': async ({ toolID }, definition: { description: string; jsonSchema?: object }) => {
    if (!toolNames.includes(toolID) || definition.jsonSchema === undefined) return
    // The host reuses the original schema, so it must not change.
    const { $schema: _, ...jsonSchema } = definition.jsonSchema as { $schema?: string }
    definition.jsonSchema = jsonSchema
  },
})
