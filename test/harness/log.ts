/** The log of a host. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Host } from './host.ts'

/** The lines so far that have some words. */
export const logLines = ({ home }: Pick<Host, 'home'>, ...words: Array<string>): Array<string> => {
  const folder = join(home, 'data', 'opencode', 'log')
  return readdirSync(folder).flatMap((file) => readFileSync(join(folder, file), 'utf8').split('\n'))
    .filter((line) => words.every((word) => line.includes(word)))
}

/** The same once there are any: the host writes its log about a second late. */
export const logged = async (host: Pick<Host, 'home'>, ...words: Array<string>): Promise<Array<string>> => {
  for (let attempt = 0; attempt < 300; attempt += 1) {
    const lines = logLines(host, ...words)
    if (lines.length > 0) return lines
    await Bun.sleep(100)
  }
  return []
}
