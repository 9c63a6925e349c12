import type { ToolContext, ToolDefinition } from '@opencode-ai/plugin'
import { isInside } from '../boundary.ts'
import {
  findInstructions,
  type HostView,
  type InstructionFile,
  readFilePaths,
  readInstructionFile,
  uniqueFiles,
} from '../discover.ts'
import { DiscoveredFiles } from '../discovered-files.ts'
import { fingerprintOf, IS_FOLDER, realPathOr } from '../read-text.ts'
import { expandFiles, type NamedPath } from '../resolve.ts'
import { fail, NO_SUCH_FILE, ok, type Result } from '../safe.ts'
import { answer, count, defineTool, paths } from './define-tool.ts'
import { FILES_ARG } from './descriptions.ts'
import { type Discovery, limitOf, toAnswer, toNotes } from './discover-answer.ts'
import { askOf, PermissionRefused, placeOf } from './door.ts'
import type { HostConfig } from './host-config.ts'
import { ReadConsent } from './read-consent.ts'

export type DiscoverToolOptions = {
  description: string
  directory: string
  discovered: Set<string>
  /** The host's merged config; without it `opencode.json` is read. */
  config?: () => HostConfig | undefined
}

/** What the host says about the session of a call, for discovery. */
export const hostViewOf = (context: ToolContext, config: HostConfig | undefined): HostView => ({
  worktree: context.worktree,
  instructions: config === undefined ? undefined : config.instructions ?? [],
  abort: context.abort,
})

const HOW_TO_START =
  'To start, create AGENTS.md in the project with a first rule, or add paths to "instructions" in opencode.json.'

// A folder, or a link that leads nowhere, under the name of an instruction file: the host loads nothing from it.
const isNoFile = ({ error }: InstructionFile): boolean => error === IS_FOLDER || error === NO_SUCH_FILE

const discoverAll = async (directory: string, host: HostView): Promise<Result<Discovery>> => {
  const { paths, remote, unmatched, error } = await findInstructions(directory, host)
  const found = uniqueFiles(await readFilePaths(directory, paths))
  const files = found.filter((file) => !isNoFile(file))
  const nothing = found.filter(isNoFile).map(({ path, error }) => `${path}: ${error}`)
  const notes = { nothing, remote, unmatched }
  if (files.length > 0) return ok({ files, ...notes })
  const reason = error ?? `No instruction files found: ${nothing.join(', ')}`
  return fail([reason, HOW_TO_START, ...toNotes({ remote, unmatched })].join('\n\n'))
}

const readNamed = async (consent: ReadConsent, { path, error }: NamedPath): Promise<InstructionFile> => {
  if (error !== undefined) return { path, content: '', error }
  const permitted = await consent.toRead(path)
  if (permitted.error !== null) return { path, content: '', error: permitted.error }
  const file = await readInstructionFile(permitted.data)
  return file.realPath === undefined || file.realPath === permitted.data
    ? { ...file, path }
    : { path, content: '', error: 'it leads to another file than a moment ago' }
}

/** Reads what a model named, one file after the other, for each may be a question to the person. */
const discoverNamed = async (
  directory: string,
  filesArg: string | Array<string>,
  consent: ReadConsent,
): Promise<Result<Discovery>> => {
  const named = await expandFiles(directory, filesArg, (folder) => consent.toList(folder))
  if (named.error !== null) return named
  const read: Array<InstructionFile> = []
  for (const one of named.data) read.push(await readNamed(consent, one))
  const files = uniqueFiles(read)
  if (consent.refusal !== null && files.every(({ error }) => error !== undefined)) {
    throw new PermissionRefused(consent.refusal.thrown)
  }
  return ok({ files })
}

const rememberFiles = (discovered: Set<string>, files: Array<InstructionFile>): void => {
  for (const { path, realPath = path, content, error } of files) {
    if (error !== undefined) continue
    if (discovered instanceof DiscoveredFiles) {
      discovered.remember(realPath, fingerprintOf(Buffer.from(content)))
    } else discovered.add(realPath)
  }
}

/** discover-rules: reads the instruction files and remembers that they were shown (sat-plan.md). */
export const createDiscoverTool = (
  { description, directory, discovered, config }: DiscoverToolOptions,
): ToolDefinition =>
  defineTool({
    description,
    args: { files: paths(FILES_ARG).optional() },
    execute: async ({ files: filesArg }, context) => {
      const sessionDirectory = context.directory ?? directory
      const host = hostViewOf(context, config?.())
      const place = placeOf(context, directory)
      const hostFiles = async (): Promise<Set<string>> => {
        const { paths } = await findInstructions(sessionDirectory, host)
        return new Set(await Promise.all(paths.map(realPathOr)))
      }
      const found = filesArg === undefined
        ? await discoverAll(sessionDirectory, host)
        : await discoverNamed(
          sessionDirectory,
          filesArg,
          new ReadConsent({ place, ask: askOf(context), hostFiles }),
        )
      if (found.error !== null) return answer('no files', found.error)
      const { files } = found.data
      const outside = files.filter(({ realPath }) => realPath !== undefined && !isInside(place, realPath))
        .map(({ path }) => path)
      const { output, shown } = toAnswer({ ...found.data, outside }, limitOf(config?.()))
      rememberFiles(discovered, shown)
      return answer(count(files.length, 'file'), output)
    },
  })
