/** Mounts disks for tests, which only root may do, and checks what this machine can do. */
import { spawnSync } from 'node:child_process'
import { scratchFolder } from './scratch.ts'

const run = ([name = '', ...args]: Array<string>): boolean => spawnSync(name, args).status === 0

/** Runs a command in a new folder; returns whether it works on this machine. */
export const can = (
  command: (folder: string) => Array<string>,
  undo?: (folder: string) => Array<string>,
): boolean => {
  const tried = scratchFolder()
  const isDone = run(command(tried))
  if (isDone && undo !== undefined) run(undo(tried))
  return isDone
}

/** Whether a test may mount a disk on this machine. */
export const canMount = can((tried) => ['mount', '-t', 'tmpfs', 'tmpfs', tried], (tried) => ['umount', tried])

/** Mounts something while `work` runs: `mounted(['--bind', from], at, work)`. */
export const mounted = async (
  options: Array<string>,
  at: string,
  work: () => Promise<void>,
): Promise<void> => {
  if (!run(['mount', ...options, at])) throw new Error(`mount ${options.join(' ')} ${at} failed`)
  await work().finally(() => run(['umount', at]))
}

/** Runs `work` while a disk of a size such as `64k` is mounted at a folder. */
export const withDisk = (size: string, at: string, work: () => Promise<void>): Promise<void> =>
  mounted(['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs'], at, work)
