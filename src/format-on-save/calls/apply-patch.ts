import { lineStart, type Range, withLineFeeds } from '../../files/changed-stretch.ts'
import { PATCH_HEADER, PATCH_MOVE } from '../../host/file-tools.ts'
import type { Applied } from './edits.ts'
import { findLines, type SameLine } from './find-lines.ts'

/** A line of a hunk; `at` is the number of the patch's own line. */
type PatchLine = { sign: ' ' | '+' | '-'; text: string; at: number }

/**
 * A hunk: the line of the file that its `@@` names (empty where none is named), the number of the `@@` line, and the
 * lines below it.
 */
export type Hunk = { anchor: string; at: number; lines: Array<PatchLine> }

/** What a patch does with one file. Paths are as the patch has them. */
export type PatchSection = {
  kind: 'add' | 'update' | 'delete'
  path: string
  moveTo: string | null
  hunks: Array<Hunk>
}

/** Reads the argument of `apply_patch`; lines that mean nothing are passed over, as the host does. */
export const parsePatch = (patchText: string): Array<PatchSection> => {
  const sections: Array<PatchSection> = []
  for (const [at, line] of patchText.split('\n').entries()) {
    const header = PATCH_HEADER.exec(line.trimEnd())
    const section = sections.at(-1)
    if (header) {
      const kind = header[1] === 'Add' ? 'add' : header[1] === 'Update' ? 'update' : 'delete'
      sections.push({
        kind,
        path: header[2]!.trim(),
        moveTo: null,
        hunks: kind === 'add' ? [{ anchor: '', at, lines: [] }] : [],
      })
    } else if (!section) continue
    else if (PATCH_MOVE.test(line)) section.moveTo = PATCH_MOVE.exec(line)![1]!.trim()
    else if (line.startsWith('@@')) section.hunks.push({ anchor: line.slice(2).trim(), at, lines: [] })
    else if (/^[ +-]/.test(line)) {
      const sign = line[0] as PatchLine['sign']
      section.hunks.at(-1)?.lines.push({ sign, text: line.slice(1), at })
    }
  }
  return sections
}

const SAME: Array<SameLine> = [
  (one, other) => one === other,
  (one, other) => one.trimEnd() === other.trimEnd(),
  (one, other) => one.trim() === other.trim(),
]

/** Finds the first place, from the start of a line on, where lines stand; exactly or else but for white space. */
const seek = (text: string, wanted: Array<string>, from: number): Range | null => {
  for (const isSame of SAME) {
    const [found] = findLines(text, wanted, isSame, from)
    if (found) return found
  }
  return null
}

/** Splits the lines of a hunk into runs of the same sign. */
export const runsOf = ({ lines }: Hunk): Array<Array<PatchLine>> => {
  const runs: Array<Array<PatchLine>> = []
  for (const [index, line] of lines.entries()) {
    if (lines[index - 1]?.sign === line.sign) runs.at(-1)!.push(line)
    else runs.push([line])
  }
  return runs
}

/** Lists the runs of added lines of a section. */
const addedRuns = ({ hunks }: PatchSection): Array<Array<PatchLine>> =>
  hunks.flatMap(runsOf).filter(([first]) => first!.sign === '+')

const textOf = (run: Array<PatchLine>): string => run.map(({ text }) => text).join('\n')

/** Removes the last line end of a text. */
const withoutLastEnd = (text: string): string => (text.endsWith('\n') ? text.slice(0, -1) : text)

/** The place of the line that a hunk names, and that of its context and removed lines. */
type HunkPlace = { anchor: Range | null; lines: Range }

/** Finds the hunks of a section in a file, each below the one before it; null where one is not there. */
export const placeHunks = ({ hunks }: PatchSection, before: string): Array<HunkPlace> | null => {
  const text = withoutLastEnd(before)
  const places: Array<HunkPlace> = []
  for (const hunk of hunks) {
    const from = (places.at(-1)?.lines.end ?? -1) + 1
    const anchor = hunk.anchor === '' ? null : seek(text, [hunk.anchor], from)
    if (hunk.anchor !== '' && anchor === null) return null
    const wanted = hunk.lines.filter(({ sign }) => sign !== '+').map((line) => line.text)
    const atEnd = { start: text.length + 1, end: text.length }
    if (wanted.length > 0 && before === '') return null
    const lines = wanted.length === 0 ? atEnd : seek(text, wanted, anchor ? anchor.end + 1 : from)
    if (lines === null) return null
    places.push({ anchor, lines })
  }
  return places
}

