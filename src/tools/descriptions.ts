/**
 * Every word that the model reads about the tools. It is sent with each request, so each word is paid for: what one
 * definition says, the others count on.
 */
import { promptSchemaExample } from '../prompt-schema.ts'
import { formatSchemaExample, parseSchemaExample, STRENGTHS } from '../rule-schema.ts'

export const DISCOVER_DESC =
  'Read instruction files; then, one file at a time, parse-rules, format-rules, and rewrite-rules (replace) or add-rules (append).'

export const PARSE_RULES_DESC = 'Check the rules you split a discovered text into; keep every one.'

export const FORMAT_RULES_DESC =
  'Check the parsed rules put into words: one text for each, same order, language of the file, any wording of its strength (forbidden: do not, never; others: see parse-rules).'

export const REWRITE_RULES_DESC =
  'Replace a whole instruction file; what is no rule (facts, commands, layout, code) is lost. One call a file.'

export const ADD_RULES_DESC = 'Append to an instruction file.'

export const PARSE_PROMPT_DESC =
  'Check the tasks you split a messy request into. Then call format-prompt without tasks.'

export const FORMAT_PROMPT_DESC = 'Render tasks as a tree.'

export const FILES_ARG = 'Comma-separated paths; default: all'

export const REWRITE_FILES_ARG = 'Paths; default: the same rules to all'

export const FILE_ARG = 'Path; default: the first discovered'

export const RESTORE_ARG = 'latest or a backup path, instead of rules'

export const MODE_ARG =
  'verbose: all with their Reason; balanced (default): Reason where it helps; concise: - do not use eval'

/** How each strength is said (sat-spec.md, Deontic strength mapping), and what else in a text means it. */
const STRENGTH_WORDS: Record<(typeof STRENGTHS)[number], string> = {
  obligatory: 'use x',
  forbidden: 'do not use x; "x only when y" with context "unless y"',
  permissible: 'may use x',
  optional: 'optionally use x',
  supererogatory: 'ideally use x; should, prefer, avoid where possible',
  indifferent: 'either use x or not',
  omissible: 'need not use x',
}

export const PARSED_RULES_ARG =
  `JSON or object: ${parseSchemaExample}; context, reason optional. Strengths: ${
    STRENGTHS.map((strength) => `${strength} (${STRENGTH_WORDS[strength]})`).join(', ')
  }. target: alternatives (x instead of y); context: scope (heading, glob), conditions, exceptions`

export const FORMATTED_RULES_ARG = `JSON or object: ${formatSchemaExample}`

export const SAME_RULES_ARG = 'As in format-rules; default: what it last validated'

export const TASKS_ARG = `JSON or object: ${promptSchemaExample}; only intent is required; subtasks are tasks`

export const SAME_TASKS_ARG = 'As in parse-prompt; default: what it last took'
