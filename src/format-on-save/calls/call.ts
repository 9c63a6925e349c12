import { resolve } from 'node:path'
import type { Range } from '../../text/changed-stretch.ts'
import { crlfToLf } from '../../text/line-ending.ts'
import { BYTE_ORDER_MARK } from '../../text/read.ts'
import {
  applySection,
  locateSection,
  parsePatch,
  type PatchSection,
  rewritePatch,
  wholeLines,
} from './apply-patch.ts'
import { type Applied, applyEdit, applyWrite, locateEdit, withLineEnds } from './edits.ts'

/** One file that a call changes. */
export type ChangedFile = {
  /** Where the file is after the call, absolute. */
  path: string
  /** Where it was before the call; another place where the call moves it. */
  from: string
  /** Applies the call to the file's text before it, as the host does; null where that cannot be told. */
  simulate(before: string | null): Applied | null
  /** Where the call's text stands in the file as it is after the call; null where that cannot be told. */
  locate(before: string | null, raw: string): Array<Range> | null
  /**
   * Gives the texts of the call's ranges in the form that its arguments can have; null where they cannot say them.
   */
  toExpressible(text: string, ranges: Array<Range>): Array<string> | null
  /** The text that the call replaces, as the model sent it; null for a call that replaces no single text. */
  replaces: string | null
  /**
   * Applies the call, with other texts for its own, to a text; null where it does not apply. It is how a reader of
   * the history takes it.
   */
  reapply(text: string, texts: Array<string>): string | null
}

/** A call as the session's history has it now. */
export type PastCall = { callID: string; tool: string; input: Record<string, unknown> }

/** An argument of a call, with its corrected value. */
export type Corrected = { argument: string; value: string }

/** A call of one of the host's tools that change files. */
export type Call = {
  files: Array<ChangedFile>
  /**
   * Gives the argument that says what the files now say, from the formatted texts of each file's ranges; null where
   * it says it already.
   */
  correct(texts: Map<string, Array<string>>): Corrected | null
}

const isSameBarLineEnds = (one: string, other: string): boolean => crlfToLf(one) === crlfToLf(other)

const slices = (text: string, ranges: Array<Range>): Array<string> =>
  ranges.map(({ start, end }) => text.slice(start, end))

const writeCall = (path: string, content: string): Call => {
  const mark = content.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : ''
  return {
    files: [{
      path,
      from: path,
      simulate: () => applyWrite(content.slice(mark.length)),
      locate: () => null,
      toExpressible: slices,
      replaces: null,
      reapply: (_, [text]) => text ?? null,
    }],
    correct: (texts) => {
      const text = texts.get(path)?.[0]
      return text === undefined ? null : { argument: 'content', value: mark + text }
    },
  }
}

type Edit = { oldString: string; newString: string; replaceAll: boolean }

/** Text that stands before and behind both texts of an edit, so that its place is the only one. */
export type Around = { before: string; behind: string }

/** Narrows the ranges of an edit to its own texts. */
const withoutAround = (applied: Applied | null, around: Around | null, file: string): Applied | null => {
  if (!applied || !around) return applied
  const [before, behind] = [around.before, around.behind].map((text) => withLineEnds(text, file).length)
  const narrow = (ranges: Array<Range>) =>
    ranges.map(({ start, end }) => ({ start: start + before!, end: end - behind! }))
  return { ...applied, ranges: narrow(applied.ranges), replaced: narrow(applied.replaced ?? []) }
}

/**
 * @param sentOldString the old text that the model sent, where the call is run with another
 * @param around what the call is run with around its own texts
 */
const editCall = (path: string, edit: Edit, sentOldString: string, around: Around | null): Call => ({
  files: [{
    path,
    from: path,
    simulate: (before) => withoutAround(applyEdit(before, edit), around, before ?? ''),
    locate: (before, raw) => {
      if (before === null || edit.replaceAll || around) return null
      const found = locateEdit(before, raw, edit.newString)
      return found && [found]
    },
    toExpressible: (text, ranges) => {
      const [value, ...others] = slices(text, ranges)
      if (value === undefined || others.some((other) => other !== value)) return null
      // Where the formatter took the edit back, `oldString` and `newString` would be the same.
      return isSameBarLineEnds(value, sentOldString) ? null : [value, ...others]
    },
    replaces: sentOldString,
    reapply: (text, [newString]) =>
      newString === undefined
        ? null
        : applyEdit(text, { ...edit, oldString: sentOldString, newString })?.raw ?? null,
  }],
  correct: (texts) => {
    const value = texts.get(path)?.[0]
    return value === undefined ? null : { argument: 'newString', value }
  },
})

const pathAfter = (directory: string, { path, moveTo }: PatchSection): string =>
  resolve(directory, moveTo ?? path)

const patchedFile = (directory: string, section: PatchSection): ChangedFile => ({
  path: pathAfter(directory, section),
  from: resolve(directory, section.path),
  simulate: (before) => applySection(section, before),
  locate: (_, raw) => locateSection(section, raw),
  toExpressible: (text, ranges) => {
    if (section.kind === 'add') return slices(text, ranges)
    const lines = ranges.map((range) => wholeLines(text, range))
    return lines.every((range) => range !== null) ? slices(text, lines) : null
  },
  replaces: null,
  reapply: () => null,
})

const patchCall = (directory: string, patchText: string): Call => {
  const sections = parsePatch(patchText).filter(({ kind }) => kind !== 'delete')
  const files = new Map<string, ChangedFile>()
  for (const section of sections) {
    const file = patchedFile(directory, section)
    // Of two sections on one file, each would have to be found in the text that the other makes.
    const isShared = files.has(file.path)
    files.set(file.path, isShared ? { ...file, simulate: () => null, locate: () => null } : file)
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

/**
 * Reads a call by its tool and arguments; null where it changes no file that SAT knows of.
 *
 * @param sentOldString the `oldString` of an edit as the model sent it, where the arguments have another
 * @param around what the arguments of an edit have around both its texts, beyond what the model sent
 */
export const readCall = (
  tool: string,
  args: Record<string, unknown>,
  directory: string,
  sentOldString?: string,
  around: Around | null = null,
): Call | null => {
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
  const edit = { oldString, newString, replaceAll: args['replaceAll'] === true }
  return editCall(path, edit, sentOldString ?? oldString, around)
}
