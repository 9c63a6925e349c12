/** Decides which requests offer SAT's tools: all, those of turns that a command of SAT started, or none. */
import { LruMap } from '../text/lru-map.ts'
import type { HooksPart } from './join-hooks.ts'
import { isOwnCommand } from './slash-commands.ts'

const MAX_SESSIONS = 500

/**
 * Creates the hook that removes the tools from every turn except those that a command of SAT started. A message that no
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

/** Creates the hook that removes `$schema` from tool definitions, which costs 17 tokens each. */
export const withoutSchemaUrl = (names: Array<string>): HooksPart => ({
  'tool.definition': async ({ toolID }, definition: { description: string; jsonSchema?: object }) => {
    if (!names.includes(toolID) || definition.jsonSchema === undefined) return
    // Copy, because the host keeps the original.
    const { $schema: _, ...jsonSchema } = definition.jsonSchema as { $schema?: string }
    definition.jsonSchema = jsonSchema
  },
})
