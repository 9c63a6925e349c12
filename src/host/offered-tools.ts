/** Which requests offer SAT's tools: all, those of turns that SAT's commands began, or none; and in what form. */
import { LruMap } from '../text/lru-map.ts'
import type { HooksPart } from './join-hooks.ts'
import { isOwnCommand } from './slash-commands.ts'

const MAX_SESSIONS = 500

/**
 * Makes the hook that removes the tools from all turns but those that one of SAT's commands began. A message that no
 * person wrote belongs to the turn before it.
 */
export const onlyInCommands = (names: Array<string>): HooksPart => {
  const turns = new LruMap<string, boolean>(MAX_SESSIONS)
  return {
    'chat.message': async ({ sessionID }, { message, parts }) => {
      const isTyped = parts.some((part) => part.type === 'text' && part.text && !part.synthetic)
      const isOffered = isTyped ? parts.some(isOwnCommand) : turns.get(sessionID) ?? false
      turns.set(sessionID, isOffered)
      if (isOffered) return
      message.tools = { ...message.tools, ...Object.fromEntries(names.map((name) => [name, false])) }
    },
  }
}

/** Makes the hook that drops the address of JSON Schema from the definitions of tools: 17 tokens each that say nothing. */
export const withoutSchemaAddress = (names: Array<string>): HooksPart => ({
  'tool.definition': async ({ toolID }, definition: { description: string; jsonSchema?: object }) => {
    if (!names.includes(toolID) || definition.jsonSchema === undefined) return
    // A copy, since the host keeps its own.
    const { $schema: _, ...jsonSchema } = definition.jsonSchema as { $schema?: string }
    definition.jsonSchema = jsonSchema
  },
})
