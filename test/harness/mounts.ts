/** Mounts disks for tests, which only root may do. */
import { spawnSync } from 'node:child_process'
import { scratchFolder } from './scratch.ts'

const run = ([name = '', ...args]: Array<string>): boolean => spawnSync(name, args).status === 0

type CommandOn = (folder: string) => Array<string>

/** Returns whether a command works on a new folder. */
export const can = (command: CommandOn, undo?: CommandOn): boolean => {
  const folder = scratchFolder()
  const worked = run(command(folder))
  if (worked && undo) run(undo(folder))
  return worked
}

export const canMount = can((at) => ['mount', '-t', 'tmpfs', 'tmpfs', at], (at) => ['umount', at])

export const withMount = async (options: Array<string>, at: string, work: () => Promise<void>) => {
  if (!run(['mount', ...options, at])) throw new Error(`mount ${options.join(' ')} ${at} failed`)
  await work().finally(() => run(['umount', at]))
}

/** Runs `work` while a disk of a size such as `64k` is mounted. */
export const withDisk = (size: string, at: string, work: () => Promise<void>): Promise<void> =>
  withMount(['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs'], at, work)
