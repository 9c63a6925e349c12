/** Finds the discovered files that contain the sources of parsed rules. */
import type { SourcedText, SourceFault } from '../in-place/index.ts'
import { type Issue, quote } from '../json/issues.ts'
import { type ParsedRule, sourcesOf } from '../rule-schema.ts'
import { fail, ok, type Result } from '../safe.ts'
import { nameInBackticks, truncate } from '../text/quoted-name.ts'
import { fingerprintOf, readText, withoutBom } from '../text/read.ts'
import { DISCOVER_AGAIN, ONLY_PART, type ShownFiles } from '../writing/shown-files.ts'

type Candidate = { path: string; text: SourcedText }

/** Describes a fault of a source in a file, and what to send instead. */
const messageOf = (fault: SourceFault, path: string, others: Array<Candidate>): string => {
  const [source, file] = [`its source ${quote(fault.source, 80)}`, nameInBackticks(path)]
  if (fault.kind === 'wordless') {
    return `${source} has no letter or digit. Copy the words that its text replaces`
  }
  if (fault.kind === 'protected') {
    return `${source} is in ${fault.where} (from line ${fault.line} on), which is not rewritten: leave this source out, or the rule if it has no other, and tell the person`
  }
  if (fault.kind === 'ambiguous') {
    return `${source} occurs in ${file} on the lines ${truncate(fault.lines.join(', '), 40)}`
  }
  if (fault.kind === 'overlapping') {
    const rule = fault.other + 1
    return `${source} (line ${fault.line}) shares words with a source of rule ${rule}. Give both the same source, or each its own words`
  }
  const other = others.find(({ text }) => text.faults.every(({ rule }) => rule !== fault.rule))
  if (other !== undefined) {
    const otherFile = nameInBackticks(other.path)
    return `its source is in ${otherFile}, others in ${file}. Call parse-rules once for each file`
  }
  const { nearest } = fault
  const hint = nearest === undefined ? '' : `; line ${nearest.line} says ${quote(nearest.text, 120)}`
  return `${source} is not in ${file}${hint}`
}

/** The advice on a kind of fault, given once for all sources with it. */
const ADVICE: Partial<Record<SourceFault['kind'], string>> = {
  missing: 'Copy the words as they are in the file, or the first and the last of them with … between.',
  ambiguous: 'Copy more of the words around it, or send a source for each place, in their order.',
}

const NO_SOURCE =
  'has no source, but others have one: copy the words that its text replaces, or leave it out and add it with add-rules'

const NOTHING_SHOWN =
  'sources are searched in the files that discover-rules showed: call discover-rules first'

/**
 * Finds the discovered files that contain all sources of rules; none if no rule has a source.
 *
 * @returns the real paths of the files and the parsed text of the first one. If no file contains all sources: the
 * faults in the file that contains most of them
 */
export const findFile = async (
  shown: ShownFiles,
  rules: Array<ParsedRule>,
): Promise<
  Result<{ files: Array<string>; text?: SourcedText }, { issues: Array<Issue>; advice: Array<string> }>
> => {
  const sources = rules.map(sourcesOf)
  if (sources.flat().length === 0) return ok({ files: [] })
  const withoutSource = sources.flatMap((ofRule, rule): Array<Issue> =>
    ofRule.length > 0 ? [] : [{ path: ['rules', rule], message: `rule ${rule + 1} ${NO_SOURCE}` }]
  )
  const { SourcedText } = await import('../in-place/index.ts')
  const candidates: Array<Candidate> = []
  const unsearched: Array<string> = []
  for (const path of shown.paths()) {
    const { data: read, error } = await readText(path)
    const knowledge = read && shown.knowledgeOf(path, read.realPath, fingerprintOf(read.bytes))
    if (read === null) unsearched.push(`${nameInBackticks(path)} can no longer be read: ${error}`)
    else if (knowledge === 'changed') {
      unsearched.push(`${nameInBackticks(path)} changed since discover-rules showed it. ${DISCOVER_AGAIN}`)
    } else if (knowledge === 'part') {
      unsearched.push(`${nameInBackticks(path)} can only be added to: ${ONLY_PART}`)
    } else if (knowledge === 'whole') {
      candidates.push({ path, text: new SourcedText(withoutBom(read.text), sources) })
    }
  }
  const [best, ...others] = candidates.toSorted((a, b) => a.text.faults.length - b.text.faults.length)
  if (best?.text.faults.length === 0 && withoutSource.length === 0) {
    const equallyGood = others.filter(({ text }) => text.faults.length === 0)
    return ok({ files: [best, ...equallyGood].map(({ path }) => path), text: best.text })
  }
  if (best === undefined && unsearched.length === 0) unsearched.push(NOTHING_SHOWN)
  const faults = best?.text.faults ?? []
  const issues: Array<Issue> = [
    ...unsearched.map((message) => ({ path: ['rules'], message })),
    ...faults.map((fault) => ({
      path: ['rules', fault.rule, 'source'],
      message: `rule ${fault.rule + 1}: ${messageOf(fault, best!.path, others)}`,
    })),
    ...withoutSource,
  ]
  return fail({ issues, advice: [...new Set(faults.flatMap(({ kind }) => ADVICE[kind] ?? []))] })
}
