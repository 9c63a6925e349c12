/** The tools parse-prompt, which checks the tasks of a request, and format-prompt, which renders them. */
import type { ToolDefinition } from '@opencode-ai/plugin'
import { formatPrompt } from '../format-prompt.ts'
import type { ShowText } from '../host/shown-text.ts'
import { ParsedPromptSchema, type ParsedTask, ParsedTaskSchema } from '../prompt-schema.ts'
import { pluralize } from '../text/pluralize.ts'
import { answer, argument, defineTool } from './define-tool.ts'
import { ARGUMENTS } from './descriptions.ts'
import { type PipelineToolOptions, sharedSessions } from './pipeline-state.ts'

const countTasks = (tasks: Array<ParsedTask>): number =>
  tasks.reduce((sum, { subtasks }) => sum + 1 + countTasks(subtasks), 0)

const titleOf = (tasks: Array<ParsedTask>): string => pluralize(countTasks(tasks), 'task')

export const createParsePromptTool = (
  { description, sessions = sharedSessions }: PipelineToolOptions,
): ToolDefinition =>
  defineTool({
    description,
    args: { tasks: argument(ParsedPromptSchema) },
    // format-prompt must not render the tasks of an earlier request in place of the refused tasks.
    onInvalid: async (_, { sessionID }) => {
      sessions.of(sessionID).prompt = undefined
      return []
    },
    execute: async ({ tasks: prompt }, { sessionID }) => {
      sessions.of(sessionID).prompt = prompt
      return answer(titleOf(prompt.tasks), JSON.stringify(prompt, null, 2))
    },
  })

const NOTHING_PARSED =
  'There are no tasks to render: "tasks" was left out, and parse-prompt either was not called in this session or refused its last call. Call parse-prompt first, then call this tool again.'

const ASK_FIRST = 'Ask before you start, in one line: "Start? Enter, or say what to change"'

export const createFormatPromptTool = (
  { description, sessions = sharedSessions, show = () => {} }: PipelineToolOptions & { show?: ShowText },
): ToolDefinition =>
  defineTool({
    description,
    args: {
      tasks: argument(ParsedPromptSchema.optional().describe(ARGUMENTS.tasksToRender), [ParsedTaskSchema]),
    },
    execute: async ({ tasks: sentPrompt }, context) => {
      const prompt = sentPrompt ?? sessions.of(context.sessionID).prompt
      if (prompt === undefined) return answer('no tasks', NOTHING_PARSED)
      const title = titleOf(prompt.tasks)
      const tree = formatPrompt(prompt) || 'No tasks found'
      show(context, tree)
      if (sentPrompt !== undefined) return answer(title, tree)
      const asking = countTasks(prompt.tasks) > 1 ? ` ${ASK_FIRST}` : ''
      const note = `Rendered: the tasks that parse-prompt last accepted (${title}).${asking}`
      return answer(title, `${tree}\n\n${note}`)
    },
  })
