/** The schemas of the tools parse-prompt and format-prompt: tasks and their subtasks. */
import * as z from 'zod'

export type ParsedTask = {
  intent: string
  targets: Array<string>
  constraints: Array<string>
  context?: string | undefined
  subtasks: Array<ParsedTask>
}

const listOfTexts = z.array(z.string()).default([])

export const ParsedTaskSchema: z.ZodType<ParsedTask> = z.strictObject({
  intent: z.string().refine((text) => text.trim() !== '', { message: 'the intent is empty' }),
  targets: listOfTexts,
  constraints: listOfTexts,
  context: z.string().optional(),
  get subtasks() {
    return z.array(ParsedTaskSchema).default([]).describe('tasks')
  },
})

/** The argument of parse-prompt and format-prompt. */
export const ParsedPromptSchema = z.strictObject({ tasks: z.array(ParsedTaskSchema) }).meta({
  example:
    '{"tasks":[{"intent":"Fix types","targets":["src"],"constraints":["run tests"],"context":"","subtasks":[]}]}',
})

export type ParsedPrompt = z.infer<typeof ParsedPromptSchema>
