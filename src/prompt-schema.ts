import * as z from 'zod'

/** A task: what to do, where, under which constraints; and the tasks that it is made of. */
export type ParsedTask = {
  intent: string
  targets: Array<string>
  constraints: Array<string>
  context?: string | undefined
  subtasks: Array<ParsedTask>
}

/** A valid argument of parse-prompt and format-prompt, as short as can be. */
export const promptSchemaExample =
  '{"tasks":[{"intent":"Fix types","targets":["src"],"constraints":["run tests"],"context":"","subtasks":[]}]}'

// A list that a model left out is empty, and part of the answer.
const listOfTexts = z.array(z.string()).default([])

/** One task. */
export const ParsedTaskSchema: z.ZodType<ParsedTask> = z.strictObject({
  intent: z.string().refine((text) => text.trim() !== '', { message: 'the intent is empty' }),
  targets: listOfTexts,
  constraints: listOfTexts,
  context: z.string().optional(),
  get subtasks() {
    return z.array(ParsedTaskSchema).default([]).describe('tasks')
  },
})

/** What parse-prompt and format-prompt validate. */
export const ParsedPromptSchema = z.strictObject({ tasks: z.array(ParsedTaskSchema) }).meta({
  example: promptSchemaExample,
})

/** The tasks of a request. */
export type ParsedPrompt = z.infer<typeof ParsedPromptSchema>
