/** The names of SAT's tools, in the order of the pipelines. */
export const TOOL_NAMES = [
  'discover-rules',
  'parse-rules',
  'format-rules',
  'rewrite-rules',
  'add-rules',
  'parse-prompt',
  'format-prompt',
]
