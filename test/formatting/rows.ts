/**
 * Plays tables of calls on files that are formatted. The calls and notes that the last request shows, applied to the
 * text before the turn, give what the model believes. The file must have this text, blank lines aside.
 */
import { expect } from 'bun:test'
import { applyPatch } from 'diff'
import { readFileSync, symlinkSync } from 'node:fs'
import type { Project, Turn } from '../harness/host.ts'
import { type Call, callsIn, type ShownCall, textOf } from '../harness/model.ts'
import { afterNote, applyCall, linesRead, withoutBlank } from './fuzz/belief.ts'
import { patch, startShared } from './session.ts'
import { IMPORTS_SCRIPT, type PlayInSetting, type Setting } from './settings.ts'
import { notesBelow } from './shown.ts'

/**
 * A file, the calls on it in each of up to three messages, and its text after the turn. The key of a row starts with
 * the file's name: `a.js: two edits`. `FOLDER`, `FILE` and `LINK` (a link to the file) are replaced.
 */
export type Row = [before: string | null, messages: Array<Array<Call>>, after: string, Details?]

type Details = {
  /** The note in the answer to each call; default: none. */
  notes?: Array<string> | 'any'
  /** What each call writes, as the history shows it. With it, no call is applied: old texts may differ in spaces. */
  texts?: Array<string>
  /** Whether the diff that the person sees for each call is checked. */
  showsDiffs?: true
  movedTo?: string
  onlyIn?: Setting
}

const filePath = 'FOLDER/FILE'
export const LINK = { filePath: 'FOLDER/LINK' }
export const read: Call = { tool: 'read', args: { filePath } }
export const write = (content: string): Call => ({ tool: 'write', args: { filePath, content } })
export const edit = (oldString: string, newString: string, more = {}): Call => ({
  tool: 'edit',
  args: { filePath, oldString, newString, ...more },
})
export const update = (...lines: Array<string>): Call => patch('*** Update File: FILE', ...lines)
export const formattedNote = (hunk: string): string =>
  `FILE was formatted and differs from what you saw:\n${hunk}`

type NamedRow = Details & { name: string; file: string; before: Row[0]; messages: Row[1]; after: Row[2] }

/** A call of a row: as the story sends it, as the last request shows it, and as the host stores it. */
type RowCall = { row: NamedRow; sent: Call; shown: ShownCall; stored: Turn['tools'][number] }

/** Creates a story that plays all rows of a table in one turn, and checks each row. */
export const playRows =
  (model: string, table: Record<string, Row>): PlayInSetting => async (config, setting) => {
    const { project, session } = await startShared(config, { 'imports.mjs': IMPORTS_SCRIPT }, model)
    const rows = Object.entries(table).map(([name, row]) => toNamedRow(project, name, row))
      .filter(({ onlyIn = setting }) => onlyIn === setting)
    for (const { file, before } of rows) {
      if (before !== null) project.write(file, before)
      symlinkSync(project.path(file), project.path(linkTo(file)))
    }
    const callsOfMessage = (index: number) =>
      rows.flatMap((row) => (row.messages[index] ?? []).map((sent) => ({ row, sent })))
    const messages = [0, 1, 2].map(callsOfMessage).filter((calls) => calls.length > 0)
    const turn = await session.turn('go', ...messages.map((calls) => calls.map(({ sent }) => sent)))

    const shown = callsIn(turn.requests.at(-1)!)
    const played = messages.flat()
      .map((call, index) => ({ ...call, shown: shown[index]!, stored: turn.tools[index]! }))
    for (const row of rows) expectRow(project, row, played.filter((call) => call.row === row))
    expectSameHistory(turn)
  }

const linkTo = (file: string): string => `link-${file}`

const toNamedRow = (project: Project, name: string, [before, messages, after, details]: Row): NamedRow => {
  const file = name.split(':', 1)[0]!
  const names: Record<string, string> = { FOLDER: project.directory, FILE: file, LINK: linkTo(file) }
  const json = JSON.stringify(messages).replace(/FOLDER|FILE|LINK/g, (placeholder) => names[placeholder]!)
  return { name, file, before, messages: JSON.parse(json), after, ...details }
}

const expectRow = (project: Project, row: NamedRow, calls: Array<RowCall>): void => {
  const { name, file, movedTo = file, before, after, texts } = row
  // Unlike `project.read`, this keeps a byte-order mark.
  expect([name, readFileSync(project.path(movedTo), 'utf8')]).toEqual([name, after])
  let believed = before ?? ''
  for (const [index, call] of calls.entries()) {
    const isRead = call.shown.tool === 'read'
    const next = isRead ? beliefAfterRead(call, believed) : beliefAfterChange(call, index, believed)
    if (next === null) throw new Error(`call ${index} of ${name} does not fit: ${JSON.stringify(call.shown)}`)
    believed = next
  }
  if (!texts) expect([name, withoutBlank(believed)]).toEqual([name, withoutBlank(after)])
}

const beliefAfterRead = ({ shown: { output } }: RowCall, believed: string): string => {
  const lines = believed.split('\n').slice(0, -1)
  expect(linesRead(output)).toEqual(lines)
  expect(output).toContain(`(End of file - total ${lines.length} lines)`)
  return believed
}

/** Checks a call, and returns what the model then believes; null if the call or its note does not fit `believed`. */
const beliefAfterChange = (call: RowCall, index: number, believed: string): string | null => {
  const { sent, shown: { args, output }, stored } = call
  const { file, movedTo = file, texts, notes = [], showsDiffs } = call.row
  expect(output).toMatch(/^(?:Edit applied|Wrote file) successfully\.|^Success\./)
  if (notes !== 'any') expect(notesBelow(output)).toBe((notes[index] ?? '').replace('FILE', file))
  // Only what a call writes is corrected, not what it replaces; the person's panel then shows that.
  expect(args['oldString']).toBe((sent.args as typeof args)['oldString'])
  if (!Bun.deepEquals(args, sent.args)) {
    expect(stored.state.metadata!['opencode-sat']).toMatchObject({ corrected: true })
  }
  if (texts) expect(args['content'] ?? args['newString']).toBe(texts[index])
  const applied = texts ? believed : applyCall(believed, args, [file, linkTo(file), movedTo])
  if (showsDiffs) expectDiff(stored, believed, applied)
  return applied === null ? null : afterNote(output, movedTo, applied)
}

const expectDiff = ({ tool, state }: RowCall['stored'], before: string, after: string | null): void => {
  const { diff, filediff } = state.metadata as { diff: string; filediff?: Record<string, unknown> }
  expect(applyPatch(before, diff)).toBe(after!)
  if (tool === 'apply_patch') return
  // Without the lines `--- path` and `+++ path` of the diff's header.
  const countOf = (line: RegExp) => diff.match(line)?.length ?? 0
  const counts = { additions: countOf(/^\+(?!\+)/gm), deletions: countOf(/^-(?!-)/gm) }
  expect(filediff).toMatchObject({ ...counts, patch: diff })
}

/** Checks that all requests show the same calls, and that the host stores them, with their answers, in this way. */
const expectSameHistory = ({ requests, tools, outputs }: Turn): void => {
  const last = requests.at(-1)!
  const shown = callsIn(last)
  // A call that a later request showed in another way would invalidate the provider's cache.
  for (const calls of requests.map(callsIn)) expect(shown.slice(0, calls.length)).toEqual(calls)
  expect(tools.map(({ state }) => state.input)).toEqual(shown.map(({ args }) => args))
  expect(last.messages.filter(({ role }) => role === 'tool').map(textOf)).toEqual(outputs)
}
