/** The process of the real host. */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const hostBinary = (): string => {
  const require = createRequire(import.meta.url)
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const name = `opencode-${platform}-${process.arch}`
  for (const candidate of [name, `${name}-baseline`, `${name}-musl`]) {
    try {
      const folder = dirname(require.resolve(`${candidate}/package.json`))
      const binary = join(folder, 'bin', platform === 'windows' ? 'opencode.exe' : 'opencode')
      if (existsSync(binary)) return binary
    } catch {
      // not this build: the next one
    }
  }
  throw new Error(
    `The host is not installed: no package ${name} with a binary under node_modules. Run: bun install`,
  )
}

// The host lives as long as the standard input of this shell is open. However its owner ends, by itself, by Ctrl-C or by
// a kill, the system closes that, and the host and its scratch folder are gone.
const WATCHED = `
exec 3<&0
"$0" serve --port 0 --hostname 127.0.0.1 < /dev/null &
host=$!
# Nobody may be left to read what is said from here on.
exec > /dev/null 2>&1
{ cat <&3; kill $host; sleep 3; kill -9 $host; } &
watcher=$!
wait $host
status=$?
kill $watcher
rm -rf "$1"
exit $status
`

/**
 * Starts the host in `home`.
 *
 * @param scratch a folder that is removed when the host ends
 * @returns its address, and a way to end it
 */
export const startHostProcess = async (
  home: string,
  env: Record<string, string>,
  scratch: string,
): Promise<{ url: string; end(): Promise<void> }> => {
  // A group of its own: a Ctrl-C in the terminal is for its owner alone.
  const shell = spawn('sh', ['-c', WATCHED, hostBinary(), scratch], {
    cwd: home,
    env,
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  })
  const ended = new Promise<number | null>((resolve) => shell.once('exit', resolve))
  const url = await new Promise<string>((resolve, reject) => {
    let printed = ''
    const read = (chunk: unknown) => {
      printed += String(chunk)
      const found = /listening on (http:\S+)/.exec(printed)
      if (found) resolve(found[1]!)
    }
    shell.stdout.on('data', read)
    shell.stderr.on('data', read)
    shell.once('error', reject)
    void ended.then((code) => reject(new Error(`The host ended with ${code}:\n${printed}`)))
  })
  return {
    url,
    end: async () => {
      shell.stdin.end()
      await ended
    },
  }
}
