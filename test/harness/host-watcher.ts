/**
 * Runs the host until the standard input of this process closes, then ends the host. The system closes that input when
 * the process that started this one ends, even if it is killed. After the host has ended, removes its scratch folder.
 *
 * Arguments: the scratch folder, then the command of the host.
 */
import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'

const [scratch = '', command = '', ...args] = process.argv.slice(2)
/** How long the host may take to end after the first signal. */
const GRACE_MS = 3_000

const host = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'] })
host.once('error', (error) => {
  console.error(error.message)
  process.exit(1)
})
host.once('exit', (code) => {
  rmSync(scratch, { recursive: true, force: true, maxRetries: 5 })
  process.exit(code ?? 1)
})
process.stdin.resume()
process.stdin.once('close', () => {
  host.kill()
  setTimeout(() => host.kill('SIGKILL'), GRACE_MS)
})
