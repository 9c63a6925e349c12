import * as z from 'zod'

export type ParsedTask = {
  intent: string
  targets: Array<string>
  constraints: Array<string>
  context?: string | undefined
  subtasks: Array<ParsedTask>
}

/** How deep tasks may be nested: beyond it a tree is no help to anyone. */
export const MAX_TASK_DEPTH = 64

export const ParsedTaskSchema: z.ZodType<ParsedTask> = z.object({
  intent: z.string().refine((text) => text.trim() !== '', { message: 'the intent is empty' }),
  targets: z.array(z.string()),
  constraints: z.array(z.string()),
  context: z.string().optional(),
  get subtasks() {
    return z.array(ParsedTaskSchema)
  },
})

/** How many levels of tasks there are: 0 for none, 1 for a flat list. */
export const depthOf = (tasks: Array<ParsedTask>): number => {
  let depth = 0
  for (let level = tasks; level.length > 0; level = level.flatMap((task) => task.subtasks)) depth++
  return depth
}

/** What parse-prompt and format-prompt validate (sat-spec.md, parse-prompt). */
export const ParsedPromptSchema = z.object({
  tasks: z.array(ParsedTaskSchema).superRefine((tasks, context) => {
    const depth = depthOf(tasks)
    if (depth <= MAX_TASK_DEPTH) return
    context.addIssue({
      code: 'custom',
      message:
        `nested ${depth} levels deep; at most ${MAX_TASK_DEPTH} levels are taken, so flatten the subtasks`,
    })
  }),
})

export type ParsedPrompt = z.infer<typeof ParsedPromptSchema>

export const promptSchemaExample =
  '{"tasks":[{"intent":"Fix type errors in utils","targets":["src/utils"],"constraints":["Run tests after"],"context":"","subtasks":[]}]}'
