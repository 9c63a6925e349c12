/**
 * Plays tables of calls on files that SAT formats, and checks the files and SAT's notes. Also infers each file's text
 * from the calls and notes in the last request, as a model would, and compares this belief with the file.
 */
import { expect } from 'bun:test'
import { applyPatch } from 'diff'
import { readFileSync, symlinkSync } from 'node:fs'
import type { Project, Turn } from '../harness/host.ts'
import { type Call, callsIn, type ShownCall, textOf } from '../harness/model.ts'
import { applyCall, linesRead } from './fuzz/belief.ts'
import { afterNote, withoutBlank } from './fuzz/notes.ts'
import { patch, startShared } from './session.ts'
import { IMPORTS_SCRIPT, type PlayInSetting, type Setting } from './settings.ts'
import { formattedNote, newTextOf, notesBelow } from './shown.ts'

/**
 * The key of a row starts with the file's name, such as `a.js: an edit is formatted`. In calls, `FILE` stands for this
 * name, `LINK` for the name of a link to the file, and `FOLDER` for the project's folder.
 */
export type Row = [
  /** `before` is null if the file does not exist. */
  text: [before: string | null, after: string],
  /** At most three. */
  messages: Array<Array<Call>>,
  details?: Details,
]

type Details = {
  /** SAT's note in the output of each call, by default ''. A hunk (`@@ …`) stands for the note that contains it. */
  notes?: Array<string> | 'any'
  /** The new text of each call, as the history shows it. If `texts` is set, the belief is not checked. */
  texts?: Array<string>
  checksDiffs?: true
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

type NamedRow = Details & { name: string; file: string; text: Row[0]; messages: Row[1] }

type RowCall = { row: NamedRow; sent: Call; shown: ShownCall; stored: Turn['tools'][number] }

/** Creates a story that plays all rows of a table in one turn, and checks each row. */
export const playRows =
  (model: string, table: Record<string, Row>): PlayInSetting => async (config, setting) => {
    const { project, session } = await startShared(config, { 'imports.mjs': IMPORTS_SCRIPT }, model)
    const rows = Object.entries(table).map(([name, row]) => toNamedRow(project, name, row))
      .filter(({ onlyIn = setting }) => onlyIn === setting)
    for (const { file, text: [before] } of rows) {
      if (before !== null) project.write(file, before)
      symlinkSync(project.path(file), project.path(linkTo(file)))
    }
    // The first message has the calls of each row's first message, and so on.
    const messages = [0, 1, 2].map((index) =>
      rows.flatMap((row) => (row.messages[index] ?? []).map((sent) => ({ row, sent })))
    ).filter((calls) => calls.length > 0)
    const turn = await session.turn('go', ...messages.map((calls) => calls.map(({ sent }) => sent)))

    const shown = callsIn(turn.requests.at(-1)!)
    const played = messages.flat()
      .map((call, index) => ({ ...call, shown: shown[index]!, stored: turn.tools[index]! }))
    for (const row of rows) expectRow(project, row, played.filter((call) => call.row === row))
    expectSameHistory(turn)
  }

const linkTo = (file: string): string => `link-${file}`

const toNamedRow = (project: Project, name: string, [text, messages, details]: Row): NamedRow => {
  const file = name.split(':', 1)[0]!
  const names: Record<string, string> = { FOLDER: project.directory, FILE: file, LINK: linkTo(file) }
  const json = JSON.stringify(messages).replace(/FOLDER|FILE|LINK/g, (placeholder) => names[placeholder]!)
  return { name, file, text, messages: JSON.parse(json), ...details }
}

const expectRow = (project: Project, row: NamedRow, calls: Array<RowCall>): void => {
  const { name, file, movedTo = file, text: [before, after], texts } = row
  // Unlike `project.read`, this keeps a byte-order mark.
  expect([name, readFileSync(project.path(movedTo), 'utf8')]).toEqual([name, after])
  for (const [index, call] of calls.entries()) if (call.shown.tool !== 'read') expectChange(call, index)
  if (texts) return
  let believed = before ?? ''
  for (const call of calls) {
    if (call.shown.tool === 'read') expectRead(call, believed)
    else believed = beliefAfter(call, believed)
  }
  expect([name, withoutBlank(believed)]).toEqual([name, withoutBlank(after)])
}

const expectRead = ({ shown: { output } }: RowCall, believed: string): void => {
  const lines = believed.split('\n').slice(0, -1)
  expect(linesRead(output)).toEqual(lines)
  expect(output).toContain(`(End of file - total ${lines.length} lines)`)
}

const expectChange = ({ row, sent, shown: { args, output }, stored }: RowCall, index: number): void => {
  const { file, texts, notes = [] } = row
  expect(output).toMatch(/^(?:Edit applied|Wrote file) successfully\.|^Success\./)
  const note = notes[index] ?? ''
  const expected = note.startsWith('@@') ? formattedNote(file, note) : note.replace('FILE', file)
  if (notes !== 'any') expect(notesBelow(output)).toBe(expected)
  expect(args['oldString']).toBe((sent.args as typeof args)['oldString'])
  // The panel counts corrected calls by this mark.
  const mark = stored.state.metadata!['opencode-sat']
  if (!Bun.deepEquals(args, sent.args)) expect(mark).toMatchObject({ corrected: true })
  if (texts) expect(newTextOf(args)).toBe(texts[index])
}

const beliefAfter = ({ row, shown, stored }: RowCall, believed: string): string => {
  const { name, file, movedTo = file, checksDiffs } = row
  const applied = applyCall(believed, shown.args, [file, linkTo(file), movedTo])
  const next = applied === null ? null : afterNote(shown.output, movedTo, applied)
  if (applied === null || next === null) throw new Error(`${name} does not fit: ${JSON.stringify(shown)}`)
  if (checksDiffs) expectDiff(stored, believed, applied)
  return next
}

const expectDiff = ({ tool, state }: RowCall['stored'], before: string, after: string): void => {
  const { diff, filediff } = state.metadata as { diff: string; filediff?: Record<string, unknown> }
  expect(applyPatch(before, diff)).toBe(after)
  if (tool === 'apply_patch') return
  const countOf = (line: RegExp) => diff.match(line)?.length ?? 0
  // Skips the diff's header (`--- path` and `+++ path`).
  const counts = { additions: countOf(/^\+(?!\+)/gm), deletions: countOf(/^-(?!-)/gm) }
  expect(filediff).toMatchObject({ ...counts, patch: diff })
}

const expectSameHistory = ({ requests, tools, outputs }: Turn): void => {
  const last = requests.at(-1)!
  const shown = callsIn(last)
  // If a later request showed a call differently, the provider's cache would be lost.
  for (const calls of requests.map(callsIn)) expect(shown.slice(0, calls.length)).toEqual(calls)
  expect(tools.map(({ state }) => state.input)).toEqual(shown.map(({ args }) => args))
  expect(last.messages.filter(({ role }) => role === 'tool').map(textOf)).toEqual(outputs)
}
