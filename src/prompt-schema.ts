/** The schemas of the tools parse-prompt and format-prompt: tasks and their subtasks. */
import * as z from 'zod'

const listOfTexts = z.array(z.string()).default([])

export const ParsedTaskSchema = z.strictObject({
  intent: z.string().refine((text) => text.trim() !== '', { message: 'the intent is empty' }),
  targets: listOfTexts,
  constraints: listOfTexts,
  context: z.string().optional(),
  get subtasks(): z.ZodDefault<z.ZodArray<typeof ParsedTaskSchema>> {
    return z.array(ParsedTaskSchema).default([]).describe('tasks')
  },
})

export type ParsedTask = z.infer<typeof ParsedTaskSchema>

/** The argument of parse-prompt and format-prompt. */
export const ParsedPromptSchema = z.strictObject({ tasks: z.array(ParsedTaskSchema) }).meta({
  example:
    '{"tasks":[{"intent":"Fix types","targets":["src"],"constraints":["run tests"],"context":"","subtasks":[]}]}',
})

export type ParsedPrompt = z.infer<typeof ParsedPromptSchema>
