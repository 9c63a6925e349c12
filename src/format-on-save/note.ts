import { changedLines } from './changed-lines.ts'

const MAX_LINES = 8
const MAX_LENGTH = 600

/** The lines that are neither blank nor, in another place, still in the text. */
const missing = (lines: Array<string>, text: string): Array<string> =>
  lines.filter((line) => line.trim() !== '' && !text.includes(line.trim()))

/**
 * What the model must be told of a formatted file because nothing in its history says it: the lines as they now are,
 * where they are few. Empty where it knows all that it can use.
 *
 * @param believed the file as the model must think it is, from its own, perhaps corrected, call
 */
export const noteOf = (name: string, believed: string, text: string): string => {
  const changed = changedLines(believed, text)
  const readAgain = `${name} was formatted; read it again before you edit its other lines.`
  if (changed === null) return readAgain
  const runs = changed.filter(({ lines }) => lines.some((line) => line.trim() !== ''))
  const gone = missing(changed.flatMap((run) => run.gone), text)
  const lines = [...runs.flatMap((run) => run.lines), ...gone]
  if (lines.length === 0) return ''
  if (lines.length > MAX_LINES || lines.join('\n').length > MAX_LENGTH) return readAgain
  const told = runs.map((run) =>
    run.lines.length === 1
      ? `now reads in line ${run.first}:\n${run.lines[0]}`
      : `now reads in lines ${run.first}-${run.first + run.lines.length - 1}:\n${run.lines.join('\n')}`
  )
  const lost = gone.length > 0 ? [`no longer has:\n${gone.join('\n')}`] : []
  return `${name} was formatted and ${[...told, ...lost].join('\nand ')}`
}
