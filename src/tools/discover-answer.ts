/** The answer of discover-rules: a section for each file, then notes on what a section cannot say. */
import type { InstructionFile } from '../discover.ts'
import type { HostConfig } from '../host/config.ts'
import { type HiddenCharacter, hiddenCharacters, markHidden, markName } from '../text/hidden-characters.ts'
import { nameInWords } from '../text/quoted-name.ts'
import { withoutMark } from '../text/read.ts'
import { list, type TextNotes } from './notes.ts'

/** How much text an answer may have. */
type AnswerLimit = { bytes: number; lines: number }

// The host truncates an answer here by default (measured).
const HOST_LIMIT = { bytes: 51_200, lines: 2_000 }

const MOST_BYTES = 200_000

/** Gives how much of an answer reaches the model: as the host's config says, or its default; at most 200 KB. */
export const limitOf = (config: HostConfig | undefined): AnswerLimit => ({
  bytes: Math.min(config?.tool_output?.max_bytes ?? HOST_LIMIT.bytes, MOST_BYTES),
  lines: config?.tool_output?.max_lines ?? HOST_LIMIT.lines,
})

type Section = { file: InstructionFile; text: string; hidden: Array<HiddenCharacter>; isCut?: boolean }

/** What an answer shows: a file, or the beginning of one. */
export type Shown = Pick<Section, 'file' | 'isCut'>

const toBody = (content: string, hidden: Array<HiddenCharacter>): string =>
  content.trim() === '' ? '(This file is empty.)' : withoutMark(markHidden(content, hidden))

const toSection = (file: InstructionFile): Section => {
  const heading = `## ${markName(file.path)}`
  if (file.error !== undefined) {
    return { file, text: `${heading}\n\nError: could not read this file: ${file.error}`, hidden: [] }
  }
  const hidden = hiddenCharacters(file.content)
  return { file, text: `${heading}\n\n${toBody(file.content, hidden)}`, hidden }
}

// The share of the sections in an answer that cannot show everything; the rest is for the notes.
const SECTIONS_SHARE = 0.6

const shareOf = ({ bytes, lines }: AnswerLimit): AnswerLimit => ({
  bytes: bytes * SECTIONS_SHARE,
  lines: lines * SECTIONS_SHARE,
})

/** Cuts a section off after the last line that fits. */
const cut = (section: Section, limit: AnswerLimit): Section => {
  const lines = section.text.split('\n').slice(0, Math.floor(limit.lines))
  let bytes = 0
  const end = lines.findIndex((line) => (bytes += Buffer.byteLength(line) + 1) > limit.bytes)
  return { ...section, text: lines.slice(0, end === -1 ? lines.length : end).join('\n'), isCut: true }
}

const SEPARATOR = '\n\n---\n\n'

const sizeOf = (text: string): AnswerLimit => ({
  bytes: Buffer.byteLength(text),
  lines: text.split('\n').length,
})

/** Gives the indexes of the texts that fit into a limit together, from the first on; skips one that is too long. */
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

const toHiddenItems = ({ file, hidden }: Section): Array<string> => {
  const lines = new Map<number, Set<string>>()
  for (const { line, codePoint } of hidden) {
    const codePoints = lines.get(line) ?? new Set()
    lines.set(line, codePoints.add(codePoint))
  }
  return [...lines].map(([line, codePoints]) => `${file.path} line ${line}: ${[...codePoints].join(', ')}`)
}

const MOST_IN_LINE = 10

/** What discover-rules found. */
export type Discovery = {
  files: Array<InstructionFile>
  /** Paths among them that lie outside the project. */
  outside?: Array<string>
  /** Paths that the host looks at and loads nothing from, each with its reason. */
  nothing?: Array<string>
  remote?: Array<string>
  /** Instruction files that are there and that the host does not load, as they can be named in `files`. */
  unloaded?: Array<string>
  unmatched?: Array<{ entry: string; reason: string }>
  /** The names in the files that no longer exist. */
  text?: TextNotes
}

/** Makes the notes after the sections. */
export const toNotes = (
  { outside = [], nothing = [], remote = [], unloaded = [], unmatched = [], text }: Omit<Discovery, 'files'>,
): Array<string> => [
  ...toNote('Outside the project; the person is asked before they are written:', outside),
  ...toNote('OpenCode loads nothing from:', nothing),
  ...toNote('Remote, loaded by OpenCode from the network, not editable here:', remote),
  ...(unloaded.length === 0
    ? []
    : [
      `There, but not loaded by OpenCode; "files" shows them: ${
        list(unloaded.map(nameInWords), MOST_IN_LINE)
      }`,
    ]),
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

const cutNote = ({ file: { path, content }, text }: Section): string =>
  `${path}: its first ${text.split('\n').length - 2} of ${
    content.split('\n').length
  } lines are shown. It can be added to, not rewritten, unless "tool_output" in opencode.json allows longer answers.`

/**
 * Makes the text of an answer, and lists what it shows of the files: of a single file that is too long the beginning, of
 * several files those that fit. The others are named.
 */
export const toAnswer = (
  discovery: Discovery,
  limit: AnswerLimit,
): { output: string; shown: Array<Shown> } => {
  const notesOf = (sections: Array<Section>): Array<string> => [
    ...toNote('Warning: hidden characters, marked above as ⟦U+…⟧:', sections.flatMap(toHiddenItems)),
    ...toNotes(discovery),
  ]
  const sections = discovery.files.map(toSection)
  const whole = toText(sections, notesOf(sections))
  if (isWithin(whole, limit)) return { output: whole, shown: sections }
  const [only] = sections
  if (sections.length === 1 && only !== undefined) {
    // Long notes are left out: the host would truncate the text after them.
    const begun = cut(only, shareOf(limit))
    return { output: toText([begun], toNote('Too long for one answer:', [cutNote(begun)])), shown: [begun] }
  }
  const fitting = fittingOf(sections.map(({ text }) => text), shareOf(limit), SEPARATOR)
  const shown = sections.filter((_, index) => fitting.has(index))
  const rest = sections.filter((_, index) => !fitting.has(index))
    .map(({ file, text }) => `${file.path} (${toSize(Buffer.byteLength(file.content || text))})`)
  const title =
    `Not shown, for ${rest.length} more would be too much for one answer. Read them with "files", a few at a time:`
  const left = minus(limit, toText(shown, notesOf(shown)), title, SEPARATOR, '- and 10000 more')
  const listed = [...fittingOf(rest, left, '- \n')].map((index) => rest[index] ?? '')
  return { output: toText(shown, [...notesOf(shown), ...toNote(title, rest, listed)]), shown }
}
