import type { ParsedPrompt, ParsedTask } from './prompt-schema.ts'

// Line breaks, tabs and a terminal's control codes inside a text would break the tree.
const oneLine = (text: string): string => text.replace(/[\s\u0000-\u001f\u007f-\u009f]+/g, ' ').trim()

const listOf = (texts: Array<string>): string => texts.map(oneLine).filter((text) => text !== '').join(', ')

const toMetadata = (task: ParsedTask): Array<string> =>
  [
    { label: 'Targets', text: listOf(task.targets) },
    { label: 'Constraints', text: listOf(task.constraints) },
    { label: 'Context', text: oneLine(task.context ?? '') },
  ].flatMap(({ label, text }) => text === '' ? [] : [`> ${label}: ${text}`])

/**
 * Renders tasks as a tree: numbered through the whole tree, a task's metadata indented by two columns from its
 * number, pipes, corners and tees where there are several.
 *
 * @returns the tree without a line break at its end; an empty string for no tasks
 */
export const formatPrompt = ({ tasks }: ParsedPrompt): string => {
  const lines: Array<string> = []
  let number = 0

  /** Adds the lines of a task and of what is below it: `lead` stands before its own line, `under` before the others. */
  const render = (task: ParsedTask, lead: string, under: string): void => {
    lines.push(`${lead}${++number}. ${oneLine(task.intent)}`)
    const stem = task.subtasks.length > 0 ? '│ ' : '  '
    for (const line of toMetadata(task)) lines.push(under + stem + line)
    renderAll(task.subtasks, under)
  }

  const renderAll = (siblings: Array<ParsedTask>, under: string): void => {
    siblings.forEach((task, index) =>
      index === siblings.length - 1
        ? render(task, `${under}└── `, `${under}    `)
        : render(task, `${under}├── `, `${under}│   `)
    )
  }

  const [only, ...others] = tasks
  if (only && others.length === 0) render(only, '', '')
  else renderAll(tasks, '')
  return lines.join('\n')
}
