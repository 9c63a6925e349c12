/** Adds rules to an instruction file, without changing its existing text. */
import type { Addition } from './in-place/index.ts'
import { breaksBetweenRules, joinRules } from './rewrite.ts'
import type { Mode } from './rule-schema.ts'
import { fail, ok, type Result } from './safe.ts'
import { lineEndingOf, lineNumbers, withLineEnding, withLineFeeds } from './text/line-ending.ts'
import type { Unwritten, WriteContext, Written } from './writing/write.ts'
import { changeText, unguardedWriteContext, writeFile } from './writing/write.ts'

type AppendRulesOptions = {
  filePath: string
  rules: Array<string>
  mode?: Mode | undefined
  /** Words of the heading, item or paragraph below which the rules go. */
  after?: string | undefined
  writeContext?: WriteContext
}

/** The first line of an added rule, and its line number in the new text. */
export type AddedLine = { line: number; text: string }

/** `present` lists the rules that the file already has. */
type Added = { lines: Array<AddedLine>; present: Array<string> }

type AppendResult = Written & { rulesCount: number } & Added | Unwritten

/** Returns the line breaks to append so that a text ends with a blank line. */
export const computeSeparator = (existing: string): string => {
  if (existing === '' || existing.endsWith('\n\n')) return ''
  return existing.endsWith('\n') ? '\n' : '\n\n'
}

const additionToBlank = (text: string, rules: Array<string>, mode?: Mode): Addition => {
  const separator = computeSeparator(text)
  const ruleOffsets: Array<number> = []
  let start = separator.length
  for (const rule of rules) {
    ruleOffsets.push(start)
    const withoutFinalBreak = joinRules([rule], mode).slice(0, -1)
    start += withoutFinalBreak.length + breaksBetweenRules(mode).length
  }
  return { at: text.length, text: separator + joinRules(rules, mode), ruleOffsets, present: [] }
}

const toOriginalOffset = (originalText: string, unixOffset: number): number => {
  let originalOffset = unixOffset
  for (const { index } of originalText.matchAll(/\r\n/g)) if (index < originalOffset) originalOffset += 1
  return originalOffset
}

/** Adds the rules that `text` lacks, in the format of the rules that it has. `text` must have no byte-order mark. */
export const addRules = async (
  text: string,
  { rules, mode, after }: Pick<AppendRulesOptions, 'rules' | 'mode' | 'after'>,
): Promise<Result<{ text: string } & Added>> => {
  const unixText = withLineFeeds(text)
  const uniqueRules = [...new Set(rules)]
  const isBlank = unixText.trim() === '' && after === undefined
  const { data: addition, error } = isBlank
    ? ok(additionToBlank(unixText, uniqueRules, mode))
    : (await import('./in-place/index.ts')).additionTo(unixText, uniqueRules, mode, after)
  if (error !== null) return fail(error)
  const numbers = lineNumbers(unixText.slice(0, addition.at) + addition.text)
  const lines = addition.ruleOffsets.map((offset): AddedLine => ({
    line: numbers[addition.at + offset]!,
    text: /[^\r\n]*/.exec(addition.text.slice(offset))![0],
  }))
  const at = toOriginalOffset(text, addition.at)
  const added = withLineEnding(addition.text, lineEndingOf(text))
  return ok({ text: text.slice(0, at) + added + text.slice(at), lines, present: addition.present })
}

export const appendRules = async (
  { filePath, writeContext = unguardedWriteContext(filePath), ...additionOptions }: AppendRulesOptions,
): Promise<AppendResult> => {
  let result: Added = { lines: [], present: [] }
  const toBytes = changeText(async (text) => {
    const { data, error } = await addRules(text, additionOptions)
    if (error !== null) return fail(error)
    result = data
    return ok(data.text)
  })
  const written = await writeFile(writeContext, { kind: 'addition', path: filePath, toBytes })
  const { lines, present } = result
  return written.status === 'success' ? { ...written, rulesCount: lines.length, lines, present } : written
}
