import type { Log } from '../../host/log.ts'
import type { FormatOnSaveOption, When } from '../../host/options.ts'
import type { Toast } from '../../host/toast.ts'
import type { Place } from '../../paths/boundary.ts'
import { KeyedLock } from '../../writing/lock.ts'
import { type FormatCommand, readCommands } from './choose-command.ts'
import { FormatQueue, type Job, type Outcome } from './format-queue.ts'
import { commandsFor, type HostFormatter } from './host-formatter.ts'
import { TIME_LIMIT_MS } from './run-formatter.ts'

export type FileFormatterPlace = {
  place: Place
  option: FormatOnSaveOption
  host: HostFormatter
  log: Log
  toast: Toast
  /** By which calls and formatters take turns on each file. */
  files: KeyedLock
  /** The files that a command may change beside its own and that are to be known then. */
  known(): Array<string>
}

/** Formats files, each by the commands that the options and the host's config name for it. */
export class FileFormatter {
  readonly #place: FileFormatterPlace
  readonly #queue: FormatQueue
  /** The commands of a file, by its path. */
  readonly commandsOf: (path: string) => Array<FormatCommand>

  constructor(place: FileFormatterPlace) {
    const { place: { directory }, option, host, log, toast, files } = place
    this.#place = place
    this.commandsOf = commandsFor(readCommands(option, place.place), host)
    const formatters = new KeyedLock()
    this.#queue = new FormatQueue({ directory, log, toast, limit: TIME_LIMIT_MS, files, formatters })
  }

  /** Whether anything formats a file, the host included. */
  isFormatted(path: string): boolean {
    return this.#place.host.formats || this.commandsOf(path).length > 0
  }

  /** Whether a file has commands for this time. */
  hasCommands(path: string, when: When): boolean {
    return this.#commandsFor(path, when).length > 0
  }

  /** Whether formatting these files when they are saved may change other files as well. */
  mayChangeAll(paths: Array<string>): boolean {
    return paths.some((path) =>
      this.#place.host.changesOthers(path)
      || this.#commandsFor(path, 'save').some(({ wholeProject }) => wholeProject)
    )
  }

  /** Runs the commands of a file whose time it is; gives null where it has none, or where nothing came of them. */
  async format(path: string, when: When, onOthers: Job['onOthers']): Promise<Outcome | null> {
    const commands = this.#commandsFor(path, when)
    const { known } = this.#place
    return commands.length > 0 ? this.#queue.format({ path, commands, known, onOthers }) : null
  }

  #commandsFor(path: string, when: When): Array<FormatCommand> {
    return this.commandsOf(path).filter((command) => command.when === when)
  }
}
