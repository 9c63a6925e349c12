import { $ } from 'bun'
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { platformPackages, thisMachine } from '../setup.ts'

const MODULES = join(import.meta.dirname, '..', 'node_modules')
const WATCHER = join(import.meta.dirname, 'host-watcher.ts')

type Env = Record<string, string>

/** Throws if the host is not installed. */
export const hostBinary = (): string => {
  const { optionalDependencies } = createRequire(import.meta.url)('opencode-ai/package.json')
  const names = platformPackages(Object.keys(optionalDependencies), thisMachine())
  const file = process.platform === 'win32' ? 'opencode.exe' : 'opencode'
  const binary = names.map((name) => join(MODULES, name, 'bin', file)).find(existsSync)
  if (binary !== undefined) return binary
  throw new Error(`The host is missing: ${MODULES} has none of ${names}. Run: npx -y bun@1.4.5 run setup`)
}

/** When the host ends, the folder `scratch` is removed. */
export const startHostProcess = async (home: string, env: Env, scratch: string) => {
  const serve = [hostBinary(), 'serve', '--port', '0', '--hostname', '127.0.0.1']
  const watcher = spawn(process.execPath, [WATCHER, scratch, ...serve], {
    cwd: home,
    env,
    stdio: ['pipe', 'pipe', 'pipe'],
    // Ctrl-C must not end the watcher before the watcher has ended the host.
    detached: true,
  })
  const ended = new Promise<number | null>((resolve) => watcher.once('exit', resolve))
  const url = await new Promise<string>((resolve, reject) => {
    let printed = ''
    const read = (chunk: unknown) => {
      printed += String(chunk)
      const found = /listening on (http:\S+)/.exec(printed)
      if (found) resolve(found[1]!)
    }
    watcher.stdout.on('data', read)
    watcher.stderr.on('data', read)
    watcher.once('error', reject)
    void ended.then((code) => reject(new Error(`The host ended with ${code}:\n${printed}`)))
  })
  const end = async () => {
    watcher.stdin.end()
    await ended
  }
  return { url, end }
}

let lastRun: Promise<unknown> = Promise.resolve()

/** Runs `opencode run`. Only one process runs at a time, because each process takes 260 MB of memory. */
export const opencodeRun = (directory: string, env: Env, prompt = 'hello', options: Array<string> = []) => {
  const run = lastRun.then(async () => {
    const running = $`${hostBinary()} run ${options} ${prompt} < ${new Response('')}`.cwd(directory).env(env)
    const { exitCode: status, stdout, stderr } = await running.nothrow().quiet()
    return { status, stdout: stdout.toString(), stderr: stderr.toString() }
  })
  lastRun = run.catch(() => {})
  return run
}
