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

/** How deep tasks may be nested: nobody can read a deeper tree. */
export const MAX_TASK_DEPTH = 64

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

/** Counts the levels of tasks: 0 for none, 1 for a flat list. */
export const depthOf = (tasks: Array<ParsedTask>): number => {
  let depth = 0
  for (let level = tasks; level.length > 0; level = level.flatMap((task) => task.subtasks)) depth++
  return depth
}

/** What parse-prompt and format-prompt validate. */
export const ParsedPromptSchema = z.strictObject({
  tasks: z.array(ParsedTaskSchema).superRefine((tasks, context) => {
    const depth = depthOf(tasks)
    if (depth <= MAX_TASK_DEPTH) return
    context.addIssue({
      code: 'custom',
      message:
        `nested ${depth} levels deep; at most ${MAX_TASK_DEPTH} levels are taken, so flatten the subtasks`,
    })
  }),
}).meta({ example: promptSchemaExample })

/** The tasks of a request. */
export type ParsedPrompt = z.infer<typeof ParsedPromptSchema>
