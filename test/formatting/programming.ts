/**
 * Plays recorded programming sessions in the real host. As a model does, the player takes the old text of each edit
 * from the history.
 */
import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { bareTextOf, onlyIndexOf } from '../../src/steps/realign/bare-text.ts'
import { compileDprintPlugin } from '../harness/dprint.ts'
import type { Host, Project } from '../harness/host.ts'
import { type Call, callsIn, type ModelRequest, type ShownCall, type Step } from '../harness/model.ts'
import { applyCall, linesRead } from './fuzz/belief.ts'
import { FORMATTERS } from './fuzz/formatters.ts'
import { afterNote, noteIn } from './fuzz/notes.ts'
import { read } from './session.ts'
import { configOf, type Setting } from './settings.ts'

/** `old` is unformatted, and `locate` finds it in formatted text. */
type RecordedCall = { file: string; content: string } | { file: string; old: string; replacement: string }

const CORPUS = join(import.meta.dirname, '../corpora/programming')

const parseCall = (section: string): RecordedCall => {
  const [, kind, file = '', text = ''] = /^(write|edit) (.*)\n([^]*)$/.exec(section)!
  if (kind === 'write') return { file, content: text }
  const [old = '', replacement = ''] = text.slice(0, -1).split('\n=>\n')
  return { file, old, replacement }
}

const readSession = (name: string, formatterName: string, benchSetting: Setting) => {
  const text = readFileSync(join(CORPUS, `${name}.txt`), 'utf8')
  // `# message 1` starts a message, and `## write a.ts` starts a call.
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
    /** Includes edits sent again after a failure. */
    edits: calls.filter(({ tool }) => tool === 'edit').length,
    failed: calls.filter(({ output }) => isFailure(output)).length,
    requests,
    files: Object.fromEntries(names.map((name) => [name, readFileSync(project.path(name), 'utf8')])),
  }
}

export type Replay = Awaited<ReturnType<typeof replay>>

/** Sends failed calls again, then the next message. */
const programmerStep = (project: Project, { messages }: RecordedSession): Step => {
  const remaining = [...messages]
  let planned: Array<RecordedCall> = []
  let arePlannedSent = false
  return (request) => {
    if (arePlannedSent) {
      const answered = callsIn(request).slice(-planned.length)
      planned = planned.filter((_, index) => isFailure(answered[index]?.output ?? ''))
    }
    if (planned.length === 0) planned = remaining.shift() ?? []
    if (planned.length === 0) return 'Done.'
    const beliefs = beliefsIn(request)
    const calls = planned.map((call) => toCall(project, call, beliefs))
    const filesToRead = new Set(planned.filter((_, index) => !calls[index]).map(({ file }) => file))
    arePlannedSent = filesToRead.size === 0
    if (!arePlannedSent) return [...filesToRead].map((file) => read(project, file))
    return calls.filter((call) => call !== null)
  }
}

const isFailure = (output: string): boolean => !/^(Edit applied|Wrote file|<path>)/.test(output)

/** A belief is null if the model must read the file again. */
type Beliefs = Map<string, string | null>

const beliefsIn = (request: ModelRequest): Beliefs => {
  const beliefs: Beliefs = new Map()
  for (const call of callsIn(request)) {
    const name = basename(String(call.args['filePath']))
    beliefs.set(name, beliefAfter(call, beliefs.get(name) ?? null))
    // An output may have notes on several files.
    for (const [file, believed] of beliefs) {
      const mustRead = believed === null || /read (?:it|them)/.test(noteIn(call.output, file))
      beliefs.set(file, mustRead ? null : afterNote(call.output, file, believed))
    }
  }
  return beliefs
}

const beliefAfter = ({ tool, args, output }: ShownCall, believed: string | null): string | null => {
  if (isFailure(output)) return null
  if (tool === 'read') return `${linesRead(output).join('\n')}\n`
  // If the file's text is not known, `applyCall` returns the content of a write, and null for an edit.
  return applyCall(believed ?? '', args)
}

/** Returns null if an edit's old text is not found, else applies the edit to `beliefs`. */
const toCall = (project: Project, recorded: RecordedCall, beliefs: Beliefs): Call | null => {
  const { file } = recorded
  const filePath = project.path(file)
  if ('content' in recorded) return { tool: 'write', args: { filePath, content: recorded.content } }
  const text = beliefs.get(file) ?? ''
  const oldString = locate(text, recorded.old)
  if (oldString === null) return null
  const args = { oldString, newString: recorded.replacement }
  beliefs.set(file, applyCall(text, args))
  return { tool: 'edit', args: { filePath, ...args } }
}

/** Finds the recorded text in formatted text: `a=f('b');` → `a = f("b")`. */
const locate = (text: string, recorded: string): string | null => {
  // Bare texts lack white space, parentheses, commas and semicolons.
  const [bareText, bareRecorded] = [bareTextOf(text), bareTextOf(recorded)]
  const index = onlyIndexOf(bareText.text, bareRecorded.text)
  if (index < 0) return null
  let start = bareText.at[index]!
  let end = bareText.at[index + bareRecorded.text.length - 1]! + 1
  // So far, the span has no `(` or `;` at its ends. Adds each such sign that `recorded` and `text` both have there.
  const signsBefore = recorded.slice(0, bareRecorded.at[0]).replace(/\s/g, '')
  const signsAfter = recorded.slice(bareRecorded.at.at(-1)! + 1).replace(/\s/g, '')
  for (const sign of signsAfter) if (text[end] === sign) end += 1
  for (const sign of [...signsBefore].reverse()) if (text[start - 1] === sign) start -= 1
  return text.slice(start, end)
}
