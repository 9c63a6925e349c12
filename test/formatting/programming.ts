/**
 * Plays recorded programming sessions in the real host, for a test and a bench. The model takes the old text of each
 * edit from the history that it sees. If the text is not there, it first reads.
 */
import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { bareTextOf, onlyIndexOf } from '../../src/steps/realign/bare-text.ts'
import { compileDprintPlugin } from '../harness/dprint.ts'
import type { Host, Project } from '../harness/host.ts'
import { type Call, callsIn, type ModelRequest, type Step } from '../harness/model.ts'
import { afterNote, applyCall, linesRead, noteIn } from './fuzz/belief.ts'
import { FORMATTERS } from './fuzz/formatters.ts'
import { read } from './session.ts'
import { configOf, type Setting } from './settings.ts'

/** A write, or an edit. Formatting may have changed the spaces and quotes of `old`: then the file's text is sent. */
type RecordedCall = { file: string; content: string } | { file: string; old: string; replacement: string }

const CORPUS = join(import.meta.dirname, '../corpora/programming')

/** Parses a call: `write a.ts`, then the text, or `edit a.ts`, then the old text, a line `=>`, and the new text. */
const parseCall = (section: string): RecordedCall => {
  const [, kind, file = '', text = ''] = /^(write|edit) (.*)\n([^]*)$/.exec(section)!
  if (kind === 'write') return { file, content: text }
  const [old = '', replacement = ''] = text.slice(0, -1).split('\n=>\n')
  return { file, old, replacement }
}

/** Reads a recorded session. `benchSetting`: who formats in the bench, SAT (`option`) or the host. */
const readSession = (name: string, formatterName: string, benchSetting: Setting) => {
  const text = readFileSync(join(CORPUS, `${name}.txt`), 'utf8')
  // `# …` starts a message, and `## …` a call.
  const messages = text.split(/^# .*\n/m).slice(1).map((each) => each.split(/^## /m).slice(1).map(parseCall))
  const edits = messages.flat().filter((call) => 'old' in call).length
  const formatter = FORMATTERS.find((each) => each.name === formatterName)!
  return { name, messages, edits, formatter, benchSetting }
}

export type RecordedSession = ReturnType<typeof readSession>

export const RECORDED_SESSIONS: ReadonlyArray<RecordedSession> = [
  readSession('parser', 'biome, defaults', 'option'),
  readSession('shop', 'dprint, sorted imports', 'option'),
  readSession('site', 'prettier, defaults', 'host'),
]

const MAX_REQUESTS = 150

export const replay = async (host: Host, recorded: RecordedSession, setting: Setting) => {
  compileDprintPlugin()
  const { formatter, messages } = recorded
  const config = { lsp: false, ...configOf(setting, [formatter]) }
  const project = host.project({ config, files: formatter.files })
  const session = await project.session()
  const step = programmerStep(project, recorded)
  const { requests } = await session.turn('Write this, please.', ...Array(MAX_REQUESTS).fill(step))
  const calls = callsIn(requests.at(-1)!).filter(({ tool }) => tool !== 'read')
  const names = [...new Set(messages.flat().map(({ file }) => file))]
  return {
    /** Failed ones included. */
    edits: calls.filter(({ tool }) => tool === 'edit').length,
    failed: calls.filter(({ output }) => isFailure(output)).length,
    requests,
    files: Object.fromEntries(names.map((name) => [name, readFileSync(project.path(name), 'utf8')])),
  }
}

export type Replay = Awaited<ReturnType<typeof replay>>

/** The step of a model that sends the messages, then `Done.`. Sends failed calls again, with their present old text. */
const programmerStep = (project: Project, { messages }: RecordedSession): Step => {
  const remaining = [...messages]
  let planned: Array<RecordedCall> = []
  /** Whether the last message sent the planned calls; false if it read files because an old text was not found. */
  let isSent = false
  return (request) => {
    if (isSent) {
      const answered = callsIn(request).slice(-planned.length)
      planned = planned.filter((_, index) => isFailure(answered[index]?.output ?? ''))
    }
    if (planned.length === 0) planned = remaining.shift() ?? []
    if (planned.length === 0) return 'Done.'
    const beliefs = beliefsIn(request)
    const calls = planned.map((call) => toCall(project, call, beliefs))
    const filesToRead = new Set(planned.filter((_, index) => !calls[index]).map(({ file }) => file))
    isSent = filesToRead.size === 0
    if (!isSent) return [...filesToRead].map((file) => read(project, file))
    return calls.filter((call) => call !== null)
  }
}

const isFailure = (output: string): boolean => !/^(Edit applied|Wrote file|<path>)/.test(output)

/** The text of each file, as the model believes; null for a file that the model must read again. */
type Beliefs = Map<string, string | null>

const beliefsIn = (request: ModelRequest): Beliefs => {
  const beliefs: Beliefs = new Map()
  for (const { tool, args, output } of callsIn(request)) {
    const name = basename(String(args['filePath']))
    const believed = beliefs.get(name) ?? ''
    if (isFailure(output)) beliefs.set(name, null)
    else if (tool === 'read') beliefs.set(name, `${linesRead(output).join('\n')}\n`)
    else if (beliefs.get(name) !== null) beliefs.set(name, applyCall(believed, args))
    // An answer may have notes on several files: a note with a diff, or one that says what to read.
    for (const [file, text] of beliefs) {
      if (noteIn(output, file) === '' || text === null) continue
      beliefs.set(file, /read (?:it|them)/.test(output) ? null : afterNote(output, file, text))
    }
  }
  return beliefs
}

/** Creates a call, and updates `beliefs` by an edit; null if the model does not find the old text of the edit. */
const toCall = (project: Project, recorded: RecordedCall, beliefs: Beliefs): Call | null => {
  const { file } = recorded
  const filePath = project.path(file)
  if ('content' in recorded) return { tool: 'write', args: { filePath, content: recorded.content } }
  const text = beliefs.get(file) ?? null
  if (text === null) return null
  const oldString = locate(text, recorded.old)
  if (oldString === null) return null
  const args = { oldString, newString: recorded.replacement }
  beliefs.set(file, applyCall(text, args))
  return { tool: 'edit', args: { filePath, ...args } }
}

/** Returns the recorded text as `text` has it, `a=f('b');` as `a = f("b")`; null if it does not occur exactly once. */
const locate = (text: string, recorded: string): string | null => {
  const [bareText, bareRecorded] = [bareTextOf(text), bareTextOf(recorded)]
  const index = onlyIndexOf(bareText.text, bareRecorded.text)
  if (index < 0) return null
  // `at` has the offset of each bare character in the text.
  let start = bareText.at[index]!
  let end = bareText.at[index + bareRecorded.text.length - 1]! + 1
  // Bare texts lack parentheses, commas and semicolons, so the range is extended by those that both texts have there.
  const signsBefore = recorded.slice(0, bareRecorded.at[0]).replace(/\s/g, '')
  const signsAfter = recorded.slice(bareRecorded.at.at(-1)! + 1).replace(/\s/g, '')
  for (const sign of signsAfter) if (text[end] === sign) end += 1
  for (const sign of [...signsBefore].reverse()) if (text[start - 1] === sign) start -= 1
  return text.slice(start, end)
}
