import type { ToolDefinition } from '@opencode-ai/plugin'
import { relative } from 'node:path'
import {
  findInstructions,
  type FoundInstructions,
  type InstructionFile,
  readInstructionFile,
} from '../discover.ts'
import type { HostConfig } from '../host/config.ts'
import { hostViewOf } from '../host/instruction-files.ts'
import { askOf, Permissions, placeOf, throwRefusal } from '../host/permissions.ts'
import { PROJECT_NAMES } from '../instructions/instruction-paths.ts'
import { unloadedFiles } from '../instructions/unloaded-files.ts'
import { isInside, projectRoot } from '../paths/boundary.ts'
import { realPathOr } from '../paths/real-path.ts'
import { resolveFiles } from '../resolve.ts'
import { fail, NO_SUCH_FILE, ok, type Result } from '../safe.ts'
import { pluralize } from '../text/pluralize.ts'
import { fingerprintOf, IS_FOLDER } from '../text/read.ts'
import { type DiscoveredFiles, type ShownFiles, shownTo } from '../writing/shown-files.ts'
import { answer, defineTool, optional, paths } from './define-tool.ts'
import { FILES_ARG } from './descriptions.ts'
import { type Discovery, limitOf, type Shown, toAnswer, toNotes } from './discover-answer.ts'
import { textNotes } from './notes.ts'

/** What discover-rules is made from. */
export type DiscoverToolOptions = {
  description: string
  directory: string
  /** What discover-rules showed, by session; a path in a plain set counts as shown. */
  discovered: Set<string> | DiscoveredFiles
  /** The host's merged config; without it `opencode.json` is read. */
  config?: () => HostConfig | undefined
}

// The host loads nothing from a folder or a broken link with the name of an instruction file.
const isNoFile = ({ error }: InstructionFile): boolean => error === IS_FOLDER || error === NO_SUCH_FILE

const howToStart = (directory: string): string =>
  `There is no instruction file yet: ${
    PROJECT_NAMES.join(', ')
  } stand neither here nor in a folder above, and "instructions" names none.
To start, create AGENTS.md in ${directory} with a first rule, or add paths to "instructions" in opencode.json. Then call discover-rules again.`

type Find = () => Promise<FoundInstructions>

const discoverAll = async (directory: string, root: string, find: Find): Promise<Result<Discovery>> => {
  const found = await resolveFiles(directory, undefined, { find })
  const files = found.data?.filter((file) => !isNoFile(file)) ?? []
  const nothing = found.data?.filter(isNoFile).map(({ path, error }) => `${path}: ${error}`) ?? []
  const { paths, remote, unmatched } = await find()
  const unloaded = (await unloadedFiles(directory, root, paths)).map((path) => relative(directory, path))
  if (files.length > 0) return ok({ files, nothing, remote, unloaded, unmatched })
  const reason = found.error ?? `No instruction files found: ${nothing.join(', ')}`
  return fail([reason, howToStart(directory), ...toNotes({ remote, unloaded, unmatched })].join('\n\n'))
}

const readPermitted = async (permissions: Permissions, path: string): Promise<InstructionFile> => {
  const permitted = await permissions.toRead(path)
  if (permitted.error !== null) return { path, content: '', error: permitted.error }
  const file = await readInstructionFile(permitted.data)
  return file.realPath === undefined || file.realPath === permitted.data
    ? { ...file, path }
    : { path, content: '', error: 'it leads to another file than a moment ago' }
}

/** Reads the files that a model named, each after the question to the person if it needs one. */
const discoverNamed = async (
  directory: string,
  filesArg: string | Array<string>,
  permissions: Permissions,
): Promise<Result<Discovery>> => {
  const files = await resolveFiles(directory, filesArg, {
    mayList: (folder) => permissions.toList(folder),
    read: (path) => readPermitted(permissions, path),
  })
  if (files.error !== null) return files
  if (files.data.every(({ error }) => error !== undefined)) throwRefusal([permissions.refusal])
  return ok({ files: files.data })
}

const rememberFiles = (discovered: ShownFiles, shown: Array<Shown>): void => {
  for (const { file: { path, realPath = path, content, error }, isCut } of shown) {
    if (error === undefined) discovered.remember(realPath, fingerprintOf(Buffer.from(content)), isCut)
  }
}

/** Makes discover-rules, which shows the instruction files and remembers what it showed. */
export const createDiscoverTool = (
  { description, directory, discovered, config }: DiscoverToolOptions,
): ToolDefinition =>
  defineTool({
    description,
    args: { files: optional(paths(FILES_ARG)) },
    execute: async ({ files: filesArg }, context) => {
      const sessionDirectory = context.directory ?? directory
      const place = placeOf(context, directory)
      let lookUp: Promise<FoundInstructions> | undefined
      const find: Find = () => lookUp ??= findInstructions(sessionDirectory, hostViewOf(context, config?.()))
      const hostFiles = async (): Promise<Set<string>> =>
        new Set(await Promise.all((await find()).paths.map(realPathOr)))
      const found = filesArg === undefined
        ? await discoverAll(sessionDirectory, projectRoot(place), find)
        : await discoverNamed(
          sessionDirectory,
          filesArg,
          new Permissions({ place, ask: askOf(context), hostFiles }),
        )
      if (found.error !== null) return answer('no files', found.error)
      const { files } = found.data
      const outside = files.filter(({ realPath }) => realPath !== undefined && !isInside(place, realPath))
        .map(({ path }) => path)
      const text = await textNotes(files, place)
      const { output, shown } = toAnswer({ ...found.data, outside, text }, limitOf(config?.()))
      rememberFiles(shownTo(discovered, context.sessionID), shown)
      return answer(pluralize(files.length, 'file'), output, { files: shown.map(({ file }) => file.path) })
    },
  })
