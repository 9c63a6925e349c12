import { resolve } from 'node:path'
import { BYTE_ORDER_MARK } from '../read-text.ts'
import {
  applySection,
  locateSection,
  parsePatch,
  type PatchSection,
  rewritePatch,
  wholeLines,
} from './apply-patch.ts'
import { type Applied, applyEdit, applyWrite, locateEdit } from './edits.ts'
import type { Range } from './range.ts'

/** One file that a call changes. */
export type ChangedFile = {
  /** Where the file is after the call, absolute. */
  path: string
  /** Where it was before the call; another place where the call moves it. */
  from: string
  /** What the call makes of the file, foretold from its text before the call; null where that cannot be told. */
  foretell(before: string | null): Applied | null
  /** Where the call's text stands in the file as it is after the call; null where that cannot be told. */
  locate(before: string | null, raw: string): Array<Range> | null
  /** The range of the formatted text that the call can say, from the counterpart of its own. */
  sayable(text: string, range: Range): Range | null
}

/** An argument of a call with the words that hold now. */
export type Corrected = { argument: string; value: string }

/** A call of one of the host's tools that change files. */
export type Call = {
  files: Array<ChangedFile>
  /** The argument that says what the files now say, from the formatted texts of each file's ranges. */
  correct(texts: Map<string, Array<string>>): Corrected | null
}

const hasSameLines = (one: string, other: string): boolean =>
  one.replaceAll('\r\n', '\n') === other.replaceAll('\r\n', '\n')

const asIs = (_text: string, range: Range): Range => range

const writeCall = (path: string, content: string): Call => {
  const mark = content.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : ''
  return {
    files: [{
      path,
      from: path,
      foretell: () => applyWrite(content.slice(mark.length)),
      locate: () => null,
      sayable: asIs,
    }],
    correct: (texts) => {
      const text = texts.get(path)?.[0]
      return text === undefined ? null : { argument: 'content', value: mark + text }
    },
  }
}

const editCall = (
  path: string,
  edit: { oldString: string; newString: string; replaceAll: boolean },
): Call => ({
  files: [{
    path,
    from: path,
    foretell: (before) => applyEdit(before, edit),
    locate: (before, raw) => {
      const found = before === null || edit.replaceAll ? null : locateEdit(before, raw, edit.newString)
      return found && [found]
    },
    sayable: asIs,
  }],
  correct: (texts) => {
    const [value, ...others] = texts.get(path) ?? []
    if (value === undefined || others.some((other) => other !== value)) return null
    // Where the formatter took the edit back, the pair would no longer read as one.
    return hasSameLines(value, edit.oldString) ? null : { argument: 'newString', value }
  },
})

const pathAfter = (directory: string, { path, moveTo }: PatchSection): string =>
  resolve(directory, moveTo ?? path)

const patchedFile = (directory: string, section: PatchSection): ChangedFile => ({
  path: pathAfter(directory, section),
  from: resolve(directory, section.path),
  foretell: (before) => applySection(section, before),
  locate: (_, raw) => locateSection(section, raw),
  sayable: section.kind === 'add' ? asIs : wholeLines,
})

const patchCall = (directory: string, patchText: string): Call => {
  const sections = parsePatch(patchText).filter(({ kind }) => kind !== 'delete')
  const files = new Map<string, ChangedFile>()
  for (const section of sections) {
    const file = patchedFile(directory, section)
    // Two sections of one file would each need the other's text.
    const isShared = files.has(file.path)
    files.set(file.path, isShared ? { ...file, foretell: () => null, locate: () => null } : file)
  }
  return {
    files: [...files.values()],
    correct: (texts) => {
      const changes = sections.flatMap((section) => {
        const now = texts.get(pathAfter(directory, section))
        return now ? [{ section, texts: now }] : []
      })
      return changes.length === 0 ? null : { argument: 'patchText', value: rewritePatch(patchText, changes) }
    },
  }
}

/** Reads a call by its tool and arguments, as the model sent them; null where it changes no file that SAT knows of. */
export const readCall = (tool: string, args: Record<string, unknown>, directory: string): Call | null => {
  const text = (name: string): string | null => typeof args[name] === 'string' ? args[name] : null
  if (tool === 'apply_patch') {
    const patchText = text('patchText')
    return patchText === null ? null : patchCall(directory, patchText)
  }
  const filePath = text('filePath')
  if (filePath === null) return null
  const path = resolve(directory, filePath)
  if (tool === 'write') {
    const content = text('content')
    return content === null ? null : writeCall(path, content)
  }
  if (tool !== 'edit') return null
  const oldString = text('oldString')
  const newString = text('newString')
  if (oldString === null || newString === null) return null
  return editCall(path, { oldString, newString, replaceAll: args['replaceAll'] === true })
}
