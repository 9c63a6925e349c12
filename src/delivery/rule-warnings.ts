import { relative } from 'node:path'
import type { Log } from '../host/log.ts'
import type { Toast } from '../host/toast.ts'
import { contains, type Place } from '../paths/boundary.ts'
import { markName } from '../text/hidden-characters.ts'
import { plainName } from '../text/quoted-name.ts'
import type { LeftOut } from './rule-walk.ts'

/** Warns the person of faults in their rule files, each once: as a toast, and with its detail in the log. */
export class RuleWarnings {
  readonly #input: { place: Place; log: Log; toast: Toast }
  readonly #warned = new Set<string>()

  constructor(input: { place: Place; log: Log; toast: Toast }) {
    this.#input = input
  }

  /** Warns of a rule file or folder that is left out. */
  leftOut({ path, line, reason }: LeftOut): void {
    const { worktree } = this.#input.place
    const where = (from: string): string => (line === undefined ? from : `${from}:${line}`)
    const short = contains(worktree, path) ? relative(worktree, path) : path
    this.#warn(
      `${where(path)} ${reason}`,
      `Left out the rule file ${where(path)}: ${reason}`,
      `Left out the rule file ${where(plainName(short))}: ${reason}`,
    )
  }

  /** Warns of an entry of the option `rules.directories` that leads to no folder. */
  missingFolder(entry: string): void {
    const { directory, worktree } = this.#input.place
    const places = [...new Set([worktree, directory])].join(' or ')
    const words = `rules.directories: there is no folder ${entry}`
    this.#warn(words, `${words} (looked for in ${places})`, words)
  }

  #warn(key: string, logged: string, shown: string): void {
    if (this.#warned.has(key)) return
    this.#warned.add(key)
    this.#input.log('warn', markName(logged))
    this.#input.toast(key, markName(shown))
  }
}
