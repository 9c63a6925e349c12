/** The tool discover-rules: shows instruction files with notes. */
import type { ToolDefinition } from '@opencode-ai/plugin'
import { relative } from 'node:path'
import { findInstructions, type InstructionFile, readInstructionFile } from '../discover.ts'
import type { HostConfig } from '../host/config.ts'
import { hostViewOf } from '../host/host-view.ts'
import type { InstructionPaths } from '../instructions/loaded-files.ts'
import { unloadedFiles } from '../instructions/unloaded-files.ts'
import { isInProject, projectRoot, type Workspace } from '../paths/boundary.ts'
import { realPathOrSelf } from '../paths/real-path.ts'
import { resolveFiles } from '../resolve.ts'
import { NO_SUCH_FILE, ok, safeAsync } from '../safe.ts'
import { pluralize } from '../text/pluralize.ts'
import { nameInSentence } from '../text/quoted-name.ts'
import { fingerprintOf, IS_FOLDER } from '../text/read.ts'
import { createAsk, throwIfRefused, workspaceOf } from '../writing/ask-host.ts'
import { Permissions } from '../writing/ask-permission.ts'
import { answer, defineTool, pathsArgument } from './define-tool.ts'
import { ARGUMENTS } from './descriptions.ts'
import { answerLimit, formatAnswer, MAX_ANSWER_BYTES } from './discover-answer.ts'
import { inCode, joinFirst, toNote } from './notes.ts'
import { type DiscoverToolOptions, shownTo } from './pipeline-state.ts'

const isNotAFile = ({ error }: InstructionFile): boolean => error === IS_FOLDER || error === NO_SUCH_FILE

const howToStart = (directory: string): string =>
  `There is no instruction file yet, here or in a folder above. To start, create AGENTS.md in ${directory} with a first rule, or add paths to "instructions" in opencode.json. Then call discover-rules again.`

const unloadedNotes = async (
  workspace: Workspace,
  { paths, remote, unmatched }: InstructionPaths,
  notFiles: Array<InstructionFile>,
): Promise<Array<string>> => {
  const unloaded = await unloadedFiles(workspace.directory, projectRoot(workspace), paths)
  const names = joinFirst(unloaded.map((path) => nameInSentence(relative(workspace.directory, path))))
  const unmatchedEntries = unmatched.map(({ entry, reason }) => `${entry || '""'}: ${reason}`)
  return [
    ...toNote('OpenCode loads nothing from:', notFiles.map(({ path, error }) => `${path}: ${error}`)),
    ...toNote('Remote, loaded by OpenCode from the network, not editable here:', remote),
    ...(names === ''
      ? []
      : [`Present, but not loaded by OpenCode. To see them, name them in "files": ${names}`]),
    ...toNote('Entries of "instructions" that match nothing:', unmatchedEntries),
  ]
}

const readAt = async (permittedPath: string, path: string, maxBytes?: number): Promise<InstructionFile> => {
  const file = await readInstructionFile(permittedPath, maxBytes)
  return file.realPath === permittedPath
    ? { ...file, path }
    : { path, content: '', error: 'it leads to another file than a moment ago' }
}

const notesOn = async (files: Array<InstructionFile>, workspace: Workspace): Promise<Array<string>> => {
  const outside = files.filter(({ realPath }) => realPath !== undefined && !isInProject(workspace, realPath))
  const outsidePaths = outside.map(({ path }) => path)
  // To limit the time, only the first files are searched for stale names.
  let searchedLength = 0
  const searched = files.filter(({ content }) => {
    searchedLength += content.length
    return searchedLength <= MAX_ANSWER_BYTES
  })
  const { data: stale } = await safeAsync(async () => {
    const { staleNames } = await import('../markdown/stale-names.ts')
    return staleNames(searched, { root: projectRoot(workspace), directory: workspace.directory })
  })
  return [
    ...toNote('Outside the project; the person is asked before they are written:', outsidePaths),
    ...toNote(
      'Named in these files, but not found. Ignore names in examples and plans; tell the person which names are stale:',
      stale?.map(({ path, line, name, reason }) => `${path} line ${line}: ${inCode(name)}: ${reason}`) ?? [],
    ),
  ]
}

const PLAN_AGENT =
  'The plan agent may not edit files: rewrite-rules and add-rules will be refused. Tell the person first.'

const decidesOnEdits = (permission: unknown): boolean =>
  typeof permission === 'string' || ['edit', '*'].some((key) => key in Object(permission))

// If the config does not decide, the host refuses edits by the agent `plan`.
const planAgentNote = (agent: string, { permission, agent: agents }: HostConfig = {}): Array<string> => {
  const isDecidedByConfig = [permission, agents?.['plan']?.permission].some(decidesOnEdits)
  return agent === 'plan' && !isDecidedByConfig ? [PLAN_AGENT] : []
}

export const createDiscoverTool = (
  { description, directory: defaultDirectory, config, ...state }: DiscoverToolOptions,
): ToolDefinition =>
  defineTool({
    description,
    args: { files: pathsArgument(ARGUMENTS.files) },
    execute: async ({ files: filesArg }, context) => {
      const { directory = defaultDirectory } = context
      const workspace = workspaceOf(context, defaultDirectory)
      const namesFiles = filesArg !== undefined
      const limit = answerLimit(config?.())
      const found = await findInstructions(directory, hostViewOf(context, config?.()))
      const hostFiles = async () => new Set(await Promise.all(found.paths.map(realPathOrSelf)))
      const permissions = new Permissions({ workspace, ask: createAsk(context), hostFiles })
      const read = await resolveFiles(directory, filesArg, {
        find: async () => found,
        mayList: (folder) => permissions.askToList(folder),
        read: async (path) => {
          const permitted = namesFiles ? await permissions.askToRead(path) : ok(await realPathOrSelf(path))
          if (permitted.error !== null) return { path, content: '', error: permitted.error }
          return readAt(permitted.data, path, limit.bytes)
        },
      })
      if (namesFiles && read.error !== null) return answer('no files', read.error)
      // The host's list may contain folders and broken links, which are only reported.
      const allFiles = read.data ?? []
      const notFiles = namesFiles ? [] : allFiles.filter(isNotAFile)
      const files = allFiles.filter((file) => !notFiles.includes(file))
      const notes = namesFiles ? [] : await unloadedNotes(workspace, found, notFiles)
      const [first] = files
      if (first === undefined) {
        const reason = read.error ?? 'No instruction files found.'
        return answer('no files', [howToStart(directory), reason, ...notes].join('\n\n'))
      }
      if (files.every(({ error }) => error !== undefined)) throwIfRefused([permissions.refusal])
      const areAllTooLong = files.every(({ size }) => size !== undefined)
      // The answer shows the beginning of this file.
      if (areAllTooLong) files[0] = await readAt(first.realPath ?? first.path, first.path)
      notes.push(...planAgentNote(context.agent, config?.()), ...await notesOn(files, workspace))
      const { output, shown } = formatAnswer(files, notes, limit)
      const shownFiles = shownTo(state, context.sessionID)
      for (const { file, isCut } of shown) {
        if (file.error !== undefined) continue
        shownFiles.record(file.realPath ?? file.path, fingerprintOf(Buffer.from(file.content)), isCut)
      }
      return answer(pluralize(files.length, 'file'), output)
    },
  })
