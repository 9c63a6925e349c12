import type { ParsedRule } from './rule-schema.ts'
import type { Issue } from './schema-issues.ts'

export const meaningIssues = (_parsed: Array<ParsedRule>, _formatted: Array<string>): Array<Issue> => []
