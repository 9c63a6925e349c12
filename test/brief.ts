/**
 * Runs a test runner, and prints one line of each file that passes, and of each other file all but the tests that
 * passed. The runner's figures stand last, and its status is that of this program.
 *
 *     bun test/brief.ts bun test ./test/
 */
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

const HEADER = /^\S+\.(?:test|stories)\.tsx?:$/
const FIGURES = /^\s*\d+ pass$/

/** Gives what is printed of a file: its header, and what the runner printed below it. */
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
