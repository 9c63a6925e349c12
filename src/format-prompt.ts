import type { ParsedPrompt, ParsedTask } from './prompt-schema.ts'

// A terminal's control codes, and line breaks of rare kinds, would break the tree.
const BREAKS_TREE = /(?:[^\S ]|[\u0000-\u001f\u007f-\u009f])+/g

/** Gives the lines of a text, with the indentation that code has. */
const linesOf = (text: string): Array<string> =>
  text.trim().split(/\r\n?|\n/).map((line) => {
    const words = line.trimStart()
    return line.slice(0, line.length - words.length) + words.replace(BREAKS_TREE, ' ').trimEnd()
  })

/** Lists texts on one line, or where one has several lines each on its own. */
const listOf = (texts: Array<string>): string => {
  const given = texts.map((text) => text.trim()).filter((text) => text !== '')
  return given.join(given.some((text) => /[\r\n]/.test(text)) ? '\n' : ', ')
}

const toMetadata = (task: ParsedTask): Array<string> =>
  [
    { label: 'Targets', text: listOf(task.targets) },
    { label: 'Constraints', text: listOf(task.constraints) },
    { label: 'Context', text: (task.context ?? '').trim() },
  ].flatMap(({ label, text }) => text === '' ? [] : linesOf(`${label}: ${text}`).map((line) => `> ${line}`))

/**
 * Renders tasks as a tree: numbered through the whole tree, a task's further lines and metadata indented by two columns
 * from its number, pipes, corners and tees where there are several.
 *
 * @returns the tree without a line break at its end; an empty string for no tasks
 */
export const formatPrompt = ({ tasks }: ParsedPrompt): string => {
  const lines: Array<string> = []
  let number = 0

  /** Adds the lines of a task and of what is below it: `lead` stands before its own line, `under` before the others. */
  const render = (task: ParsedTask, lead: string, under: string): void => {
    const [intent, ...more] = linesOf(task.intent)
    lines.push(`${lead}${++number}. ${intent}`)
    const stem = task.subtasks.length > 0 ? '│ ' : '  '
    for (const line of [...more, ...toMetadata(task)]) lines.push((under + stem + line).trimEnd())
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
