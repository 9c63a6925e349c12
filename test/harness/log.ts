import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from './eventually.ts'
import type { Host } from './host.ts'

/** Returns the lines of the host's log that contain all `words`. */
export const logLines = ({ home }: Pick<Host, 'home'>, ...words: Array<string>): Array<string> => {
  const folder = join(home, 'data', 'opencode', 'log')
  return readdirSync(folder).flatMap((file) => readFileSync(join(folder, file), 'utf8').split('\n'))
    .filter((line) => words.every((word) => line.includes(word)))
}

/** The host writes its log about a second late. */
export const waitForLog = (host: Pick<Host, 'home'>, ...words: Array<string>): Promise<Array<string>> =>
  eventually(() => logLines(host, ...words), (lines) => lines.length > 0, `The log has no ${words}`)
