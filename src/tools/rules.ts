/** The creators of the five tools of the rules pipeline. */
export { createAddTool } from './add-rules.ts'
export { createDiscoverTool } from './discover-rules.ts'
export { createFormatRulesTool } from './format-rules.ts'
export { createParseRulesTool } from './parse-rules.ts'
export type { DiscoverToolOptions } from './pipeline-state.ts'
export { createRewriteTool } from './rewrite-rules.ts'
