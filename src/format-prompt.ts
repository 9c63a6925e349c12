/** Renders the tasks of a request as a tree. */
import type { ParsedPrompt, ParsedTask } from './prompt-schema.ts'

// Control codes of a terminal and rare line breaks would break the tree.
const BREAKS_TREE = /(?:[^\S ]|[\u0000-\u001f\u007f-\u009f])+/g

/** Splits a text into lines and keeps their indentation. */
const linesOf = (text: string): Array<string> =>
  text.trim().split(/\r\n?|\n/).map((line) => {
    const words = line.trimStart()
    return line.slice(0, line.length - words.length) + words.replace(BREAKS_TREE, ' ').trimEnd()
  })

/** Joins texts on one line, or with one per line if any of them has several lines. */
const joinTexts = (texts: Array<string>): string => {
  const filled = texts.map((text) => text.trim()).filter((text) => text !== '')
  return filled.join(filled.some((text) => /[\r\n]/.test(text)) ? '\n' : ', ')
}

/** Formats the lines `> Targets: …`, `> Constraints: …` and `> Context: …` of a task, without the empty ones. */
const toMetadata = ({ targets, constraints, context = '' }: ParsedTask): Array<string> => {
  const texts = { Targets: joinTexts(targets), Constraints: joinTexts(constraints), Context: context.trim() }
  return Object.entries(texts).filter(([, text]) => text !== '')
    .flatMap(([label, text]) => linesOf(`${label}: ${text}`).map((line) => `> ${line}`))
}

/**
 * Renders tasks as a tree without a final line break. Tasks are numbered through the whole tree; further lines and
 * metadata of a task are indented by two columns.
 */
export const formatPrompt = ({ tasks }: ParsedPrompt): string => {
  const lines: Array<string> = []
  let number = 0

  /** Renders a task and its subtasks. `firstIndent` precedes the first line, `indent` the other lines. */
  const render = (task: ParsedTask, firstIndent: string, indent: string): void => {
    const [firstLine, ...furtherLines] = linesOf(task.intent)
    lines.push(`${firstIndent}${++number}. ${firstLine}`)
    const stem = task.subtasks.length > 0 ? '│ ' : '  '
    for (const line of [...furtherLines, ...toMetadata(task)]) lines.push((indent + stem + line).trimEnd())
    renderAll(task.subtasks, indent)
  }

  const renderAll = (siblings: Array<ParsedTask>, indent: string): void =>
    siblings.forEach((task, index) => {
      const isLast = index === siblings.length - 1
      render(task, indent + (isLast ? '└── ' : '├── '), indent + (isLast ? '    ' : '│   '))
    })

  if (tasks.length === 1) render(tasks[0]!, '', '')
  else renderAll(tasks, '')
  return lines.join('\n')
}