/**
 * Applies a section of a patch as the host does: gives the file after it, with the context lines as the patch spells
 * them, and the ranges of its runs of added lines. Null where a hunk is not found in the file.
 */
export const applySection = (section: PatchSection, before: string | null): Applied | null => {
  if (section.kind === 'delete' || (section.kind === 'update' && before === null)) return null
  const old = section.kind === 'add' ? '' : before ?? ''
  const places = placeHunks(section, old)
  if (places === null) return null
  const lines = old === '' ? '' : `${withoutLastEnd(old)}\n`
  const ranges: Array<Range> = []
  let raw = ''
  let cursor = 0
  for (const [number, hunk] of section.hunks.entries()) {
    const place = places[number]!.lines
    raw += lines.slice(cursor, place.start)
    for (const run of runsOf(hunk).filter(([first]) => first!.sign !== '-')) {
      const text = textOf(run)
      if (run[0]!.sign === '+') ranges.push({ start: raw.length, end: raw.length + text.length })
      raw += `${text}\n`
    }
    cursor = place.end + 1
  }
  raw += lines.slice(cursor)
  // The host takes a blank last line for the last line end.
  if (raw === '\n' || raw.endsWith('\n\n')) raw = raw.slice(0, -1)
  return section.kind === 'add' ? { raw, ranges: [{ start: 0, end: raw.length }] } : { raw, ranges }
}

/**
 * Finds the runs of added lines of a section in the file after it; null where one of them stands there more than
 * once, or not at all.
 */
export const locateSection = (section: PatchSection, raw: string): Array<Range> | null => {
  const plain = `\n${raw}\n`
  const ranges = addedRuns(section).map((run) => {
    const wanted = `\n${textOf(run)}\n`
    const at = plain.indexOf(wanted)
    return at < 0 || plain.indexOf(wanted, at + 1) >= 0 ? null : { start: at, end: at + wanted.length - 2 }
  })
  return ranges.every((range) => range !== null) ? ranges : null
}

/** Widens a range to whole lines, the last line feed left out; null where other words share a line with it. */
export const wholeLines = (text: string, { start, end }: Range): Range | null => {
  const from = lineStart(text, start)
  const feed = text.indexOf('\n', end)
  const to = feed < 0 ? text.length : feed
  const foreign = text.slice(from, start) + text.slice(end, to)
  const isLastEnd = to === text.length && to > from && text.endsWith('\n')
  return foreign.trim() === '' ? { start: from, end: isLastEnd ? to - 1 : to } : null
}

/** Replaces runs of lines of a patch by other lines, which have their signs already. */
export const replaceRuns = (
  patchText: string,
  changes: Array<{ run: Array<{ at: number }>; lines: Array<string> }>,
): string => {
  const all: Array<string | null> = patchText.split('\n')
  for (const { run, lines } of changes) {
    for (const { at } of run) all[at] = null
    if (lines.length > 0) all[run[0]!.at] = lines.join('\n')
  }
  return all.filter((line) => line !== null).join('\n')
}

/** Replaces the added lines of sections by what stands in the file now. */
export const rewritePatch = (
  patchText: string,
  changes: Array<{ section: PatchSection; texts: Array<string> }>,
): string =>
  replaceRuns(
    patchText,
    changes.flatMap(({ section, texts }) =>
      addedRuns(section).map((run, index) => {
        const text = withLineFeeds(texts[index]!)
        // A new file ends with the line feed of its last line. A run of lines has none behind it: one that is there
        // stands for a blank line.
        const now = section.kind === 'add' ? text.replace(/\n$/, '') : text
        return { run, lines: now.split('\n').map((line) => `+${line.replace(/\r$/, '')}`) }
      })
    ),
  )
