import type { InstructionFile } from '../discover.ts'
import { pluralize } from '../text/pluralize.ts'
import { nameInBackticks } from '../text/quoted-name.ts'
import { fingerprintOf, readText } from '../text/read.ts'
import type { Writer } from './call-order.ts'
import { inCode, list } from './notes.ts'
import { unsaidOf } from './unsaid-lines.ts'

/** What a file says that is replaced as a whole, and its rules do not. */
type Loss = { path: string; lines: Array<string>; names: Array<string> }

/** Puts a loss into words. */
export const lossIn = ({ path, lines, names }: Loss): string => {
  if (lines.length === 0) return `${nameInBackticks(path)}: every line is in a rule`
  const first = lines.slice(0, 3).map(inCode).join(', ')
  const named = names.length === 0 ? '' : `; with ${list(names.map(inCode))}`
  return `${nameInBackticks(path)}: ${pluralize(lines.length, 'line')} in no rule: ${first}${named}`
}

/** Finds what a whole replacement would lose; undefined for a file that the writer will refuse, which is not quoted. */
const lossOf = async (
  { discovered }: Writer,
  { file: { path, realPath = path }, rules }: { file: InstructionFile; rules: Array<string> },
): Promise<Loss | undefined> => {
  // The answer does not say whether a file exists that was not shown.
  if (discovered.knowledgeOf(path, realPath, '') === 'unknown') return undefined
  const { data } = await readText(realPath)
  const isKnown = data && discovered.knowledgeOf(path, realPath, fingerprintOf(data.bytes)) === 'whole'
  return isKnown ? { path, ...unsaidOf(data.text, rules.join('\n')) } : undefined
}

const WAYS_ON = {
  sources: 'To put rules in place and keep all else, call parse-rules with the source of each rule.',
  files: ' To replace one file only, name it in "files".',
  again: ' To replace as said, send the same call again in another message.',
}

/** Asks once before whole files are replaced, if they are several or have lines in no rule; null if the call may go on. */
export const wholeQuestion = async (
  writer: Writer,
  files: Array<{ file: InstructionFile; rules: Array<string> }>,
): Promise<string | null> => {
  const losses = (await Promise.all(files.map((one) => lossOf(writer, one)))).flatMap((loss) => loss ?? [])
  const { session, messageID } = writer
  // Another wording of rules that were put in place belongs there, too.
  const isInPlace = session.records.some(({ state, files: written }) =>
    state === 'written' && files.some(({ file: { path, realPath = path } }) => written.includes(realPath))
  )
  if (losses.length < (isInPlace ? 1 : 2) && losses.every(({ lines }) => lines.length === 0)) return null
  const what = [
    ...losses.flatMap(({ path, lines }) => [path, ...lines]),
    ...files.flatMap(({ rules }) => rules),
  ]
  if (session.isConfirmed(what, messageID)) return null
  const items = losses.map((loss) => `- ${lossIn(loss)}`)
  const waysOn = WAYS_ON.sources + (losses.length > 1 ? WAYS_ON.files : '') + WAYS_ON.again
  return ['Nothing was written: rules without sources would replace', ...items, waysOn].join('\n')
}
