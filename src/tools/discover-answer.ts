/** Formats the answer of discover-rules: a section for each file, then notes. */
import type { InstructionFile } from '../discover.ts'
import type { HostConfig } from '../host/config.ts'
import { hiddenCharacters, markHidden, markName } from '../text/hidden-characters.ts'
import { withoutBom } from '../text/read.ts'
import { joinFirst, toNote } from './notes.ts'

type AnswerLimit = { bytes: number; lines: number }

/** Limits an answer, whatever the config allows. */
export const MAX_ANSWER_BYTES = 200_000

export const answerLimit = (config: HostConfig | undefined): AnswerLimit => {
  // The host's defaults.
  const { max_bytes = 51_200, max_lines = 2_000 } = config?.tool_output ?? {}
  return { bytes: Math.min(max_bytes, MAX_ANSWER_BYTES), lines: max_lines }
}

const countLines = (text: string): number => text.split('\n').length

const isWithin = (text: string, { bytes, lines }: AnswerLimit): boolean =>
  Buffer.byteLength(text) <= bytes && countLines(text) <= lines

// If an answer cannot show every file, the files get this share of its limit, and notes get the rest.
const SECTIONS_SHARE = 0.6

type Section = { file: InstructionFile; text: string; notes: Array<string>; isCut?: boolean }

const toSection = (file: InstructionFile): Section => {
  const { path, content, error } = file
  const text = content.slice(0, MAX_ANSWER_BYTES)
  const characters = hiddenCharacters(text)
  const marked = content.trim() === '' ? '(This file is empty.)' : withoutBom(markHidden(text, characters))
  const body = error === undefined ? marked : `Error: could not read this file: ${error}`
  const lines = [...new Set(characters.map(({ line }) => String(line)))]
  const note = `${path}: ${lines.length === 1 ? 'line' : 'lines'} ${joinFirst(lines)}`
  return { file, text: `## ${markName(path)}\n\n${body}`, notes: lines.length === 0 ? [] : [note] }
}

const truncateSection = (section: Section, limit: AnswerLimit): Section => {
  const lines = Buffer.from(section.text).subarray(0, limit.bytes).toString().split('\n').slice(0, -1)
  return { ...section, text: lines.slice(0, limit.lines).join('\n'), isCut: true }
}

const truncationNote = ({ file: { path, content }, text }: Section): string => {
  // A section begins with a heading and a blank line.
  const linesShown = countLines(text) - 2
  const allLines = countLines(content.replace(/\n$/, ''))
  const shownPart = linesShown === 0
    ? 'its first line is too long to be shown'
    : `its first ${linesShown} of ${allLines} lines are shown`
  return `${path}: ${shownPart}. You can add to it, but rewrite it only if "tool_output" in opencode.json allows longer answers.`
}

const joinSections = (sections: Array<Section>, notes: Array<string> = []): string =>
  [...sections.map(({ text }) => text), ...(notes.length === 0 ? [] : [`# Notes\n\n${notes.join('\n\n')}`])]
    .join('\n\n---\n\n')

const nameWithSize = ({ path, content, size = Buffer.byteLength(content) }: InstructionFile): string =>
  `${path} (${Math.ceil(size / 1_000)} KB)`

const MAX_NAMED_UNSHOWN = 50

/** Shows the files that fit. If no file fits, shows the beginning of the first file whose content was read. */
export const formatAnswer = (
  files: Array<InstructionFile>,
  fileNotes: Array<string>,
  limit: AnswerLimit,
): { output: string; shown: Array<Section> } => {
  const outputOf = (shown: Array<Section>): string => {
    const unshown = files.filter((file) => shown.every((section) => section.file !== file)).map(nameWithSize)
    return joinSections(shown, [
      ...toNote('Too long for one answer:', shown.filter(({ isCut }) => isCut).map(truncationNote)),
      ...toNote('Warning: hidden characters, marked above as ⟦U+…⟧:', shown.flatMap(({ notes }) => notes)),
      ...fileNotes,
      ...toNote(
        `Not shown, because ${unshown.length} more would be too much for one answer. Read them with "files", a few at a time:`,
        unshown,
        MAX_NAMED_UNSHOWN,
      ),
    ])
  }
  // A file that was too long to be read has a `size`. At least one of `files` has no `size`.
  const sections = files.filter(({ size }) => size === undefined).map(toSection)
  const complete = outputOf(sections)
  if (sections.length === files.length && isWithin(complete, limit)) {
    return { output: complete, shown: sections }
  }
  const share = { bytes: limit.bytes * SECTIONS_SHARE, lines: limit.lines * SECTIONS_SHARE }
  const shown: Array<Section> = []
  for (const section of sections) if (isWithin(joinSections([...shown, section]), share)) shown.push(section)
  if (shown.length === 0) {
    const fitting = sections.find((section) => isWithin(outputOf([section]), limit))
    shown.push(fitting ?? truncateSection(sections[0]!, share))
  }
  return { output: outputOf(shown), shown }
}
