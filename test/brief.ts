/**
 * Runs a test runner and shortens its output: for each file, prints its name, how many of its tests passed, and all
 * output except the lines of passed tests. Then prints the runner's totals, and ends with the runner's exit status.
 *
 *     bun test/brief.ts bun test ./test/
 */
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

/** The line above the output of a file: `src/append.test.ts:`. */
const HEADER = /^\S+\.(?:test|stories)\.tsx?:$/
/** The first line of the totals: ` 43 pass`. */
const TOTALS = /^\s*\d+ pass$/

/** Prints the output of one file, its header first, without the passed tests. */
const printBrief = ([header, ...lines]: Array<string>): void => {
  const others = lines.filter((line) => !line.startsWith('(pass)'))
  const passed = lines.length - others.length
  console.log(`${header} ${passed} passed\n${others.join('\n').trim()}`.trimEnd())
}

const [program = '', ...args] = process.argv.slice(2)
const runner = spawn(program, args, { stdio: ['inherit', 'pipe', 'pipe'] })
/** The output of the current file, its header first; empty between files. */
let output: Array<string> = []
const endFile = (): void => {
  if (output.length > 0) printBrief(output)
  output = []
}
const readLine = (line: string): void => {
  const isHeader = HEADER.test(line)
  if (isHeader || TOTALS.test(line)) endFile()
  if (isHeader || output.length > 0) output.push(line)
  else if (line !== '') console.log(line)
}
for (const input of [runner.stdout, runner.stderr]) createInterface({ input }).on('line', readLine)
runner.on('error', (error) => {
  console.error(error.message)
  process.exitCode = 1
})
runner.on('close', (status) => {
  endFile()
  process.exitCode = status ?? 1
})
