/** The words of discover-rules: sections as in sat-spec.md, then notes for what a section cannot say. */
import type { InstructionFile } from '../discover.ts'
import { type HiddenCharacter, hiddenCharacters, markHidden } from '../hidden-characters.ts'
import { withoutMark } from '../read-text.ts'
import type { HostConfig } from './host-config.ts'

/** How much text an answer may have: what the host hands on to the model, 200 KB at most. */
export type AnswerLimit = { bytes: number; lines: number }

// The host cuts off what is beyond this, where its config says nothing else (measured).
const HOST_LIMIT = { bytes: 51_200, lines: 2_000 }

const MOST_BYTES = 200_000

export const limitOf = (config: HostConfig | undefined): AnswerLimit => ({
  bytes: Math.min(config?.tool_output?.max_bytes ?? HOST_LIMIT.bytes, MOST_BYTES),
  lines: config?.tool_output?.max_lines ?? HOST_LIMIT.lines,
})

type Section = { file: InstructionFile; text: string; hidden: Array<HiddenCharacter> }

const toBody = (content: string, hidden: Array<HiddenCharacter>): string => {
  if (content.trim() === '') return '(This file is empty.)'
  return withoutMark(markHidden(content, hidden))
}

const toSection = (file: InstructionFile): Section => {
  const { path, content, error } = file
  const hidden = error === undefined ? hiddenCharacters(content) : []
  const body = error === undefined ? toBody(content, hidden) : `Error: could not read this file: ${error}`
  return { file, text: `## ${markHidden(path)}\n\n${body}`, hidden }
}

const SEPARATOR = '\n\n---\n\n'

const sizeOf = (text: string): AnswerLimit => ({
  bytes: Buffer.byteLength(text),
  lines: text.split('\n').length,
})

/** The first texts that fit into a limit together; one that does not is passed over for those after it. */
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
    ...listed.map((item) => `- ${markHidden(item)}`),
    ...(more > 0 ? [`- and ${more} more`] : []),
  ]
  return items.length === 0 ? [] : [[title, ...lines].join('\n')]
}

const toHiddenItems = ({ file, hidden }: Section): Array<string> => {
  const lines = new Map<number, Array<string>>()
  for (const { line, codePoint } of hidden) lines.set(line, [...(lines.get(line) ?? []), codePoint])
  return [...lines].map(([line, codePoints]) =>
    `${file.path} line ${line}: ${[...new Set(codePoints)].join(', ')}`
  )
}

export type Discovery = {
  files: Array<InstructionFile>
  /** Paths among them that lie outside the project. */
  outside?: Array<string>
  /** Paths that the host looks at and loads nothing from, each with its reason. */
  nothing?: Array<string>
  remote?: Array<string>
  unmatched?: Array<{ entry: string; reason: string }>
}

/** The notes that stand after the sections, or alone where there is no file. */
export const toNotes = (
  { outside = [], nothing = [], remote = [], unmatched = [] }: Omit<Discovery, 'files'>,
): Array<string> => [
  ...toNote('Outside the project; the person is asked before they are written:', outside),
  ...toNote('OpenCode loads nothing from:', nothing),
  ...toNote('Remote, loaded by OpenCode from the network, not editable here:', remote),
  ...toNote(
    'Entries of "instructions" that match nothing:',
    unmatched.map(({ entry, reason }) => `${entry || '""'}: ${reason}`),
  ),
]

// Of an answer that cannot show everything; the rest is for the notes.
const SECTIONS_SHARE = 0.6

const toText = (sections: Array<Section>, notes: Array<string>): string =>
  [...sections.map(({ text }) => text), ...(notes.length === 0 ? [] : [`# Notes\n\n${notes.join('\n\n')}`])]
    .join(SEPARATOR)

const shareOf = ({ bytes, lines }: AnswerLimit, share: number): AnswerLimit => ({
  bytes: bytes * share,
  lines: lines * share,
})

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

/** The answer's text, and the files that it shows; a file alone is shown whatever its size. */
export const toAnswer = (
  discovery: Discovery,
  limit: AnswerLimit,
): { output: string; shown: Array<InstructionFile> } => {
  const notesOf = (sections: Array<Section>): Array<string> => [
    ...toNote('Warning: hidden characters, marked above as ⟦U+…⟧:', sections.flatMap(toHiddenItems)),
    ...toNotes(discovery),
  ]
  const sections = discovery.files.map(toSection)
  const whole = toText(sections, notesOf(sections))
  if (sections.length === 1 || isWithin(whole, limit)) return { output: whole, shown: discovery.files }

  const fitting = fittingOf(sections.map(({ text }) => text), shareOf(limit, SECTIONS_SHARE), SEPARATOR)
  const shown = sections.filter((_, index) => fitting.has(index))
  const rest = sections.filter((_, index) => !fitting.has(index))
    .map(({ file, text }) => `${file.path} (${toSize(Buffer.byteLength(file.content || text))})`)
  const title =
    `Not shown, for ${rest.length} more would be too much for one answer. Read them with "files", a few at a time:`
  const left = minus(limit, toText(shown, notesOf(shown)), title, SEPARATOR, '- and 10000 more')
  const listed = [...fittingOf(rest, left, '- \n')].map((index) => rest[index] ?? '')
  return {
    output: toText(shown, [...notesOf(shown), ...toNote(title, rest, listed)]),
    shown: shown.map(({ file }) => file),
  }
}
