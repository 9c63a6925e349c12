/** Every word that the model reads about the tools. It is sent with each request, so each word is paid for. */
import { promptSchemaExample } from '../prompt-schema.ts'
import { formatSchemaExample, parseSchemaExample, STRENGTHS } from '../rule-schema.ts'

export const DISCOVER_DESC =
  'Read instruction files. Order, one file at a time: discover-rules, parse-rules, format-rules, then rewrite-rules (replace) or add-rules (append).'

export const PARSE_RULES_DESC = 'Check the rules that you split a discovered text into. Keep every rule.'

export const FORMAT_RULES_DESC =
  'Check each parsed rule put into words: obligatory "use x"; forbidden "do not use x"; permissible "may use x"; optional "optionally use x"; supererogatory "ideally use x"; indifferent "either use x or not"; omissible "need not use x".'

export const REWRITE_RULES_DESC = 'Replace the whole content of an instruction file. One call a file.'

export const ADD_RULES_DESC = 'Append to an instruction file.'

export const PARSE_PROMPT_DESC =
  'Check the tasks that you split a messy request into. Then call format-prompt with the same.'

export const FORMAT_PROMPT_DESC = 'Render tasks as a tree.'

export const FILES_ARG = 'Paths, comma-separated; default all instruction files'

export const REWRITE_FILES_ARG = 'Paths; default: the same rules to all'

export const FILE_ARG = 'Path; default: the first discovered'

export const RESTORE_ARG = 'Instead of rules: "latest" or a backup\'s path, to bring it back'

export const MODE_ARG =
  'verbose: all with Reason; balanced (default): Reason where it helps; concise: "- do not use eval"'

export const SAME_MODE_ARG = 'As in format-rules'

export const PARSED_RULES_ARG = `JSON: ${parseSchemaExample}; context optional; strength: ${
  STRENGTHS.join(', ')
}`

export const FORMATTED_RULES_ARG = `JSON: ${formatSchemaExample}`

export const SAME_RULES_ARG = 'JSON as in format-rules; default: what it last validated'

export const TASKS_ARG = `JSON: ${promptSchemaExample}; context optional; subtasks are tasks`

export const SAME_TASKS_ARG = 'JSON as in parse-prompt'
