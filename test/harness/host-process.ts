/** Starts the real host as a process. */
import { $ } from 'bun'
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const WATCHER = join(import.meta.dirname, 'host-watcher.ts')

/** Returns the path of the installed host's binary for this machine. */
export const hostBinary = (): string => {
  const require = createRequire(import.meta.url)
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const name = `opencode-${platform}-${process.arch}`
  for (const candidate of [name, `${name}-baseline`, `${name}-musl`]) {
    try {
      const folder = dirname(require.resolve(`${candidate}/package.json`))
      const binary = join(folder, 'bin', platform === 'windows' ? 'opencode.exe' : 'opencode')
      if (existsSync(binary)) return binary
    } catch {
      // This build is not installed: try the next one.
    }
  }
  throw new Error(
    `The host is not installed: no package ${name} with a binary under node_modules. Run: npx -y bun@1.4.5 run setup`,
  )
}

/**
 * Starts the host in `home`.
 *
 * @param scratch a folder that is removed when the host ends
 * @returns its address, and a function that ends it
 */
export const startHostProcess = async (
  home: string,
  env: Record<string, string>,
  scratch: string,
): Promise<{ url: string; end(): Promise<void> }> => {
  const serve = [hostBinary(), 'serve', '--port', '0', '--hostname', '127.0.0.1']
  // In its own process group, so that Ctrl-C in the terminal reaches only the owner.
  const watcher = spawn(process.execPath, [WATCHER, scratch, ...serve], {
    cwd: home,
    env,
    stdio: ['pipe', 'pipe', 'pipe'],
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
  return {
    url,
    end: async () => {
      watcher.stdin.end()
      await ended
    },
  }
}

/** Runs a turn with `opencode run` in a folder; returns its exit status and what it printed. */
export const opencodeRun = async (directory: string, env: Record<string, string>, prompt = 'hello') => {
  const running = $`${hostBinary()} run ${prompt} < ${new Response('')}`.cwd(directory).env(env)
  const { exitCode: status, stdout, stderr } = await running.nothrow().quiet()
  return { status, stdout: stdout.toString(), stderr: stderr.toString() }
}
