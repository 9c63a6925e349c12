import { readdirSync, readFileSync } from 'node:fs'

const read = (path: string): string => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

/** The process group of a process: the third field behind its name, which may hold anything but a last bracket. */
const groupOf = (process: string): number => {
  const stat = read(`/proc/${process}/stat`)
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2])
}

/**
 * How many bytes the living processes of a group, and their children that ended, have written to files and pipes;
 * null where the system does not tell (only Linux does).
 */
export const bytesWrittenByGroup = (group: number): number | null => {
  if (process.platform !== 'linux') return null
  try {
    const members = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && groupOf(name) === group)
    const counts = members.map((name) => /^wchar: (\d+)$/m.exec(read(`/proc/${name}/io`))?.[1])
    return counts.some((count) => count === undefined)
      ? null
      : counts.reduce((sum, count) => sum + Number(count), 0)
  } catch {
    return null
  }
}
