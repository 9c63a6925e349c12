/** Which of the files shown to a session a set of parsed rules belongs to, by its sources. */
import type { SourcedText, SourceFault } from '../in-place/index.ts'
import { type Issue, quote } from '../json/issues.ts'
import { type ParsedRule, sourcesOf } from '../rule-schema.ts'
import { fail, ok, type Result } from '../safe.ts'
import { codeName } from '../text/quoted-name.ts'
import { fingerprintOf, readText, withoutMark } from '../text/read.ts'
import { DISCOVER_AGAIN, type ShownFiles } from '../writing/shown-files.ts'

/** A file in which all sources stand, and the others that say the same. */
export type FileOfRules = { files: Array<string>; text: SourcedText }

type Candidate = { path: string; text: SourcedText }

const SHOWN = 80

/** Says why a source has no place in the file that has most of them, and what to do. */
const messageOf = (fault: SourceFault, path: string, others: Array<Candidate>): string => {
  const source = `its source ${quote(fault.source, SHOWN)}`
  if (fault.kind === 'barred') {
    return `${source} lies in ${fault.where}. What stands there stays as it is: leave the rule out`
  }
  if (fault.kind === 'ambiguous') {
    const lines = fault.lines.join(', ')
    return `${source} stands in ${
      codeName(path)
    } on the lines ${lines}. Copy more of its paragraph or list item, or restate all of these places, in their order`
  }
  const elsewhere = others.find(({ text }) => !text.faults.some(({ rule }) => rule === fault.rule))
  return elsewhere === undefined
    ? `${source} is not in one paragraph or list item of ${
      codeName(path)
    }. Copy the words of the file, or the first and the last of them with … between`
    : `its source stands in ${codeName(elsewhere.path)}, others in ${
      codeName(path)
    }. Call parse-rules once for each file`
}

const NOTHING_SHOWN = 'sources are looked for in what discover-rules showed: call discover-rules first'

/**
 * Finds the file in which the sources of rules stand.
 *
 * @returns where no file has all: the fault of each source in the file that has most of them
 */
export const findFile = async (
  shown: ShownFiles,
  rules: Array<ParsedRule>,
): Promise<Result<FileOfRules, Array<Issue>>> => {
  const { SourcedText } = await import('../in-place/index.ts')
  const sources = rules.map(sourcesOf)
  const candidates: Array<Candidate> = []
  const changed: Array<string> = []
  for (const path of shown.paths()) {
    const read = await readText(path)
    if (read.error !== null) continue
    const { realPath, bytes, text } = read.data
    const knowledge = shown.knows(path, realPath, fingerprintOf(bytes))
    if (knowledge === 'changed') {
      changed.push(`${codeName(path)} changed since discover-rules showed it. ${DISCOVER_AGAIN}`)
    } else if (knowledge !== 'unknown') {
      candidates.push({ path, text: new SourcedText(withoutMark(text), sources) })
    }
  }
  const faultless = candidates.filter(({ text }) => text.faults.length === 0)
  const [found] = faultless
  if (found !== undefined) return ok({ files: faultless.map(({ path }) => path), text: found.text })
  if (candidates.length === 0 && changed.length === 0) changed.push(NOTHING_SHOWN)
  const [best, ...others] = candidates.toSorted((a, b) => a.text.faults.length - b.text.faults.length)
  const faults = best?.text.faults.map((fault) => ({
    path: ['rules', fault.rule, 'source'],
    message: `rule ${fault.rule + 1}: ${messageOf(fault, best.path, others)}`,
  }))
  return fail([...changed.map((message) => ({ path: ['rules'], message })), ...faults ?? []])
}
