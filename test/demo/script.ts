/** The rule of the demo's first scene, and the longer texts that the scripted model sends. */
import type { ParsedTask } from '../../src/prompt-schema.ts'
import { type Call, callsIn, type ModelRequest } from '../harness/model.ts'

export const TASKS: Array<ParsedTask> = [
  {
    intent: 'Fix the login that fails now and then',
    targets: ['login'],
    constraints: ['do not touch the public API'],
    subtasks: [
      { intent: 'Reproduce the failure', targets: [], constraints: [], subtasks: [] },
      { intent: 'Add a test for it', targets: [], constraints: [], subtasks: [] },
    ],
  },
  {
    intent: 'Let sessions last 30 minutes instead of 20',
    targets: ['sessions'],
    constraints: ['do not touch the public API'],
    subtasks: [],
  },
  { intent: 'Update the changelog', targets: ['changelog'], constraints: [], subtasks: [] },
]

/** README.md shows the same rule. */
export const RULE = `---
globs: src/**/*.ts
forbid: '^export default\\b'
bad: 'export default 1'
good: 'export const one = 1'
---
Use named exports.
`

export const DRAFT = `export default function total(prices: number[]) {
  return prices.reduce((sum, price) => sum + price, 0)
}
`

export const UNFORMATTED = 'export const limits={login:3,minutes:20}\n'

export const editFromHistory = (filePath: string) => (request: ModelRequest): Call => {
  const write = callsIn(request).findLast(({ tool }) => tool === 'write')
  const oldString = String(write?.args['content']).trimEnd()
  return { tool: 'edit', args: { filePath, oldString, newString: oldString.replace('20', '30') } }
}
