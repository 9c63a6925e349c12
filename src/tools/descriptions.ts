/**
 * Every word that the model reads about the tools. All of it is sent with each request, so no definition repeats what
 * another one says.
 */
import * as z from 'zod'
import { ModeSchema, STRENGTHS } from '../rule-schema.ts'

/** What each tool does. */
export const DESCRIPTIONS = {
  'discover-rules':
    'Read instruction files; then, file by file, parse-rules, format-rules, rewrite-rules or add-rules.',
  'parse-rules':
    'Check rules split from a text. One that is a single clear sentence already may stay as it is: leave it out.',
  'format-rules':
    'Check the wording of parsed rules: one text each, same order, language of the file, any words (do not, never).',
  'rewrite-rules':
    'Put formatted rules in the place of their sources; the rest stays. Without sources: replace the file.',
  'add-rules': 'Add them to a file, in its form.',
  'parse-prompt': 'Check tasks split from a request; then format-prompt without tasks.',
  'format-prompt': 'Render tasks as a tree.',
}

/** What arguments for paths are. */
export const PATHS = {
  files: 'Comma-separated; default: all',
  filesToRewrite: 'Default: where the sources stand',
  fileToAddTo: "Default: the project's",
}

/** How each of `STRENGTHS` is worded, in their order, and what else in a text means it. */
const STRENGTH_WORDS =
  `In order: use x; do not use x, avoid x, x only when y (context: unless y); may use x; \
optionally x; ideally x, should, prefer, if possible; x or not; need not use x`

/** The schemas of all other arguments. The writers' own are described only as far as the tools before them do not. */
export const SCHEMAS = {
  parsedRules: z.array(
    z.object({
      strength: z.enum(STRENGTHS).describe(STRENGTH_WORDS),
      action: z.string(),
      target: z.string().describe('x, or x instead of y'),
      context: z.string().optional().describe('scope (heading, glob), condition, exception'),
      reason: z.string().optional().describe('only as the text has it'),
      source: z.array(z.string()).optional().describe(
        'words of the file it restates, copied, or first … last; without a lead-in (**Tests:**); one a place',
      ),
    }),
  ),
  formattedRules: z.array(z.string()).describe(
    'Rule: do not use eval\nReason: It runs any text. (labels stay so)',
  ),
  mode: ModeSchema.optional().describe(
    'verbose: with Reason; balanced (default): where it helps; concise: - do not use eval',
  ),
  rulesToRewrite: z.array(z.string()).optional().describe('Default: what format-rules validated'),
  rulesToAdd: z.array(z.string()).optional(),
  sameMode: z.string().optional(),
  after: z.string().optional().describe('words of the heading or rule it follows'),
  restore: z.string().optional().describe('latest or a backup'),
  tasks: z.array(
    z.object({
      intent: z.string(),
      targets: z.array(z.string()).optional(),
      constraints: z.array(z.string()).optional(),
      context: z.string().optional(),
      subtasks: z.array(z.object({})).optional().describe('tasks'),
    }),
  ),
  tasksToRender: z.array(z.object({})).optional().describe('Default: what parse-prompt took'),
}
