/** The answer of discover-rules: a section for each file (sat-spec.md), then notes on what a section cannot say. */
import type { InstructionFile } from '../discover.ts'
import type { HostConfig } from '../host/config.ts'
import { type Part, splitIntoParts } from '../instructions/file-parts.ts'
import { type HiddenCharacter, hiddenCharacters, markHidden, markName } from '../text/hidden-characters.ts'
import { nameInWords } from '../text/quoted-name.ts'
import { withoutMark } from '../text/read.ts'
import { count } from './define-tool.ts'
import type { TextNotes } from './notes.ts'

/** How much text an answer may have. */
type AnswerLimit = { bytes: number; lines: number }

// The host cuts an answer off here where its config says nothing else (measured).
const HOST_LIMIT = { bytes: 51_200, lines: 2_000 }

const MOST_BYTES = 200_000

/** Gives how much of an answer the host hands on to the model: as its config says, or its own limit; at most 200 KB. */
export const limitOf = (config: HostConfig | undefined): AnswerLimit => ({
  bytes: Math.min(config?.tool_output?.max_bytes ?? HOST_LIMIT.bytes, MOST_BYTES),
  lines: config?.tool_output?.max_lines ?? HOST_LIMIT.lines,
})

/** A file, and the part of it that is meant where it is not the whole. */
type Meant = { file: InstructionFile; number?: number | undefined }

type Section = {
  file: InstructionFile
  text: string
  hidden: Array<HiddenCharacter>
  /** Which part of the file this is, where it is not the whole. */
  part?: Part | undefined
}

/** What an answer shows: a file, or a part of one. */
export type Shown = { file: InstructionFile; part?: Part | undefined }

const toBody = (content: string, hidden: Array<HiddenCharacter>): string => {
  if (content.trim() === '') return '(This file is empty.)'
  return withoutMark(markHidden(content, hidden))
}

// How much of an answer that cannot show everything is for the sections; the rest is for the notes.
const SECTIONS_SHARE = 0.6

const shareOf = ({ bytes, lines }: AnswerLimit, share: number): AnswerLimit => ({
  bytes: bytes * share,
  lines: lines * share,
})

const toSection = ({ file, number }: Meant, limit: AnswerLimit, known?: Array<HiddenCharacter>): Section => {
  const { path, content, error } = file
  const heading = `## ${markName(path)}`
  if (error !== undefined) {
    return { file, text: `${heading}\n\nError: could not read this file: ${error}`, hidden: [] }
  }
  const hidden = known ?? hiddenCharacters(content)
  const body = toBody(content, hidden)
  if (number === undefined) return { file, text: `${heading}\n\n${body}`, hidden }
  const parts = splitIntoParts(body, shareOf(limit, SECTIONS_SHARE))
  const part = { number, count: parts.length }
  const text = parts[number - 1]
  if (text === undefined) {
    // An error keeps the file from counting as shown.
    const noPart = `it has ${count(parts.length, 'part')}, so none is ${number}`
    return { file: { ...file, error: noPart }, text: `${heading}\n\nError: ${noPart}`, hidden: [] }
  }
  return { file, text: `${heading} (part ${number} of ${part.count})\n\n${text}`, hidden, part }
}

const SEPARATOR = '\n\n---\n\n'

const sizeOf = (text: string): AnswerLimit => ({
  bytes: Buffer.byteLength(text),
  lines: text.split('\n').length,
})

/** Gives the indexes of the texts that fit into a limit together, the first ones first; a longer one is passed over. */
const fittingOf = (texts: Array<string>, limit: AnswerLimit, separator: string): Set<number> => {
  const gap = sizeOf(separator)
  const left = { ...limit }
  const fitting = new Set<number>()
  for (const [index, text] of texts.entries()) {
    const { bytes, lines } = sizeOf(text)
    if (bytes + gap.bytes > left.bytes || lines + gap.lines > left.lines) continue
    left.bytes -= bytes + gap.bytes
    left.lines -= lines + gap.lines
    fitting.add(index)
  }
  return fitting
}

const toSize = (bytes: number): string =>
  bytes < 1_000 ? `${bytes} bytes` : `${(bytes / 1_000).toFixed(1)} KB`

const MOST_LISTED = 50

const toNote = (title: string, items: Array<string>, listed = items.slice(0, MOST_LISTED)): Array<string> => {
  const more = items.length - listed.length
  const lines = [
    ...listed.map((item) => `- ${markName(item)}`),
    ...(more > 0 ? [`- and ${more} more`] : []),
  ]
  return items.length === 0 ? [] : [[title, ...lines].join('\n')]
}

const MOST_IN_LINE = 10

const list = (paths: Array<string>): string => {
  const more = paths.length - MOST_IN_LINE
  return paths.slice(0, MOST_IN_LINE).map(nameInWords).join(', ') + (more > 0 ? `, and ${more} more` : '')
}

const toHiddenItems = ({ file, hidden }: Section): Array<string> => {
  const lines = new Map<number, Set<string>>()
  for (const { line, codePoint } of hidden) {
    const codePoints = lines.get(line) ?? new Set()
    lines.set(line, codePoints.add(codePoint))
  }
  return [...lines].map(([line, codePoints]) => `${file.path} line ${line}: ${[...codePoints].join(', ')}`)
}

