/**
 * Runs a test runner. Prints one line for each file that passes; for other files, everything but the passed tests. Ends
 * with the runner's totals and its exit status.
 *
 *     bun test/brief.ts bun test ./test/
 */
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

const HEADER = /^\S+\.(?:test|stories)\.tsx?:$/
const FIGURES = /^\s*\d+ pass$/

/** Formats the output of one file: its header, and the lines that the runner printed below it. */
const briefOf = ([header = '', ...lines]: Array<string>): Array<string> => {
  const passed = lines.filter((line) => line.startsWith('(pass)')).length
  const rest = lines.filter((line) => !line.startsWith('(pass)')).join('\n').trim()
  return [`${header} ${passed} passed`, ...(rest === '' ? [] : [rest])]
}

const [program = '', ...args] = process.argv.slice(2)
const runner = spawn(program, args, { stdio: ['inherit', 'pipe', 'pipe'] })
let file: Array<string> | undefined
const end = (): void => {
  if (file) console.log(briefOf(file).join('\n'))
  file = undefined
}
const read = (line: string): void => {
  if (HEADER.test(line) || FIGURES.test(line)) end()
  if (HEADER.test(line)) file = []
  if (file) file.push(line)
  else if (line !== '') console.log(line)
}
for (const input of [runner.stdout, runner.stderr]) createInterface({ input }).on('line', read)
runner.on('error', (error) => {
  console.error(error.message)
  process.exitCode = 1
})
runner.on('close', (status) => {
  end()
  process.exitCode = status ?? 1
})
