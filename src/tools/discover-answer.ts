/** The words of discover-rules: sections as in sat-spec.md, then notes for what a section cannot say. */
import type { InstructionFile } from '../discover.ts'
import { type HiddenCharacter, hiddenCharacters, markHidden } from '../hidden-characters.ts'
import { BYTE_ORDER_MARK } from '../read-text.ts'
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

const bytesOf = (text: string): number => Buffer.byteLength(text)

const linesOf = (text: string): number => text.split('\n').length

const toBody = (content: string, hidden: Array<HiddenCharacter>): string => {
  if (content.trim() === '') return '(This file is empty.)'
  const marked = markHidden(content, hidden)
  return marked.startsWith(BYTE_ORDER_MARK) ? marked.slice(BYTE_ORDER_MARK.length) : marked
}

const toSection = (file: InstructionFile): Section => {
  const { path, content, error } = file
  const hidden = error === undefined ? hiddenCharacters(content) : []
  const body = error === undefined ? toBody(content, hidden) : `Error: could not read this file: ${error}`
  return { file, text: `## ${markHidden(path)}\n\n${body}`, hidden }
}

const SEPARATOR = '\n\n---\n\n'

// What the notes take is not known before; of a large answer they are a small part.
const SECTIONS_SHARE = 0.8

/** Those that fit, in their order; the first always does, or no call could ever show it. */
const takeFitting = (sections: Array<Section>, limit: AnswerLimit): Array<Section> => {
  const left = { bytes: limit.bytes * SECTIONS_SHARE, lines: limit.lines * SECTIONS_SHARE }
  return sections.filter(({ text }, index) => {
    const bytes = bytesOf(text) + SEPARATOR.length
    const lines = linesOf(text) + linesOf(SEPARATOR)
    if (index > 0 && (bytes > left.bytes || lines > left.lines)) return false
    left.bytes -= bytes
    left.lines -= lines
    return true
  })
}

const toSize = (bytes: number): string =>
  bytes < 1_000 ? `${bytes} bytes` : `${(bytes / 1_000).toFixed(1)} KB`

const MOST_LISTED = 100

const toList = (items: Array<string>): string => {
  const listed = items.slice(0, MOST_LISTED).map((item) => `- ${markHidden(item)}`)
  const more = items.length - listed.length
  return [...listed, ...(more > 0 ? [`- and ${more} more`] : [])].join('\n')
}

const toNote = (title: string, items: Array<string>): Array<string> =>
  items.length === 0 ? [] : [`${title}\n${toList(items)}`]

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

/** The answer's text, and the files that it shows. */
export const toAnswer = (
  discovery: Discovery,
  limit: AnswerLimit,
): { output: string; shown: Array<InstructionFile> } => {
  const sections = discovery.files.map(toSection)
  const shown = takeFitting(sections, limit)
  const isShown = new Set(shown)
  const rest = sections.filter((section) => !isShown.has(section))
  const notes = [
    ...toNote(
      `Not shown, for ${rest.length} more would be too much for one answer. Read them with "files", a few at a time:`,
      rest.map(({ file, text }) => `${file.path} (${toSize(bytesOf(file.content || text))})`),
    ),
    ...toNote('Warning: hidden characters, marked above as ⟦U+…⟧:', shown.flatMap(toHiddenItems)),
    ...toNotes(discovery),
  ]
  const text = shown.map((section) => section.text).join(SEPARATOR)
  return {
    output: notes.length === 0 ? text : [text, `# Notes\n\n${notes.join('\n\n')}`].join(SEPARATOR),
    shown: shown.map(({ file }) => file),
  }
}