/** What discover-rules found. */
export type Discovery = {
  files: Array<InstructionFile>
  /** The part that was asked for, of files of which one was. */
  parts?: Map<InstructionFile, number>
  /** Paths among them that lie outside the project. */
  outside?: Array<string>
  /** Paths that the host looks at and loads nothing from, each with its reason. */
  nothing?: Array<string>
  remote?: Array<string>
  /** Instruction files that are there and that the host does not load, as they can be named in `files`. */
  unloaded?: Array<string>
  unmatched?: Array<{ entry: string; reason: string }>
  /** What the texts of the files name that is not there any more. */
  text?: TextNotes
}

/** Makes the notes that stand after the sections, or alone where there is no file. */
export const toNotes = (
  { outside = [], nothing = [], remote = [], unloaded = [], unmatched = [], text }: Omit<
    Discovery,
    'files' | 'parts'
  >,
): Array<string> => [
  ...toNote('Outside the project; the person is asked before they are written:', outside),
  ...toNote('OpenCode loads nothing from:', nothing),
  ...toNote('Remote, loaded by OpenCode from the network, not editable here:', remote),
  ...(unloaded.length === 0
    ? []
    : [`There, but not loaded by OpenCode; "files" shows them: ${list(unloaded)}`]),
  ...toNote(
    'Entries of "instructions" that match nothing:',
    unmatched.map(({ entry, reason }) => `${entry || '""'}: ${reason}`),
  ),
  ...toNote(
    'Named there, but not found. An example or a plan is fine; tell the person what is stale:',
    text?.stale ?? [],
  ),
]

const toText = (sections: Array<Section>, notes: Array<string>): string =>
  [...sections.map(({ text }) => text), ...(notes.length === 0 ? [] : [`# Notes\n\n${notes.join('\n\n')}`])]
    .join(SEPARATOR)

const minus = (limit: AnswerLimit, ...texts: Array<string>): AnswerLimit => {
  const sizes = texts.map(sizeOf)
  return {
    bytes: sizes.reduce((left, { bytes }) => left - bytes, limit.bytes),
    lines: sizes.reduce((left, { lines }) => left - lines, limit.lines),
  }
}

const isWithin = (text: string, limit: AnswerLimit): boolean => {
  const { bytes, lines } = minus(limit, text)
  return bytes >= 0 && lines >= 0
}

const isPartial = ({ part }: Section): boolean => part !== undefined && part.count > 1

const partNote = ({ file: { path }, part }: Section): string =>
  `${path}: this is part ${part?.number} of ${part?.count}. Call discover-rules with "files": "${path}#${
    part?.number === 1 ? 2 : 1
  }" and so on, one part a call, to see them all. Until then it can be added to, not rewritten.`

/**
 * Makes the text of an answer, and lists what it shows of the files. Of a single file that is too long it shows the
 * first part; of several files those that fit, and names the others.
 */
export const toAnswer = (
  discovery: Discovery,
  limit: AnswerLimit,
): { output: string; shown: Array<Shown> } => {
  const { files, parts = new Map<InstructionFile, number>() } = discovery
  const notesOf = (sections: Array<Section>): Array<string> => [
    ...toNote('Warning: hidden characters, marked above as ⟦U+…⟧:', sections.flatMap(toHiddenItems)),
    ...toNotes(discovery),
    ...toNote('Shown in parts:', sections.filter(isPartial).map(partNote)),
  ]
  const answerOf = (sections: Array<Section>) => ({
    output: toText(sections, notesOf(sections)),
    shown: sections,
  })
  const sections = files.map((file) => toSection({ file, number: parts.get(file) }, limit))
  const whole = answerOf(sections)
  if (isWithin(whole.output, limit)) return whole
  const [file] = files
  if (files.length === 1 && file !== undefined) {
    const section = toSection({ file, number: parts.get(file) ?? 1 }, limit, sections[0]?.hidden)
    const first = answerOf([section])
    // The host would cut the text off behind long notes, so those are left out.
    const only = toNote('Shown in parts:', [section].filter(isPartial).map(partNote))
    return isWithin(first.output, limit) ? first : { output: toText([section], only), shown: [section] }
  }

  const fitting = fittingOf(sections.map(({ text }) => text), shareOf(limit, SECTIONS_SHARE), SEPARATOR)
  const shown = sections.filter((_, index) => fitting.has(index))
  const rest = sections.filter((_, index) => !fitting.has(index))
    .map(({ file, text }) => `${file.path} (${toSize(Buffer.byteLength(file.content || text))})`)
  const title =
    `Not shown, for ${rest.length} more would be too much for one answer. Read them with "files", a few at a time:`
  const left = minus(limit, toText(shown, notesOf(shown)), title, SEPARATOR, '- and 10000 more')
  const listed = [...fittingOf(rest, left, '- \n')].map((index) => rest[index] ?? '')
  return { output: toText(shown, [...notesOf(shown), ...toNote(title, rest, listed)]), shown }
}
