/** Asks the model for confirmation before rules without sources replace whole files. */
import type { InstructionFile } from '../discover.ts'
import { pluralize } from '../text/pluralize.ts'
import { nameInBackticks } from '../text/quoted-name.ts'
import { fingerprintOf, readText } from '../text/read.ts'
import type { Writer } from './call-order.ts'
import { inCode, list } from './notes.ts'
import { unsaidOf } from './unsaid-lines.ts'

/** The lines and names of a file that the rules in its place do not say. */
type Loss = { path: string; lines: Array<string>; names: Array<string> }

/** Describes a loss. */
export const describeLoss = ({ path, lines, names }: Loss): string => {
  if (lines.length === 0) return `${nameInBackticks(path)}: every line is in a rule`
  const first = lines.slice(0, 3).map(inCode).join(', ')
  const named = names.length === 0 ? '' : `; with ${list(names.map(inCode))}`
  return `${nameInBackticks(path)}: ${pluralize(lines.length, 'line')} in no rule: ${first}${named}`
}

/** Returns what a whole replacement would lose; `undefined` for a file that the writer will refuse, and must not quote. */
const lossOf = async (
  { discovered }: Writer,
  { file: { path, realPath = path }, rules }: { file: InstructionFile; rules: Array<string> },
): Promise<Loss | undefined> => {
  // The answer must not reveal whether a file exists that was not shown.
  if (discovered.knowledgeOf(path, realPath, '') === 'unknown') return undefined
  const { data } = await readText(realPath)
  const isKnown = data && discovered.knowledgeOf(path, realPath, fingerprintOf(data.bytes)) === 'whole'
  return isKnown ? { path, ...unsaidOf(data.text, rules.join('\n')) } : undefined
}

const WAYS_ON = {
  sources: 'To keep everything else, call parse-rules with the source of each rule.',
  files: ' To replace one file only, name it in "files".',
  again: ' To replace it anyway, send the same call again in another message.',
}

/**
 * Returns the question before whole files are replaced, if several are, or if lines of a file are in no rule; null if the
 * call may continue. A file with rules in place of their sources is asked about in any case.
 */
export const replacementQuestion = async (
  writer: Writer,
  files: Array<{ file: InstructionFile; rules: Array<string> }>,
): Promise<string | null> => {
  const losses = (await Promise.all(files.map((file) => lossOf(writer, file)))).flatMap((loss) => loss ?? [])
  const { session, messageID } = writer
  // Another wording of these rules would belong in the same places.
  const isInPlace = session.records.some(({ state, files: written }) =>
    state === 'written' && files.some(({ file: { path, realPath = path } }) => written.includes(realPath))
  )
  if (losses.length < (isInPlace ? 1 : 2) && losses.every(({ lines }) => lines.length === 0)) return null
  const texts = [
    ...losses.flatMap(({ path, lines }) => [path, ...lines]),
    ...files.flatMap(({ rules }) => rules),
  ]
  if (session.isConfirmed(texts, messageID)) return null
  const items = losses.map((loss) => `- ${describeLoss(loss)}`)
  const waysOn = WAYS_ON.sources + (losses.length > 1 ? WAYS_ON.files : '') + WAYS_ON.again
  return ['Nothing was written: rules without sources would replace', ...items, waysOn].join('\n')
}
