/** Exports the functions that create the tools for rules. */
export { createAddTool } from './add-rules.ts'
export { createDiscoverTool } from './discover-rules.ts'
export { createFormatRulesTool } from './format-rules.ts'
export { createParseRulesTool } from './parse-rules.ts'
export type { DiscoverToolOptions } from './pipeline-state.ts'
export { createRewriteTool } from './rewrite-rules.ts'
