/** Runs a test runner, and counts passed tests instead of naming them: `bun test/brief.ts bun test ./test/` */
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

// Matches `src/append.test.ts:`.
const HEADER = /^\S+\.(?:test|stories)\.tsx?:$/
// Matches ` 43 pass`, after the last file.
const TOTALS = /^\s*\d+ pass$/

const [program = '', ...args] = process.argv.slice(2)
const runner = spawn(program, args, { stdio: ['inherit', 'pipe', 'pipe'] })
let fileLines: Array<string> = []
const printFile = (): void => {
  const [header, ...lines] = fileLines
  fileLines = []
  if (header === undefined) return
  const others = lines.filter((line) => !line.startsWith('(pass)'))
  console.log(`${header} ${lines.length - others.length} passed\n${others.join('\n').trim()}`.trimEnd())
}
const readLine = (line: string): void => {
  const isHeader = HEADER.test(line)
  if (isHeader || TOTALS.test(line)) printFile()
  const isInFile = isHeader || fileLines.length > 0
  if (isInFile) fileLines.push(line)
  else if (line !== '') console.log(line)
}
for (const input of [runner.stdout, runner.stderr]) createInterface({ input }).on('line', readLine)
runner.on('error', (error) => {
  console.error(error.message)
  process.exitCode = 1
})
runner.on('close', (status) => {
  printFile()
  process.exitCode = status ?? 1
})
