/** Plays recorded programming sessions in the real host: the model edits what its requests show, or reads it first. */
import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { bareTextOf, onlyIndexOf } from '../../src/steps/realign/bare-text.ts'
import { compileDprintPlugin } from '../harness/dprint.ts'
import type { Host, Project } from '../harness/host.ts'
import { type Call, callsIn, type ModelRequest, type Step } from '../harness/model.ts'
import { afterNote, applyCall, linesRead, noteIn } from './fuzz/belief.ts'
import { FORMATTERS, type FuzzFormatter } from './fuzz/formatters.ts'
import { read } from './session.ts'
import { configOf, type Setting } from './settings.ts'

/** A recorded call: a write, or an edit. The file may have `old` with other spaces and quotes. */
type PlannedCall = { file: string; content: string } | { file: string; old: string; replacement: string }

/** Reads a call: `write a.ts`, then the text, or `edit a.ts`, then the old text, a line `=>`, and the new text. */
const toCall = (section: string): PlannedCall => {
  const [, kind, file = '', text = ''] = /^(write|edit) (.*)\n([^]*)$/.exec(section)!
  if (kind === 'write') return { file, content: text }
  const [old = '', replacement = ''] = text.slice(0, -1).split('\n=>\n')
  return { file, old, replacement }
}

/** A recorded session, and the formatter of its project. */
export type RecordedSession = {
  name: string
  messages: Array<Array<PlannedCall>>
  /** How many of the calls are edits. */
  edits: number
  formatter: FuzzFormatter
  /** Who formats in the bench. The test has settings of its own. */
  setting: Setting
}

const CORPUS = join(import.meta.dirname, '../corpora/programming')

const readSession = (name: string, formatterName: string, setting: Setting): RecordedSession => {
  const text = readFileSync(join(CORPUS, `${name}.txt`), 'utf8')
  // A line `# …` starts a message, and `## …` a call.
  const messages = text.split(/^# .*\n/m).slice(1).map((message) =>
    message.split(/^## /m).slice(1).map(toCall)
  )
  const edits = messages.flat().filter((call) => 'old' in call).length
  const formatter = FORMATTERS.find((each) => each.name === formatterName)!
  return { name, messages, edits, formatter, setting }
}

export const RECORDED_SESSIONS: ReadonlyArray<RecordedSession> = [
  readSession('parser', 'biome, defaults', 'option'),
  readSession('shop', 'dprint, sorted imports', 'option'),
  readSession('site', 'prettier, defaults', 'host'),
]

/** What a played session did. */
export type Replay = {
  /** The number of edits that were sent, failed ones included. */
  edits: number
  /** The number of writes and edits that failed. */
  failed: number
  requests: Array<ModelRequest>
  /** The files after the session: name → text. */
  files: Record<string, string>
}

const isFailure = (output: string): boolean => !/^(Edit applied|Wrote file|<path>)/.test(output)

/** Returns what the model believes from a request that each file contains; null for a file that it must read again. */
const beliefsIn = (request: ModelRequest): Map<string, string | null> => {
  const beliefs = new Map<string, string | null>()
  for (const { tool, args, output } of callsIn(request)) {
    const name = basename(String(args['filePath']))
    const believed = beliefs.get(name) ?? ''
    if (isFailure(output)) beliefs.set(name, null)
    else if (tool === 'read') beliefs.set(name, `${linesRead(output).join('\n')}\n`)
    else if (beliefs.get(name) !== null) beliefs.set(name, applyCall(believed, args))
    // An answer may have notes on several files.
    for (const [file, text] of beliefs) {
      if (noteIn(output, file) === '' || text === null) continue
      beliefs.set(file, /read (?:it|them)/.test(output) ? null : afterNote(output, file, text))
    }
  }
  return beliefs
}

/**
 * Finds a recorded text in what the model believes, even if a formatter changed its spaces, quotes, separators and
 * round brackets. Returns the text as the model believes it; null unless it occurs once.
 */
const locate = (text: string, recorded: string): string | null => {
  const [bareText, bareRecorded] = [bareTextOf(text), bareTextOf(recorded)]
  const at = onlyIndexOf(bareText.text, bareRecorded.text)
  if (at < 0) return null
  let [start, end] = [bareText.at[at]!, bareText.at[at + bareRecorded.text.length - 1]! + 1]
  // A bare text lacks the brackets and separators at the ends of the recorded text: includes those that `text` has.
  const signsBefore = recorded.slice(0, bareRecorded.at[0]).replace(/\s/g, '')
  const signsAfter = recorded.slice(bareRecorded.at.at(-1)! + 1).replace(/\s/g, '')
  for (const sign of signsAfter) if (text[end] === sign) end += 1
  for (const sign of [...signsBefore].reverse()) if (text[start - 1] === sign) start -= 1
  return text.slice(start, end)
}

/**
 * Creates the calls of a message. Returns reads instead if the model must first read a file, because it does not know
 * the old text of an edit. Updates `beliefs`.
 */
const toCalls = (
  project: Project,
  planned: Array<PlannedCall>,
  beliefs: Map<string, string | null>,
): { calls: Array<Call>; areReads: boolean } => {
  const calls: Array<Call> = []
  const toRead = new Set<string>()
  for (const call of planned) {
    const filePath = project.path(call.file)
    if ('content' in call) {
      calls.push({ tool: 'write', args: { filePath, content: call.content } })
      continue
    }
    const text = beliefs.get(call.file) ?? null
    const oldString = text === null ? null : locate(text, call.old)
    if (text === null || oldString === null) {
      toRead.add(call.file)
      continue
    }
    const args = { oldString, newString: call.replacement }
    calls.push({ tool: 'edit', args: { filePath, ...args } })
    beliefs.set(call.file, applyCall(text, args))
  }
  return toRead.size > 0
    ? { calls: [...toRead].map((file) => read(project, file)), areReads: true }
    : { calls, areReads: false }
}

/** Creates a model that plays the messages. It reads the file of a failed call, and sends the call again. */
const programmer = (project: Project, { messages }: RecordedSession): Step => {
  const remaining = [...messages]
  let planned: Array<PlannedCall> = []
  let sent: Array<PlannedCall> = []
  return (request) => {
    const shown = callsIn(request).slice(-sent.length || undefined)
    planned.unshift(...sent.filter((_, index) => isFailure(shown[index]?.output ?? '')))
    if (planned.length === 0) planned = [...remaining.shift() ?? []]
    const { calls, areReads } = toCalls(project, planned, beliefsIn(request))
    // After reads, the same calls are still planned.
    sent = areReads ? [] : planned
    if (!areReads) planned = []
    return calls.length > 0 ? calls : 'Done.'
  }
}

const MAX_REQUESTS = 150

/** Plays a session in a project of its own. */
export const replay = async (host: Host, recorded: RecordedSession, setting: Setting): Promise<Replay> => {
  compileDprintPlugin()
  const { formatter, messages } = recorded
  const config = { lsp: false, ...configOf(setting, [formatter]) }
  const project = host.project({ config, files: formatter.files })
  const session = await project.session()
  const step = programmer(project, recorded)
  const { requests } = await session.turn('Write this, please.', ...Array(MAX_REQUESTS).fill(step))
  const calls = callsIn(requests.at(-1)!).filter(({ tool }) => tool !== 'read')
  const names = [...new Set(messages.flat().map(({ file }) => file))]
  return {
    edits: calls.filter(({ tool }) => tool === 'edit').length,
    failed: calls.filter(({ output }) => isFailure(output)).length,
    requests,
    files: Object.fromEntries(names.map((name) => [name, readFileSync(project.path(name), 'utf8')])),
  }
}
