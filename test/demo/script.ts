/** What the demo's model says: written down here, for it is the one thing in the demo that is not real. */
import type { ParsedPrompt } from '../../src/prompt-schema.ts'
import type { ParsedRule } from '../../src/rule-schema.ts'

/** The rules of `examples/messy-project/AGENTS.md`. */
export const RULES: Array<ParsedRule> = [
  { strength: 'obligatory', action: 'use', target: 'early returns', reason: 'Deep nesting is hard to read.' },
  {
    strength: 'forbidden',
    action: 'use',
    target: 'non-null assertions',
    reason: 'Narrow the type instead.',
  },
  {
    strength: 'forbidden',
    action: 'use',
    target: 'ternaries',
    context: 'beyond simple assignments',
    reason: 'Nobody can read the condition.',
  },
  {
    strength: 'supererogatory',
    action: 'document',
    target: 'changes of the public API',
    reason: 'People keep asking.',
  },
  {
    strength: 'obligatory',
    action: 'run',
    target: '`bun test`',
    context: 'before saying that the work is done',
    reason: 'Work is done when it is shown to work.',
  },
  {
    strength: 'omissible',
    action: 'run',
    target: 'tests',
    context: 'where only documentation changed',
    reason: 'No test can tell.',
  },
  { strength: 'indifferent', action: 'use', target: 'tabs or spaces', reason: 'dprint decides.' },
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
export const TASKS: ParsedPrompt = {
  tasks: [
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
  ],
}

/** A rule that the person names later. */
export const ADDED = 'Rule: do not use default exports'

/** What the model writes, and how it goes on from the formatted text. */
export const WRITTEN = 'export const limits={login:3,minutes:20}\n'
export const EDIT = { oldString: 'minutes: 20', newString: 'minutes: 30' }
