/** Disks of a test's own, which root alone may mount; and whether this machine can do what a test needs. */
import { spawnSync } from 'node:child_process'
import { scratchFolder } from './scratch.ts'

const run = ([name = '', ...args]: Array<string>): boolean => spawnSync(name, args).status === 0

/** Whether a command does its work on this machine, tried in a folder of its own. */
export const can = (
  command: (folder: string) => Array<string>,
  undo?: (folder: string) => Array<string>,
): boolean => {
  const tried = scratchFolder()
  const isDone = run(command(tried))
  if (isDone && undo !== undefined) run(undo(tried))
  return isDone
}

/** Whether this machine lets the test mount a disk. */
export const canMount = can((tried) => ['mount', '-t', 'tmpfs', 'tmpfs', tried], (tried) => ['umount', tried])

/** Mounts something for as long as `work` runs: `mounted(['--bind', from], at, work)`. */
export const mounted = async (what: Array<string>, at: string, work: () => Promise<void>): Promise<void> => {
  if (!run(['mount', ...what, at])) throw new Error(`mount ${what.join(' ')} ${at} failed`)
  await work().finally(() => run(['umount', at]))
}

/** Runs `work` while a disk of this size, such as `64k`, is mounted at a folder. */
export const withDisk = (size: string, at: string, work: () => Promise<void>): Promise<void> =>
  mounted(['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs'], at, work)
