/** Asks the model to confirm that rules without sources replace whole files, and names the lines that get lost. */
import type { InstructionFile } from '../discover.ts'
import { pluralize } from '../text/pluralize.ts'
import { nameInBackticks } from '../text/quoted-name.ts'
import { fingerprintOf, readText } from '../text/read.ts'
import type { WriterContext } from './call-order.ts'
import { inCode, joinFirst } from './notes.ts'
import { isWrittenTo } from './pipeline-state.ts'
import { findUnsaid } from './unsaid-lines.ts'

export type Replacement = { file: InstructionFile; rules: Array<string> }

/** The lines of a file that are in no rule, and the names in backticks on these lines that are in no rule. */
type Loss = { path: string; lines: Array<string>; names: Array<string> }

export const describeLoss = ({ path, lines, names }: Loss): string => {
  if (lines.length === 0) return `${nameInBackticks(path)}: every line is in a rule`
  const first = lines.slice(0, 3).map(inCode).join(', ')
  const named = names.length === 0 ? '' : `; names in no rule: ${joinFirst(names.map(inCode))}`
  return `${nameInBackticks(path)}: ${pluralize(lines.length, 'line')} in no rule: ${first}${named}`
}

/** Returns `undefined` for a file that was not shown whole, because it will not be written. */
const lossOf = async (
  { discovered }: WriterContext,
  { file: { path, realPath = path }, rules }: Replacement,
): Promise<Loss | undefined> => {
  // The answer must not reveal whether a file exists that was never shown, so this check does not read the file.
  if (discovered.knowledgeOf(path, realPath, '') === 'unknown') return undefined
  const { data } = await readText(realPath)
  if (!data || discovered.knowledgeOf(path, realPath, fingerprintOf(data.bytes)) !== 'whole') return undefined
  return { path, ...findUnsaid(data.text, rules.join('\n')) }
}

/** Asks whether to replace whole files. Returns null if this is not needed, or if a repeated call means yes. */
export const replacementQuestion = async (
  writer: WriterContext,
  replacements: Array<Replacement>,
): Promise<string | null> => {
  const { session, messageID } = writer
  const losses = (await Promise.all(replacements.map((replacement) => lossOf(writer, replacement))))
    .filter((loss) => loss !== undefined)
  if (losses.length === 0) return null
  const losesLines = losses.some(({ lines }) => lines.length > 0)
  const hasSeveral = losses.length > 1
  // The model may want to replace only the rules that it wrote to the file before.
  const hasEarlierRules = replacements.some(({ file: { path, realPath = path } }) =>
    session.records.some((record) => isWrittenTo(record, realPath))
  )
  if (!losesLines && !hasSeveral && !hasEarlierRules) return null
  const rules = replacements.flatMap((each) => each.rules)
  const askedTexts = [...losses.flatMap(({ path, lines }) => [path, ...lines]), ...rules]
  if (session.questions.confirmOrAsk(askedTexts, messageID)) return null
  const list = losses.map((loss) => `- ${describeLoss(loss)}`).join('\n')
  const toKeep =
    'To replace only the words that the rules come from, call parse-rules with the source of each rule. '
  const toReplaceOne = hasSeveral ? 'To replace one file only, name it in "files". ' : ''
  const toConfirm = 'To replace whole files anyway, send the same call again in another message.'
  const advice = toKeep + toReplaceOne + toConfirm
  return `Nothing was written: rules without sources would replace\n${list}\n${advice}`
}
