import type { ToolContext, ToolDefinition } from '@opencode-ai/plugin'

/** Runs a tool as the host does; returns the text that the model reads. */
export const toolOutput = async (tool: ToolDefinition, args: unknown, context: Partial<ToolContext> = {}) => {
  const result = await tool.execute(args as never, { sessionID: 's', ...context } as ToolContext)
  return typeof result === 'string' ? result : result.output
}
