/** Plays recorded programming sessions in the real host: the model edits what its requests show, or reads first. */
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

/** A recorded call: a write, or an edit of the text that `old` has in the file as the model knows it. */
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
  const formatter = FORMATTERS.find((formatter) => formatter.name === formatterName)!
  return { name, messages, edits, formatter, setting }
}

export const RECORDED_SESSIONS: ReadonlyArray<RecordedSession> = [
  readSession('parser', 'biome, as it comes', 'option'),
  readSession('shop', 'dprint, sorted imports', 'option'),
  readSession('site', 'prettier, as it comes', 'host'),
]

/** The calls, requests and files of a played session. */
export type Replay = {
  edits: number
  failed: number
  requests: Array<ModelRequest>
  files: Record<string, string>
}

const isFailure = (output: string): boolean => !/^(Edit applied|Wrote file|<path>)/.test(output)

/** Returns each file as the model knows it from a request, or null for a file that it has to read. */
const beliefsIn = (request: ModelRequest): Map<string, string | null> => {
  const beliefs = new Map<string, string | null>()
  for (const { tool, args, output } of callsIn(request)) {
    const name = basename(String(args['filePath']))
    const believed = beliefs.get(name) ?? ''
    if (isFailure(output)) beliefs.set(name, null)
    else if (tool === 'read') beliefs.set(name, `${linesRead(output).join('\n')}\n`)
    else if (beliefs.get(name) !== null) beliefs.set(name, applyCall(believed, args))
    for (const [noted, text] of beliefs) {
      if (noteIn(output, noted) === '' || text === null) continue
      beliefs.set(noted, /read (?:it|them)/.test(output) ? null : afterNote(output, noted, text))
    }
  }
  return beliefs
}

/** Finds a recorded text in what the model believes; returns null unless it occurs once. */
const locate = (text: string, recorded: string): string | null => {
  const [bare, part] = [bareTextOf(text), bareTextOf(recorded)]
  const at = onlyIndexOf(bare.text, part.text)
  if (at < 0) return null
  let [start, end] = [bare.at[at]!, bare.at[at + part.text.length - 1]! + 1]
  // The brackets and separators at the ends of the recorded text, which a bare text lacks, belong to it.
  for (const sign of recorded.slice(part.at.at(-1)! + 1).replace(/\s/g, '')) if (text[end] === sign) end += 1
  for (const sign of [...recorded.slice(0, part.at[0]).replace(/\s/g, '')].reverse()) {
    if (text[start - 1] === sign) start -= 1
  }
  return text.slice(start, end)
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
    const beliefs = beliefsIn(request)
    const calls: Array<Call> = []
    const toRead = new Set<string>()
    for (const call of planned) {
      const filePath = project.path(call.file)
      const text = beliefs.get(call.file) ?? null
      const oldString = 'content' in call || text === null ? null : locate(text, call.old)
      if ('content' in call) calls.push({ tool: 'write', args: { filePath, content: call.content } })
      else if (oldString === null) toRead.add(call.file)
      else {
        const newString = call.replacement
        calls.push({ tool: 'edit', args: { filePath, oldString, newString } })
        beliefs.set(call.file, applyCall(text!, { oldString, newString }))
      }
    }
    sent = []
    if (toRead.size > 0) return [...toRead].map((file) => read(project, file))
    sent = planned
    planned = []
    return calls.length > 0 ? calls : 'Done.'
  }
}

const MAX_REQUESTS = 150

/** Plays a session in a project of its own; the config of the host has no plugins. */
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
