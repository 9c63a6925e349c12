import type { ToolDefinition } from '@opencode-ai/plugin'
import { relative } from 'node:path'
import {
  findInstructions,
  type HostView,
  type InstructionFile,
  readFilePaths,
  readInstructionFile,
  uniqueFiles,
} from '../discover.ts'
import type { HostConfig } from '../host/config.ts'
import { hostViewOf } from '../host/instruction-files.ts'
import { PROJECT_NAMES } from '../instructions/instruction-paths.ts'
import { isInside, type Place, projectRoot } from '../paths/boundary.ts'
import { realPathOr } from '../paths/real-path.ts'
import { resolveFiles } from '../resolve.ts'
import { fail, NO_SUCH_FILE, ok, type Result, safeAsync } from '../safe.ts'
import { pluralize } from '../text/pluralize.ts'
import { nameInWords } from '../text/quoted-name.ts'
import { fingerprintOf, IS_FOLDER } from '../text/read.ts'
import { askOf, Permissions, placeOf, throwRefusal } from '../writing/ask-permission.ts'
import { type DiscoveredFiles, shownTo } from '../writing/shown-files.ts'
import { answer, defineTool, optional, paths } from './define-tool.ts'
import { ARGUMENTS } from './descriptions.ts'
import { limitOf, toAnswer } from './discover-answer.ts'
import { inCode, list, toNote } from './notes.ts'
import { unloadedFiles } from './unloaded-files.ts'

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

/** The files that a call shows, and notes on what it found. */
type Discovery = { files: Array<InstructionFile>; notes: Array<string> }

const MOST_UNLOADED = 10

/** Reads the files that the host loads, and notes what it does not load. */
const discoverAll = async (directory: string, root: string, host: HostView): Promise<Result<Discovery>> => {
  const { paths, remote, unmatched, error } = await findInstructions(directory, host)
  const read = uniqueFiles(await readFilePaths(directory, paths))
  const files = read.filter((file) => !isNoFile(file))
  const nothing = read.filter(isNoFile).map((file) => `${file.path}: ${file.error}`)
  const unloaded = await unloadedFiles(directory, root, paths)
  const names = list(unloaded.map((path) => nameInWords(relative(directory, path))), MOST_UNLOADED)
  const entries = unmatched.map(({ entry, reason }) => `${entry || '""'}: ${reason}`)
  const notes = [
    ...toNote('OpenCode loads nothing from:', nothing),
    ...toNote('Remote, loaded by OpenCode from the network, not editable here:', remote),
    ...(names === '' ? [] : [`There, but not loaded by OpenCode; "files" shows them: ${names}`]),
    ...toNote('Entries of "instructions" that match nothing:', entries),
  ]
  if (files.length > 0) return ok({ files, notes })
  return fail([error ?? 'No instruction files found.', howToStart(directory), ...notes].join('\n\n'))
}

const readPermitted = async (permissions: Permissions, path: string): Promise<InstructionFile> => {
  const permitted = await permissions.toRead(path)
  if (permitted.error !== null) return { path, content: '', error: permitted.error }
  const file = await readInstructionFile(permitted.data)
  return file.realPath === permitted.data
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
  return ok({ files: files.data, notes: [] })
}

// How many characters are searched for one answer: as many as it can show.
const MAX_SEARCHED = 200_000

/** Notes the names in files that no longer exist. */
const staleNote = async (files: Array<InstructionFile>, place: Place): Promise<Array<string>> => {
  let searched = 0
  const texts = files.filter(({ content, error }) => {
    if (error !== undefined || (searched > 0 && searched + content.length > MAX_SEARCHED)) return false
    searched += content.length
    return true
  })
  const { data: stale } = await safeAsync(async () => {
    const { staleNames } = await import('../markdown/stale-names.ts')
    return staleNames(texts, { root: projectRoot(place), directory: place.directory })
  })
  // A note that cannot be made does not cost the discovery.
  return toNote(
    'Named there, but not found. An example or a plan is fine; tell the person what is stale:',
    stale?.map(({ path, line, name, reason }) => `${path} line ${line}: ${inCode(name)}: ${reason}`) ?? [],
  )
}

/** Makes discover-rules, which shows the instruction files and remembers what it showed. */
export const createDiscoverTool = (
  { description, directory: ownDirectory, discovered, config }: DiscoverToolOptions,
): ToolDefinition =>
  defineTool({
    description,
    args: { files: optional(paths(ARGUMENTS.files)) },
    execute: async ({ files: filesArg }, context) => {
      const { directory = ownDirectory } = context
      const place = placeOf(context, ownDirectory)
      const host = hostViewOf(context, config?.())
      const hostFiles = async (): Promise<Set<string>> =>
        new Set(await Promise.all((await findInstructions(directory, host)).paths.map(realPathOr)))
      const found = filesArg === undefined
        ? await discoverAll(directory, projectRoot(place), host)
        : await discoverNamed(directory, filesArg, new Permissions({ place, ask: askOf(context), hostFiles }))
      if (found.error !== null) return answer('no files', found.error)
      const { files, notes } = found.data
      const outside = files.filter(({ realPath }) => realPath !== undefined && !isInside(place, realPath))
        .map(({ path }) => path)
      const facts = [
        ...toNote('Outside the project; the person is asked before they are written:', outside),
        ...notes,
        ...await staleNote(files, place),
      ]
      const { output, shown } = toAnswer(files, facts, limitOf(config?.()))
      const known = shownTo(discovered, context.sessionID)
      for (const { file: { path, realPath = path, content, error }, isCut } of shown) {
        if (error === undefined) known.remember(realPath, fingerprintOf(Buffer.from(content)), isCut)
      }
      return answer(pluralize(files.length, 'file'), output)
    },
  })
