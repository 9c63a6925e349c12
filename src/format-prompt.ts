/** Renders the tasks of a request as lines of text. */
import type { ParsedPrompt, ParsedTask } from './prompt-schema.ts'

// Matches control characters, and all whitespace except spaces.
const BREAKS_TREE = /(?:[^\S ]|[\u0000-\u001f\u007f-\u009f])+/g

const cleanLinesOf = (text: string): Array<string> =>
  text.trim().split(/\r\n?|\n/).map((line) => {
    const words = line.trimStart()
    const indentation = line.slice(0, line.length - words.length)
    return indentation + words.replace(BREAKS_TREE, ' ').trimEnd()
  })

const joinTexts = (texts: Array<string>): string => {
  const filled = texts.map((text) => text.trim()).filter((text) => text !== '')
  return filled.join(filled.some((text) => /[\r\n]/.test(text)) ? '\n' : ', ')
}

const toMetadata = ({ targets, constraints, context = '' }: ParsedTask): Array<string> => {
  const texts = { Targets: joinTexts(targets), Constraints: joinTexts(constraints), Context: context.trim() }
  return Object.entries(texts).filter(([, text]) => text !== '')
    .flatMap(([label, text]) => cleanLinesOf(`${label}: ${text}`).map((line) => `> ${line}`))
}

/** Renders tasks as a tree, numbered from top to bottom, without a final line break. */
export const formatPrompt = ({ tasks }: ParsedPrompt): string => {
  const lines: Array<string> = []
  let number = 0

  const render = (task: ParsedTask, firstIndent: string, indent: string): void => {
    const [firstLine, ...furtherLines] = cleanLinesOf(task.intent)
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
