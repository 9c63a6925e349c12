/** Every word that the model reads about the tools. It is sent with each request, so each word is paid for. */
import { promptSchemaExample } from '../prompt-schema.ts'
import { formatSchemaExample, parseSchemaExample, STRENGTHS } from '../rule-schema.ts'

export const DISCOVER_DESC =
  'Read the instruction files of this project. First step: discover-rules → parse-rules → format-rules → rewrite-rules (replace) or add-rules (append).'

export const PARSE_RULES_DESC =
  'Step 2: split the text of the discovered files into rules and check them. Keep every rule.'

export const FORMAT_RULES_DESC =
  'Step 3: put each parsed rule into words and check them: obligatory "use x"; forbidden "do not use x"; permissible "may use x"; optional "optionally use x"; supererogatory "ideally use x".'

export const REWRITE_RULES_DESC =
  'Step 4: replace the whole content of instruction files by the formatted rules. All given files get the same rules: with several files call once a file.'

export const ADD_RULES_DESC =
  'Step 4: append the formatted rules to an instruction file; keeps what is there.'

export const PARSE_PROMPT_DESC =
  'Split a messy request into tasks and check them. Then call format-prompt with the same tasks.'

export const FORMAT_PROMPT_DESC = 'Render tasks from parse-prompt as a tree.'

export const FILES_ARG = 'Comma-separated paths. Omit for all files that OpenCode loads.'

export const REWRITE_FILES_ARG = 'Comma-separated paths. Omit for all instruction files.'

export const FILE_ARG = 'Path. Omit for the first discovered file.'

export const RESTORE_ARG = 'Instead of rules: "latest" or a backup\'s path, to bring it back'

export const MODE_ARG =
  'verbose: "Rule: …\\nReason: …" for every rule; balanced (default): reason where it helps; concise: "- …" only.'

export const PARSED_RULES_ARG = `JSON: ${parseSchemaExample}. strength: ${
  STRENGTHS.join('|')
}. Optional: context.`

export const FORMATTED_RULES_ARG = `JSON: ${formatSchemaExample}`

export const SAME_RULES_ARG = 'JSON as returned by format-rules'

export const TASKS_ARG = `JSON: ${promptSchemaExample}. Subtasks are tasks.`

export const SAME_TASKS_ARG = 'JSON as returned by parse-prompt'
