/** The rule of the demo's first scene, and the arguments of the scripted model's calls. */
import { type Call, callsIn, type ModelRequest } from '../harness/model.ts'

const constraints = ['do not touch the public API']
const subtasks = [{ intent: 'Reproduce the failure' }, { intent: 'Add a test for it' }]

export const TASKS = [
  { intent: 'Fix the login that fails now and then', targets: ['login'], constraints, subtasks },
  { intent: 'Let sessions last 30 minutes instead of 20', targets: ['sessions'], constraints },
  { intent: 'Update the changelog', targets: ['changelog'] },
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
