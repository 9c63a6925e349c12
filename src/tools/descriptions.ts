/**
 * Every word that the model reads about the tools. It is sent with each request, so each word is paid for: what one
 * definition says, the others count on.
 */
import * as z from 'zod'
import { STRENGTHS } from '../rule-schema.ts'

export const DISCOVER_DESC =
  'Read instruction files; then call, file by file, parse-rules, format-rules, rewrite-rules or add-rules.'

export const PARSE_RULES_DESC = 'Check rules split from a discovered text; keep every one.'

export const FORMAT_RULES_DESC =
  'Check the wording of parsed rules: one text for each, same order, language of the file, any wording of its strength (do not, never).'

export const REWRITE_RULES_DESC =
  'Put formatted rules in the place of their sources; the rest of the file stays. Without sources: replace the whole file.'

export const ADD_RULES_DESC = 'Append to a file.'

export const PARSE_PROMPT_DESC =
  'Check tasks split from a messy request; then call format-prompt without tasks.'

export const FORMAT_PROMPT_DESC = 'Render tasks as a tree.'

export const FILES_ARG = 'Comma-separated paths; default: all'

export const REWRITE_FILES_ARG = 'Paths; default: where the sources stand'

export const FILE_ARG = "Path; default: the project's"

export const RESTORE_ARG = 'latest or backup path'

export const MODE_ARG =
  'verbose: with Reason; balanced (default): Reason where it helps; concise: - do not use eval'

/** How each strength is said, and what else in a text means it. */
const STRENGTH_WORDS: Record<(typeof STRENGTHS)[number], string> = {
  obligatory: 'use x',
  forbidden: 'do not use x, avoid x; x only when y: context unless y',
  permissible: 'may use x',
  optional: 'optionally x',
  supererogatory: 'ideally x; should, prefer, if possible',
  indifferent: 'x or not',
  omissible: 'need not use x',
}

const STRENGTH = STRENGTHS.map((strength) => `${strength}: ${STRENGTH_WORDS[strength]}`).join('. ')

/** The rules of parse-rules, as the model is shown them. */
export const PARSED_RULES_SHOWN = z.array(
  z.object({
    strength: z.enum(STRENGTHS).describe(STRENGTH),
    action: z.string().describe('verb'),
    target: z.string().describe('x, or x instead of y'),
    context: z.string().optional().describe('scope (heading, glob), conditions, exceptions'),
    reason: z.string().optional(),
    source: z.union([z.string(), z.array(z.string())]).optional().describe(
      'words of the file that it restates, copied, or first … last; a list for several places',
    ),
  }),
)

/** The rules of format-rules, as the model is shown them. */
export const FORMATTED_RULES_SHOWN = z.array(z.string()).describe(
  'Rule: do not use eval\nReason: unsafe (these two labels in every language)',
)

/** The rules of the writers, as the model is shown them. */
export const OWN_RULES_SHOWN = z.array(z.string()).describe('Default: what format-rules validated')

/** The tasks of parse-prompt, as the model is shown them; what a task within a task is, it is told in words. */
export const TASKS_SHOWN = z.array(
  z.object({
    intent: z.string(),
    targets: z.array(z.string()).optional(),
    constraints: z.array(z.string()).optional(),
    context: z.string().optional(),
    subtasks: z.array(z.looseObject({ intent: z.string() })).optional().describe('tasks like these'),
  }),
)

/** The tasks of format-prompt, as the model is shown them. */
export const OWN_TASKS_SHOWN = z.array(z.looseObject({ intent: z.string() })).describe(
  'Default: what parse-prompt last took',
)
