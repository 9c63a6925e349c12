/** What the demo's model says: written down here, for it is the one thing in the demo that is not real. */
import type { ParsedTask } from '../../src/prompt-schema.ts'
import type { ParsedRule } from '../../src/rule-schema.ts'
import type { Call, ModelRequest } from '../harness/model.ts'

/** What stands in the instruction file after `examples/messy-project/AGENTS.md`, and is no rule. */
export const COMMANDS = '\n## Commands\n\n```sh\nbun run dev   # the server, on port 3000\n```\n'

/** The rules of `examples/messy-project/AGENTS.md`, each with the words that it restates. */
export const RULES: Array<ParsedRule> = [
  {
    strength: 'obligatory',
    source: 'We like early returns, deep nesting is hard to read.',
    action: 'use',
    target: 'early returns',
    reason: 'Deep nesting is hard to read.',
  },
  {
    strength: 'forbidden',
    source: 'Also: NEVER use non-null assertions (!), narrow the type instead.',
    action: 'use',
    target: 'non-null assertions',
    reason: 'Narrow the type instead.',
  },
  {
    strength: 'forbidden',
    source: 'ternaries only for simple assignments, else nobody can read the condition',
    action: 'use',
    target: 'ternaries',
    context: 'beyond simple assignments',
    reason: 'Nobody can read the condition.',
  },
  {
    strength: 'supererogatory',
    source: 'it would be nice if changes of the public API were documented, people keep asking',
    action: 'document',
    target: 'changes of the public API',
    reason: 'People keep asking.',
  },
  {
    strength: 'obligatory',
    source: 'tests: run `bun test` before you say that you are done!!!',
    action: 'run',
    target: '`bun test`',
    context: 'before saying that the work is done',
    reason: 'Work is done when it is shown to work.',
  },
  {
    strength: 'omissible',
    source: '(not needed if only docs changed)',
    action: 'run',
    target: 'tests',
    context: 'where only documentation changed',
    reason: 'No test can tell.',
  },
  {
    strength: 'indifferent',
    source: 'tabs or spaces, nobody cares, dprint decides',
    action: 'use',
    target: 'tabs or spaces',
    reason: 'dprint decides.',
  },
]

/** The sentences that the model makes of them. */
export const FORMATTED = [
  'Rule: use early returns\nReason: Deep nesting is hard to read.',
  'Rule: do not use non-null assertions\nReason: Narrow the type instead.',
  'Rule: do not use ternaries beyond simple assignments',
  'Rule: ideally document changes of the public API\nReason: People keep asking.',
  'Rule: run `bun test` before saying that the work is done',
  'Rule: tests need not be run where only documentation changed',
  'Rule: it does not matter whether tabs or spaces are used\nReason: dprint decides.',
]

/** The tasks of `examples/messy-project/request.txt`. */
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

/** What the model writes. */
export const WRITTEN = 'export const limits={login:3,minutes:20}\n'

/** Makes the edit of the line that the model wrote, by what its history shows of that. */
export const editFromHistory = (filePath: string) => ({ messages }: ModelRequest): Call => {
  const calls = messages.flatMap(({ tool_calls }) => tool_calls ?? [])
  const write = calls.findLast(({ function: { name } }) => name === 'write')
  const { content } = JSON.parse(write?.function.arguments ?? '{}') as { content: string }
  const oldString = content.trimEnd()
  return { tool: 'edit', args: { filePath, oldString, newString: oldString.replace('20', '30') } }
}
