/** Creates the note that tells the model of a failed formatter. */
import type { Failure } from '../run/run-formatter.ts'

const MAX_OUTPUT = 700
const MAX_OUTPUT_LINES = 10

// Matches the first error of a parser. The output may begin with remarks of a linter.
const ERROR = /error\b|\b(?:expected|pars(?:e|ing)|syntax|unexpected)\b/i

const firstOf = (lines: Array<string>): string =>
  lines.slice(0, MAX_OUTPUT_LINES).join('\n').slice(0, MAX_OUTPUT)

// A line number changes if lines are added above the error.
const withoutNumbers = (output: string): string => output.replace(/\d+/g, '0')

/** `reportedOutput` is the output that the model saw last. */
export const failureNote = (
  name: string,
  { command, status, code, output, mayHaveWritten }: Omit<Failure, 'kind'>,
  reportedOutput = '',
): string => {
  const lines = output.split('\n').filter((line) => line.trim() !== '' && !/^\s+at /.test(line))
  // A linter that could fix only some problems also exits with an error.
  const hasFormatted = mayHaveWritten && code !== undefined
  const failed = hasFormatted
    ? `formatted, but \`${command}\` exited with code ${code}`
    : `not formatted: \`${command}\` ${status}`
  if (lines.length === 0) return `${name} was ${failed}.`
  if (withoutNumbers(output) === withoutNumbers(reportedOutput)) {
    const reportedLines = new Set(reportedOutput.split('\n'))
    const newLines = lines.filter((line) => !reportedLines.has(line))
    const newLine = newLines.find((line) => ERROR.test(line)) ?? newLines[0]
    const difference = newLine === undefined ? '.' : ` except for numbers:\n${firstOf([newLine])}`
    return `${name} ${hasFormatted ? 'was again' : 'is still'} ${failed}, with the same output${difference}`
  }
  const head = firstOf(lines)
  const errorIndex = lines.findIndex((line) => ERROR.test(line))
  const showsHead = errorIndex < 0 || ERROR.test(head)
  return `${name} was ${failed}:\n${showsHead ? head : firstOf(lines.slice(errorIndex))}`
}
