/**
 * Every word that the model reads about the tools. All of it is sent with each request, so no definition repeats what
 * another one says.
 */
import * as z from 'zod'
import { STRENGTHS } from '../rule-schema.ts'

export const DISCOVER_DESC =
  'Read instruction files; then, file by file, parse-rules, format-rules, rewrite-rules or add-rules.'

export const PARSE_RULES_DESC = 'Check rules split from a text; keep every one.'

export const FORMAT_RULES_DESC =
  'Check the wording of parsed rules: one text each, same order, language of the file, any words (do not, never).'

export const REWRITE_RULES_DESC =
  'Put formatted rules in the place of their sources; the rest stays. Without sources: replace the file.'

export const ADD_RULES_DESC = 'Append them to a file.'

export const PARSE_PROMPT_DESC = 'Check tasks split from a request; then format-prompt without tasks.'

export const FORMAT_PROMPT_DESC = 'Render tasks as a tree.'

export const FILES_ARG = 'Comma-separated; default: all'

export const REWRITE_FILES_ARG = 'Default: where the sources stand'

export const FILE_ARG = "Default: the project's"

export const RESTORE_ARG = 'latest or a backup'

export const MODE_ARG = 'verbose: with Reason; balanced (default): where it helps; concise: - do not use eval'

/** How each of `STRENGTHS` is worded, in their order, and what else in a text means it. */
const STRENGTH_WORDS =
  `In order: use x; do not use x, avoid x, x only when y (context: unless y); may use x; \
optionally x; ideally x, should, prefer, if possible; x or not; need not use x`

/** The schema of the rules of parse-rules, as the model sees it. */
export const PARSED_RULES_SHOWN = z.array(
  z.object({
    strength: z.enum(STRENGTHS).describe(STRENGTH_WORDS),
    action: z.string(),
    target: z.string().describe('x, or x instead of y'),
    context: z.string().optional().describe('scope (heading, glob), condition, exception'),
    reason: z.string().optional(),
    source: z.array(z.string()).optional().describe(
      'words of the file it restates, copied, or first … last; one a place',
    ),
  }),
)

/** The schema of the rules of format-rules, as the model sees it. */
export const FORMATTED_RULES_SHOWN = z.array(z.string()).describe(
  'Rule: do not use eval\nReason: unsafe (labels stay so)',
)

/** The schema of optional rules, as the model sees it; the first tool describes the default. */
export const OPTIONAL_RULES_SHOWN = z.array(z.string())

/** The schema of the rules of rewrite-rules, as the model sees it. */
export const OWN_RULES_SHOWN = OPTIONAL_RULES_SHOWN.describe('Default: what format-rules validated')

/** The schema of the tasks of parse-prompt, as the model sees it; subtasks are described in words. */
export const TASKS_SHOWN = z.array(
  z.object({
    intent: z.string(),
    targets: z.array(z.string()).optional(),
    constraints: z.array(z.string()).optional(),
    context: z.string().optional(),
    subtasks: z.array(z.object({})).optional().describe('tasks'),
  }),
)

/** The schema of the tasks of format-prompt, as the model sees it. */
export const OWN_TASKS_SHOWN = z.array(z.object({})).describe('Default: what parse-prompt took')
