import { PATCH_HEADER, PATCH_MOVE } from '../../host/file-tools.ts'
import type { Range } from '../realign/range.ts'
import type { Applied } from './edits.ts'

type PatchLine = { sign: ' ' | '+' | '-'; text: string; at: number }

/** A hunk: the line that `@@` names, if any, and the lines, each with its place in the patch. */
type Hunk = { anchor: string; lines: Array<PatchLine> }

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
        hunks: kind === 'add' ? [{ anchor: '', lines: [] }] : [],
      })
    } else if (!section) continue
    else if (PATCH_MOVE.test(line)) section.moveTo = PATCH_MOVE.exec(line)![1]!.trim()
    else if (line.startsWith('@@')) section.hunks.push({ anchor: line.slice(2).trim(), lines: [] })
    else if (/^[ +-]/.test(line)) {
      const sign = line[0] as PatchLine['sign']
      section.hunks.at(-1)?.lines.push({ sign, text: line.slice(1), at })
    }
  }
  return sections
}

const SAME: Array<(one: string, other: string) => boolean> = [
  (one, other) => one === other,
  (one, other) => one.trimEnd() === other.trimEnd(),
  (one, other) => one.trim() === other.trim(),
]

/** The first place from a line on where the wanted lines stand, exactly or else but for white space; or -1. */
const seek = (lines: Array<string>, wanted: Array<string>, from: number): number => {
  for (const same of SAME) {
    for (let at = from; at + wanted.length <= lines.length; at += 1) {
      if (wanted.every((line, index) => same(line, lines[at + index]!))) return at
    }
  }
  return -1
}

/** The runs of added lines of a section, in the order of the patch. */
const addedRuns = ({ hunks }: PatchSection): Array<Array<PatchLine>> => {
  const runs: Array<Array<PatchLine>> = []
  for (const { lines } of hunks) {
    for (const [index, line] of lines.entries()) {
      if (line.sign !== '+') continue
      if (lines[index - 1]?.sign === '+') runs.at(-1)!.push(line)
      else runs.push([line])
    }
  }
  return runs
}

const lineOffsets = (lines: Array<string>): Array<number> => {
  let offset = 0
  return lines.map((line) => {
    const start = offset
    offset += line.length + 1
    return start
  })
}

/** Puts a hunk's lines in the place of the old ones; context lines are then spelt as the patch has them. */
const placeHunk = (hunk: Hunk, out: Array<string>, runs: Array<[number, number]>): void => {
  for (const [index, { sign, text }] of hunk.lines.entries()) {
    if (sign === '-') continue
    if (sign === '+') {
      if (hunk.lines[index - 1]?.sign === '+') runs.at(-1)![1] += 1
      else runs.push([out.length, 1])
    }
    out.push(text)
  }
}

/**
 * A section of a patch as the host applies it: the file after it, and the ranges of its runs of added lines. Null
 * where its place in the file cannot be told.
 */
export const applySection = (section: PatchSection, before: string | null): Applied | null => {
  if (section.kind === 'delete' || (section.kind === 'update' && before === null)) return null
  const lines = section.kind === 'add' || before === null ? [] : before.split('\n')
  if (lines.at(-1) === '') lines.pop()
  const out: Array<string> = []
  const runs: Array<[number, number]> = []
  let cursor = 0
  for (const hunk of section.hunks) {
    let from = cursor
    if (hunk.anchor !== '') {
      const anchor = seek(lines, [hunk.anchor], from)
      if (anchor < 0) return null
      from = anchor + 1
    }
    const wanted = hunk.lines.filter(({ sign }) => sign !== '+').map(({ text }) => text)
    const at = wanted.length === 0 ? lines.length : seek(lines, wanted, from)
    if (at < 0) return null
    out.push(...lines.slice(cursor, at))
    placeHunk(hunk, out, runs)
    cursor = at + wanted.length
  }
  out.push(...lines.slice(cursor))
  const offsets = lineOffsets(out)
  const ranges = runs.map(([first, count]) => {
    const last = first + count - 1
    return { start: offsets[first]!, end: offsets[last]! + out[last]!.length }
  })
  // As the host has it: a last line that is blank is the last line end.
  const raw = (out.at(-1) === '' ? out : [...out, '']).join('\n')
  return section.kind === 'add' ? { raw, ranges: [{ start: 0, end: raw.length }] } : { raw, ranges }
}

/** The ranges of a section's added lines in a file by their words alone, where each run occurs once in whole lines. */
export const locateSection = (section: PatchSection, raw: string): Array<Range> | null => {
  const plain = `\n${raw}\n`
  const ranges = addedRuns(section).map((run) => {
    const wanted = `\n${run.map(({ text }) => text).join('\n')}\n`
    const at = plain.indexOf(wanted)
    return at < 0 || plain.indexOf(wanted, at + 1) >= 0 ? null : { start: at, end: at + wanted.length - 2 }
  })
  return ranges.every((range) => range !== null) ? ranges : null
}

/**
 * Widens a range to whole lines, without the last line end; null where a line has more on it than the range's own text
 * and white space.
 */
export const wholeLines = (text: string, { start, end }: Range): Range | null => {
  const from = text.lastIndexOf('\n', start - 1) + 1
  const feed = text.indexOf('\n', end)
  const to = feed < 0 ? text.length : feed
  const foreign = text.slice(from, start) + text.slice(end, to)
  const isLastEnd = to === text.length && to > from && text.endsWith('\n')
  return foreign.trim() === '' ? { start: from, end: isLastEnd ? to - 1 : to } : null
}

/** Gives each run of added lines of the sections the text that stands in the file now; the rest of the patch stays. */
export const rewritePatch = (
  patchText: string,
  changes: Array<{ section: PatchSection; texts: Array<string> }>,
): string => {
  const lines: Array<string | null> = patchText.split('\n')
  for (const { section, texts } of changes) {
    for (const [index, run] of addedRuns(section).entries()) {
      const text = texts[index]!.replaceAll('\r\n', '\n')
      // Of a new file the last line end is its last line's; of a run of lines, a blank line at its end.
      const now = (section.kind === 'add' ? text.replace(/\n$/, '') : text).split('\n')
      for (const { at } of run) lines[at] = null
      lines[run[0]!.at] = now.map((line) => `+${line}`).join('\n')
    }
  }
  return lines.filter((line) => line !== null).join('\n')
}
