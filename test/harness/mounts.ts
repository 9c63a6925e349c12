/** Mounts disks for tests. Only root may mount. */
import { spawnSync } from 'node:child_process'
import { scratchFolder } from './scratch.ts'

const run = ([name = '', ...args]: Array<string>): boolean => spawnSync(name, args).status === 0

type CommandOn = (folder: string) => Array<string>

/** Runs a command on a new folder, and then undoes it. Returns whether the command worked. */
export const can = (command: CommandOn, undo?: CommandOn): boolean => {
  const folder = scratchFolder()
  const worked = run(command(folder))
  if (worked && undo) run(undo(folder))
  return worked
}

export const canMount = can((at) => ['mount', '-t', 'tmpfs', 'tmpfs', at], (at) => ['umount', at])

/** Runs `work` while something is mounted at a path: `withMount(['--bind', from], at, work)`. */
export const withMount = async (options: Array<string>, at: string, work: () => Promise<void>) => {
  if (!run(['mount', ...options, at])) throw new Error(`mount ${options.join(' ')} ${at} failed`)
  await work().finally(() => run(['umount', at]))
}

/** Runs `work` while a disk of a size such as `64k` is mounted at a folder. */
export const withDisk = (size: string, at: string, work: () => Promise<void>): Promise<void> =>
  withMount(['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs'], at, work)
