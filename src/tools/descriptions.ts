/**
 * Every word that the model reads about the tools. It is sent with each request, so each word is paid for: what one
 * definition says, the others count on.
 */
import { promptSchemaExample } from '../prompt-schema.ts'
import { formatSchemaExample, parseSchemaExample, STRENGTHS } from '../rule-schema.ts'

export const DISCOVER_DESC =
  'Read instruction files; then call, file by file, parse-rules, format-rules, rewrite-rules or add-rules.'

export const PARSE_RULES_DESC = 'Check rules split from a discovered text; keep every one.'

export const FORMAT_RULES_DESC =
  'Check the wording of parsed rules: one text for each, same order, language of the file, any wording of its strength (do not, never).'

export const REWRITE_RULES_DESC =
  'Replace a whole file; what is no rule (facts, commands, layout, code) is lost. One call a file.'

export const ADD_RULES_DESC = 'Append to a file.'

export const PARSE_PROMPT_DESC =
  'Check tasks split from a messy request; then call format-prompt without tasks.'

export const FORMAT_PROMPT_DESC = 'Render tasks as a tree.'

export const FILES_ARG = 'Comma-separated paths; default: all'

export const REWRITE_FILES_ARG = 'Paths; default: same rules to all'

export const FILE_ARG = 'Path; default: first discovered'

export const RESTORE_ARG = 'latest or backup path'

export const MODE_ARG =
  'verbose: with Reason; balanced (default): Reason where it helps; concise: - do not use eval'

/** How each strength is said (sat-spec.md, Deontic strength mapping), and what else in a text means it. */
const STRENGTH_WORDS: Record<(typeof STRENGTHS)[number], string> = {
  obligatory: 'use x',
  forbidden: 'do not use x; x only when y: context unless y',
  permissible: 'may use x',
  optional: 'optionally x',
  supererogatory: 'ideally x; should, prefer, avoid where possible',
  indifferent: 'x or not',
  omissible: 'need not use x',
}

export const PARSED_RULES_ARG =
  `JSON or object: ${parseSchemaExample}; context, reason optional. Strengths: ${
    STRENGTHS.map((strength) => `${strength} (${STRENGTH_WORDS[strength]})`).join(', ')
  }. target: x, or x instead of y; context: scope (heading, glob), conditions, exceptions`

export const FORMATTED_RULES_ARG = `JSON or object: ${formatSchemaExample}`

export const REWRITE_RULES_ARG = 'Default: what format-rules last validated'

export const ADD_RULES_ARG = 'As in rewrite-rules'

export const TASKS_ARG = `JSON or object: ${promptSchemaExample}; only intent is required; subtasks are tasks`

export const SAME_TASKS_ARG = 'Default: what parse-prompt last took'
