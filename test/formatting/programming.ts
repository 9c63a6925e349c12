/** Plays recorded programming sessions in the real host: the model edits from what its requests show, or reads first. */
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { bareTextOf } from '../../src/steps/realign/bare-text.ts'
import { compileDprintPlugin } from '../harness/dprint.ts'
import type { Host, Project } from '../harness/host.ts'
import { type Call, callsIn, type ModelRequest, type Step } from '../harness/model.ts'
import { afterNote, applyCall, linesRead, noteIn } from './fuzz/belief.ts'
import { FORMATTERS, type FuzzFormatter } from './fuzz/formatters.ts'
import { configOf, type Setting } from './settings.ts'

/** A recorded call. The `oldString` of its edit is the text that `old` has in the file as the model knows it. */
type PlannedCall = { file: string; content: string } | {
  file: string
  old: string
  replacement: string
}

const toCall = (section: string): PlannedCall => {
  const [, kind, file = '', text = ''] = /^(write|edit) (.*)\n([^]*)$/.exec(section)!
  if (kind === 'write') return { file, content: text }
  const [old = '', replacement = ''] = text.slice(0, -1).split('\n=>\n')
  return { file, old, replacement }
}

const CORPUS = join(import.meta.dirname, '../corpora/programming')

/** A recorded session, and the formatter of its project. */
export type RecordedSession = {
  name: string
  messages: Array<Array<PlannedCall>>
  /** How many of the calls are edits. */
  edits: number
  formatter: FuzzFormatter
  setting: Setting
}

const FORMATTER_OF: Record<string, [start: string, setting: Setting]> = {
  'shop.txt': ['dprint, sorted', 'option'],
  'site.txt': ['prettier, as it comes', 'host'],
  'parser.txt': ['biome, as it comes', 'option'],
}

export const RECORDED_SESSIONS: ReadonlyArray<RecordedSession> = readdirSync(CORPUS).toSorted().map(
  (name) => {
    const messages = readFileSync(join(CORPUS, name), 'utf8').split(/^# .*\n/m).slice(1)
      .map((message) => message.split(/^## /m).slice(1).map(toCall))
    const edits = messages.flat().filter((call) => 'old' in call).length
    const [start, setting] = FORMATTER_OF[name]!
    const formatter = FORMATTERS.find((formatter) => formatter.name.startsWith(start))!
    return { name: name.replace('.txt', ''), messages, edits, formatter, setting }
  },
)

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
  const [bare, part] = [
    bareTextOf(text, { from: 0, to: text.length }),
    bareTextOf(recorded, { from: 0, to: recorded.length }),
  ]
  const at = bare.text.indexOf(part.text)
  if (at < 0 || bare.text.indexOf(part.text, at + 1) >= 0) return null
  let [start, end] = [bare.at[at]!, bare.at[at + part.text.length - 1]! + 1]
  // Brackets and separators at the ends of the recorded text belong to it.
  for (const sign of recorded.slice(part.at.at(-1)! + 1).replace(/\s/g, '')) if (text[end] === sign) end += 1
  for (const sign of [...recorded.slice(0, part.at[0]).replace(/\s/g, '')].reverse()) {
    if (text[start - 1] === sign) start -= 1
  }
  return text.slice(start, end)
}

/** Creates a model that plays the messages. It reads the file of a failed call, and sends the call again. */
const programmer = (project: Project, { messages }: RecordedSession): Step => {
  let planned: Array<PlannedCall> = []
  let sent: Array<PlannedCall> = []
  let nextMessage = 0
  return (request) => {
    const shown = callsIn(request).slice(-sent.length || undefined)
    const failed = sent.filter((_, index) => isFailure(shown[index]?.output ?? ''))
    planned = [...failed, ...planned]
    if (planned.length === 0) planned = [...messages[nextMessage++] ?? []]
    sent = []
    if (planned.length === 0) return 'Done.'
    const beliefs = beliefsIn(request)
    const calls: Array<Call> = []
    const toRead = new Set<string>()
    for (const call of planned) {
      const args = { filePath: project.path(call.file) }
      const text = beliefs.get(call.file)
      if ('content' in call) calls.push({ tool: 'write', args: { ...args, content: call.content } })
      else {
        const oldString = text === null || text === undefined ? null : locate(text, call.old)
        if (oldString === null) toRead.add(call.file)
        else {
          calls.push({ tool: 'edit', args: { ...args, oldString, newString: call.replacement } })
          beliefs.set(call.file, applyCall(text!, { oldString, newString: call.replacement }))
        }
      }
    }
    if (toRead.size > 0) {
      return [...toRead].map((file) => ({ tool: 'read', args: { filePath: project.path(file) } }))
    }
    sent = planned
    planned = []
    return calls
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
  const { requests } = await session.turn(
    'Write this, please.',
    ...Array.from({ length: MAX_REQUESTS }, () => step),
  )
  const calls = callsIn(requests.at(-1)!).filter(({ tool }) => tool !== 'read')
  const names = [...new Set(messages.flat().map(({ file }) => file))]
  return {
    edits: calls.filter(({ tool }) => tool === 'edit').length,
    failed: calls.filter(({ output }) => isFailure(output)).length,
    requests,
    files: Object.fromEntries(names.map((name) => [name, readFileSync(project.path(name), 'utf8')])),
  }
}
