/** Asks for the permissions that a call of SAT's tools needs to read, list or change files. */
import { basename, dirname, join } from 'node:path'
import type { Workspace } from '../paths/boundary.ts'
import { contains, folderPattern, isInProject, pathPattern, pathPatterns } from '../paths/boundary.ts'
import { realPathOf } from '../paths/real-path.ts'
import { fail, ok, type Result } from '../safe.ts'
import type { Answer, Ask, Question, Refusal } from './ask-host.ts'
import type { ChangeKind } from './shown-files.ts'

type PermissionsInput = {
  workspace: Workspace
  ask: Ask
  /** Returns the real paths of the files that the host loads, which need no question. */
  hostFiles?: () => Promise<Set<string>>
}

/** After the person's first refusal in a call, asks for no more permissions. */
export class Permissions {
  readonly #input: PermissionsInput
  readonly #permittedFolders: Array<string> = []
  #hostFiles: Promise<Set<string>> | undefined
  #isRefusedByPerson = false
  refusal: Refusal | null = null

  constructor(input: PermissionsInput) {
    this.#input = input
  }

  /** Returns the real path of a file, or the reason why it may not be read. */
  async askToRead(path: string): Promise<Result<string>> {
    const realPath = await realPathOf(path)
    this.#hostFiles ??= this.#input.hostFiles?.()
    if ((await this.#hostFiles)?.has(realPath)) return ok(realPath)
    let { error } = await this.#enter(dirname(realPath), realPath, 'read')
    error ??= (await this.#askFor('read', realPath, [path])).error
    return error === null ? ok(realPath) : fail(error.error)
  }

  /** Returns why a folder may not be listed; null if it may. */
  async askToList(folder: string): Promise<string | null> {
    const realPath = await realPathOf(folder)
    const { error } = await this.#enter(realPath, realPath, 'read')
    return error?.error ?? null
  }

  askToEnter(realPath: string): Promise<Answer> {
    return this.#enter(dirname(realPath), realPath, 'edit')
  }

  /** Asks about the file's paths with and without links, because a pattern in the config may match any of them. */
  async askToEdit(
    path: string,
    { realPath, before, after, kind }: { realPath: string; before: string; after: string; kind: ChangeKind },
  ): Promise<Answer> {
    const entered = await this.askToEnter(realPath)
    if (entered.error !== null) return entered
    const pathInRealFolder = join(await realPathOf(dirname(path)), basename(path))
    const { formatDiff } = await import('../text/hunks.ts')
    const name = pathPattern(this.#input.workspace, realPath)
    // The screen has little room, so the diff of an addition has only the new lines.
    const diff = formatDiff(name, before, after, kind === 'addition' ? 0 : undefined)
    return this.#askFor('edit', realPath, [path, pathInRealFolder], { diff })
  }

  async #enter(folder: string, filepath: string, purpose: 'read' | 'edit'): Promise<Answer> {
    if (isInProject(this.#input.workspace, filepath)) return ok(null)
    if (this.#permittedFolders.includes(folder)) return ok(null)
    // An edit needs a permission for each folder, because the config may protect a folder inside a permitted folder.
    const isInPermitted = this.#permittedFolders.some((permitted) => contains(permitted, filepath))
    if (purpose === 'read' && isInPermitted) return ok(null)
    const pattern = folderPattern(folder)
    const answer = await this.#askUnlessRefused({
      permission: 'external_directory',
      patterns: [pattern],
      always: [pattern],
      metadata: { filepath, parentDir: folder },
    })
    if (answer.error === null) this.#permittedFolders.push(folder)
    return answer
  }

  #askFor(permission: 'read' | 'edit', filepath: string, names: Array<string>, extra = {}): Promise<Answer> {
    const patterns = pathPatterns(this.#input.workspace, filepath, names)
    return this.#askUnlessRefused({ permission, patterns, always: ['*'], metadata: { filepath, ...extra } })
  }

  async #askUnlessRefused(question: Question): Promise<Answer> {
    if (this.#isRefusedByPerson) {
      return fail({ status: 'stopped', error: 'not asked for, because an earlier question was refused' })
    }
    const answer = await this.#input.ask(question)
    const permission = answer.error?.permission
    if (permission !== undefined) this.refusal ??= answer.error
    if (permission?.by === 'person') this.#isRefusedByPerson = true
    return answer
  }
}
