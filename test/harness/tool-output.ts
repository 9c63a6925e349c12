/** Calls a tool as the host does, without the host. */
import type { ToolContext, ToolDefinition } from '@opencode-ai/plugin'

/** Runs a tool on a model's arguments; returns the text that the model reads. */
export const toolOutput = async (
  tool: ToolDefinition,
  args: unknown,
  context: Partial<ToolContext> = {},
): Promise<string> => {
  const answered = await tool.execute(
    args as Record<string, unknown>,
    { sessionID: 's', ...context } as ToolContext,
  )
  return typeof answered === 'string' ? answered : answered.output
}
