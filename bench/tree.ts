/** Rendering tasks as a tree, against JSON.stringify of the same tasks. */
import { formatPrompt } from '../src/format-prompt.ts'
import type { ParsedTask } from '../src/prompt-schema.ts'
import { type Row, sideBySide } from './measure.ts'

const BRANCHES = 10

const tasksOf = (levels: number): Array<ParsedTask> =>
  levels === 0 ? [] : Array.from({ length: BRANCHES }, (_, index) => ({
    intent: `Fix the type errors of part ${index}`,
    targets: ['src/parts', 'test/parts'],
    constraints: ['Run the tests after'],
    context: '',
    subtasks: tasksOf(levels - 1),
  }))

export default async (): Promise<Array<Row>> => {
  const rows: Array<Row> = []
  for (const levels of [1, 2, 3, 4]) {
    const tasks = { tasks: tasksOf(levels) }
    const amount = Array.from({ length: levels }, (_, index) => BRANCHES ** (index + 1))
      .reduce((sum, level) => sum + level, 0)
    rows.push(
      await sideBySide(
        { what: 'tree', size: `${amount} tasks`, against: 'JSON.stringify' },
        () => formatPrompt(tasks),
        () => JSON.stringify(tasks),
      ),
    )
  }
  return rows
}
