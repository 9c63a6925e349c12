/** The answer of discover-rules: a section for each file, then notes on what a section cannot say. */
import type { InstructionFile } from '../discover.ts'
import type { HostConfig } from '../host/config.ts'
import { hiddenCharacters, markHidden, markName } from '../text/hidden-characters.ts'
import { withoutBom } from '../text/read.ts'
import { nameLines, toNote } from './notes.ts'

/** How much text an answer may have. */
export type AnswerLimit = { bytes: number; lines: number }

/** How much text any answer may have, and how many characters are searched for one. */
export const MOST_BYTES = 200_000

/** Gives how much of an answer reaches the model: as the host's config says, or its default; at most 200 KB. */
export const limitOf = (config: HostConfig | undefined): AnswerLimit => {
  // The host truncates an answer here by default (measured).
  const { max_bytes = 51_200, max_lines = 2_000 } = config?.tool_output ?? {}
  return { bytes: Math.min(max_bytes, MOST_BYTES), lines: max_lines }
}

const linesIn = (text: string): number => text.split('\n').length

const isWithin = (text: string, { bytes, lines }: AnswerLimit): boolean =>
  Buffer.byteLength(text) <= bytes && linesIn(text) <= lines

// The share of the sections in an answer that cannot show everything; the rest is for the notes.
const SECTIONS_SHARE = 0.6

/** What an answer shows: a file, or the beginning of one; `hidden` names its lines with hidden characters. */
export type Section = { file: InstructionFile; text: string; hidden: Array<string>; isCut?: boolean }

const toSection = (file: InstructionFile): Section => {
  const { path, content, error } = file
  // No answer shows more.
  const text = content.slice(0, MOST_BYTES)
  const found = hiddenCharacters(text)
  const body = content.trim() === '' ? '(This file is empty.)' : withoutBom(markHidden(text, found))
  const shown = error === undefined ? body : `Error: could not read this file: ${error}`
  const lines = [...new Set(found.map(({ line }) => line))]
  const hidden = lines.length === 0 ? [] : [`${path}: ${nameLines(lines)}`]
  return { file, text: `## ${markName(path)}\n\n${shown}`, hidden }
}

/** Cuts a section off after the last line that fits. */
const cut = (section: Section, limit: AnswerLimit): Section => {
  const begun = Buffer.from(section.text).subarray(0, limit.bytes).toString().split('\n').slice(0, -1)
  return { ...section, text: begun.slice(0, limit.lines).join('\n'), isCut: true }
}

const cutNote = ({ file: { path, content }, text }: Section): string =>
  `${path}: its first ${linesIn(text) - 2} of ${
    linesIn(content.replace(/\n$/, ''))
  } lines are shown. It can be added to, not rewritten, unless "tool_output" in opencode.json allows longer answers.`

const toText = (sections: Array<Section>, notes: Array<string>): string =>
  [...sections.map(({ text }) => text), ...(notes.length === 0 ? [] : [`# Notes\n\n${notes.join('\n\n')}`])]
    .join('\n\n---\n\n')

// The model asks for these files by their names.
const MOST_UNSHOWN = 50

/**
 * Makes the text of an answer, and lists what it shows of the files: those that fit, or where none does the beginning of
 * the first. The others are named.
 *
 * @param facts notes on what was found
 */
export const toAnswer = (
  files: Array<InstructionFile>,
  facts: Array<string>,
  limit: AnswerLimit,
): { output: string; shown: Array<Section> } => {
  const sections = files.filter(({ size }) => size === undefined).map(toSection)
  const outputOf = (shown: Array<Section>): string => {
    const rest = files.filter((one) => shown.every(({ file }) => file !== one)).map((one) =>
      `${one.path} (${Math.ceil((one.size ?? Buffer.byteLength(one.content)) / 1_000)} KB)`
    )
    return toText(shown, [
      ...toNote('Too long for one answer:', shown.filter(({ isCut }) => isCut).map(cutNote)),
      ...toNote('Warning: hidden characters, marked above as ⟦U+…⟧:', shown.flatMap(({ hidden }) => hidden)),
      ...facts,
      ...toNote(
        `Not shown, for ${rest.length} more would be too much for one answer. Read them with "files", a few at a time:`,
        rest,
        MOST_UNSHOWN,
      ),
    ])
  }
  const whole = outputOf(sections)
  if (sections.length === files.length && isWithin(whole, limit)) return { output: whole, shown: sections }
  const share = { bytes: limit.bytes * SECTIONS_SHARE, lines: limit.lines * SECTIONS_SHARE }
  const shown: Array<Section> = []
  for (const section of sections) if (isWithin(toText([...shown, section], []), share)) shown.push(section)
  if (shown.length === 0) {
    const alone = sections.find((section) => isWithin(outputOf([section]), limit))
    shown.push(alone ?? cut(sections[0]!, share))
  }
  return { output: outputOf(shown), shown }
}
