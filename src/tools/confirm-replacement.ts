/** Asks the model to confirm that rules without sources (words to replace) replace whole files. */
import type { InstructionFile } from '../discover.ts'
import { pluralize } from '../text/pluralize.ts'
import { nameInBackticks } from '../text/quoted-name.ts'
import { fingerprintOf, readText } from '../text/read.ts'
import type { WriterContext } from './call-order.ts'
import { inCode, joinFirst } from './notes.ts'
import { findUnsaid } from './unsaid-lines.ts'

/** A file, and the rules that will replace its whole text. */
export type Replacement = { file: InstructionFile; rules: Array<string> }

/** The lines of a file that are in no rule, and the names in backticks in these lines that are in no rule. */
type Loss = { path: string; lines: Array<string>; names: Array<string> }

export const describeLoss = ({ path, lines, names }: Loss): string => {
  if (lines.length === 0) return `${nameInBackticks(path)}: every line is in a rule`
  const first = lines.slice(0, 3).map(inCode).join(', ')
  const named = names.length === 0 ? '' : `; with ${joinFirst(names.map(inCode))}`
  return `${nameInBackticks(path)}: ${pluralize(lines.length, 'line')} in no rule: ${first}${named}`
}

/** Returns `undefined` for a file that was not shown whole, because it will not be written. */
const lossOf = async (
  { discovered }: WriterContext,
  { file: { path, realPath = path }, rules }: Replacement,
): Promise<Loss | undefined> => {
  // The answer must not reveal whether a file that was never shown exists.
  if (discovered.knowledgeOf(path, realPath, '') === 'unknown') return undefined
  const { data } = await readText(realPath)
  const isShownWhole = data && discovered.knowledgeOf(path, realPath, fingerprintOf(data.bytes)) === 'whole'
  return isShownWhole ? { path, ...findUnsaid(data.text, rules.join('\n')) } : undefined
}

/**
 * Asks whether rules really replace whole files. Returns null if the model has confirmed, or if no question is needed:
 * no file will be written, or a single one of which every line is in a rule, and no source was replaced before.
 */
export const replacementQuestion = async (
  writer: WriterContext,
  replacements: Array<Replacement>,
): Promise<string | null> => {
  const { session, messageID } = writer
  const losses = (await Promise.all(replacements.map((replacement) => lossOf(writer, replacement))))
    .filter((loss) => loss !== undefined)
  if (losses.length === 0) return null
  const losesLines = losses.some(({ lines }) => lines.length > 0)
  // If rules have replaced their sources in a file, a new wording should replace those rules, not the whole file.
  const written = session.records.flatMap(({ state, files }) => state === 'written' ? files : [])
  const wasRewritten = replacements.some(({ file: { path, realPath = path } }) => written.includes(realPath))
  if (losses.length === 1 && !losesLines && !wasRewritten) return null
  const questionKey = [
    ...losses.flatMap(({ path, lines }) => [path, ...lines]),
    ...replacements.flatMap(({ rules }) => rules),
  ]
  if (session.confirmOrAsk(questionKey, messageID)) return null
  const nextSteps = [
    'To keep everything else, call parse-rules with the source of each rule.',
    ...(losses.length > 1 ? ['To replace one file only, name it in "files".'] : []),
    'To replace it anyway, send the same call again in another message.',
  ]
  return [
    'Nothing was written: rules without sources would replace',
    ...losses.map((loss) => `- ${describeLoss(loss)}`),
    nextSteps.join(' '),
  ].join('\n')
}
