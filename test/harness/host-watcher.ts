/**
 * `host-watcher.ts SCRATCH COMMAND…` runs the host until the watcher's standard input closes, then ends the host and
 * removes the scratch folder. The system closes this input when the watcher's parent ends or is killed.
 */
import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'

const [scratch = '', command = '', ...args] = process.argv.slice(2)
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
