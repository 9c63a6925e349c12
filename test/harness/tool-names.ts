/** The names of SAT's tools, in the order in which a model calls them. */
export const TOOL_NAMES = [
  'discover-rules',
  'parse-rules',
  'format-rules',
  'rewrite-rules',
  'add-rules',
  'parse-prompt',
  'format-prompt',
]
