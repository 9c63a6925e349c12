import type { ToolDefinition } from '@opencode-ai/plugin'
import { formatPrompt } from '../format-prompt.ts'
import { ParsedPromptSchema, type ParsedTask } from '../prompt-schema.ts'
import { answer, count, defineTool, json } from './define-tool.ts'
import { SAME_TASKS_ARG, TASKS_ARG } from './descriptions.ts'

export type ParsePromptToolOptions = { description: string }
export type FormatPromptToolOptions = { description: string }

const countTasks = (tasks: Array<ParsedTask>): number =>
  tasks.reduce((sum, { subtasks }) => sum + 1 + countTasks(subtasks), 0)

const titleOf = (tasks: Array<ParsedTask>): string => count(countTasks(tasks), 'task')

/** parse-prompt: checks the tasks that the model made of a request (sat-plan.md). */
export const createParsePromptTool = ({ description }: ParsePromptToolOptions): ToolDefinition =>
  defineTool({
    description,
    args: { tasks: json(ParsedPromptSchema, TASKS_ARG) },
    execute: async ({ tasks }) => answer(titleOf(tasks.tasks), JSON.stringify(tasks, null, 2)),
  })

/** format-prompt: renders the tasks as a tree (sat-plan.md). */
export const createFormatPromptTool = ({ description }: FormatPromptToolOptions): ToolDefinition =>
  defineTool({
    description,
    args: { tasks: json(ParsedPromptSchema, SAME_TASKS_ARG) },
    execute: async ({ tasks }) => answer(titleOf(tasks.tasks), formatPrompt(tasks) || 'No tasks found'),
  })
