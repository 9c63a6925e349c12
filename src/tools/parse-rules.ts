/** The tool parse-rules: checks parsed rules, and finds their sources (the words that they replace) in shown files. */
import type { ToolDefinition } from '@opencode-ai/plugin'
import type { SourcedText, SourceFault } from '../in-place/index.ts'
import { type Issue, quote } from '../json/issues.ts'
import { type ParsedRule, ParseResponseSchema, sourcesOf } from '../rule-schema.ts'
import { fail, ok, type Result } from '../safe.ts'
import { pluralize } from '../text/pluralize.ts'
import { nameInBackticks, truncate } from '../text/quoted-name.ts'
import { fingerprintOf, readText, withoutBom } from '../text/read.ts'
import { DISCOVER_AGAIN, ONLY_PART, type ShownFiles } from '../writing/shown-files.ts'
import { runInTurn } from './call-order.ts'
import { correctable, formatRuleIssues } from './corrections.ts'
import { answer, argument, defineTool } from './define-tool.ts'
import { pairNotes } from './notes.ts'
import { type PipelineToolOptions, sharedSessions, shownTo } from './pipeline-state.ts'

/** A file that the session was shown whole, and its text with the places of the sources, or their faults. */
type Candidate = { path: string; sourced: SourcedText }

/** Searches the files shown to the session for the sources of rules. `unsearched` says why files are not searched. */
const searchFiles = async (
  shown: ShownFiles,
  sources: Array<Array<string>>,
): Promise<{ candidates: Array<Candidate>; unsearched: Array<string> }> => {
  const { SourcedText } = await import('../in-place/index.ts')
  const candidates: Array<Candidate> = []
  const unsearched: Array<string> = []
  for (const path of shown.paths()) {
    const name = nameInBackticks(path)
    const { data: read, error } = await readText(path)
    const knowledge = read && shown.knowledgeOf(path, read.realPath, fingerprintOf(read.bytes))
    if (knowledge === 'whole') {
      candidates.push({ path, sourced: new SourcedText(withoutBom(read!.text), sources) })
    }
    if (knowledge === null) unsearched.push(`${name} can no longer be read: ${error}`)
    if (knowledge === 'part') unsearched.push(`${name} can only be added to: ${ONLY_PART}`)
    if (knowledge === 'changed') {
      unsearched.push(`${name} changed since discover-rules showed it. ${DISCOVER_AGAIN}`)
    }
  }
  return { candidates, unsearched }
}

/** Describes a fault of a source in the file at `path`. `others`: the other files that were searched. */
const describeFault = (fault: SourceFault, path: string, others: Array<Candidate>): string => {
  const source = `its source ${quote(fault.source, 80)}`
  const file = nameInBackticks(path)
  switch (fault.kind) {
    case 'wordless':
      return `${source} has no letter or digit. Copy the words that its text replaces`
    case 'protected':
      return `${source} is in ${fault.where} (from line ${fault.line} on), which is not rewritten: leave this source out, or the rule if it has no other, and tell the person`
    case 'ambiguous':
      return `${source} occurs in ${file} on the lines ${truncate(fault.lines.join(', '), 40)}`
    case 'overlapping': {
      const rule = fault.other + 1
      return `${source} (line ${fault.line}) shares words with a source of rule ${rule}. Give both the same source, or each its own words`
    }
    case 'missing': {
      const hasAllSources = ({ sourced }: Candidate) =>
        sourced.faults.every(({ rule }) => rule !== fault.rule)
      const other = others.find(hasAllSources)
      if (other !== undefined) {
        const otherFile = nameInBackticks(other.path)
        return `its source is in ${otherFile}, others in ${file}. Call parse-rules once for each file`
      }
      const { nearest } = fault
      const hint = nearest === undefined ? '' : `; line ${nearest.line} says ${quote(nearest.text, 120)}`
      return `${source} is not in ${file}${hint}`
    }
  }
}

/** The advice on a kind of fault, given once for all sources with that fault. */
const ADVICE: Partial<Record<SourceFault['kind'], string>> = {
  missing: 'Copy the words as they are in the file, or the first and the last of them with … between.',
  ambiguous: 'Copy more of the words around it, or send a source for each place, in their order.',
}

const NO_SOURCE =
  'has no source, but others have one: copy the words that its text replaces, or leave it out and add it with add-rules'

const NOTHING_SHOWN =
  'sources are searched in the files that discover-rules showed: call discover-rules first'

/**
 * Finds the files shown to the session that contain all sources of the rules; none if no rule has a source. Returns
 * their paths, and the text of the first. Fails if no file contains all sources, or if only some rules have a source.
 * The issues: why files are not searched, the faults in the file that has the fewest, and the rules without a source.
 */
const findFiles = async (
  shown: ShownFiles,
  rules: Array<ParsedRule>,
): Promise<
  Result<{ files: Array<string>; first?: SourcedText }, { issues: Array<Issue>; advice: Array<string> }>
> => {
  const sources = rules.map(sourcesOf)
  if (sources.flat().length === 0) return ok({ files: [] })
  const withoutSource = sources.flatMap((ofRule, rule): Array<Issue> =>
    ofRule.length > 0 ? [] : [{ path: ['rules', rule], message: `rule ${rule + 1} ${NO_SOURCE}` }]
  )
  const { candidates, unsearched } = await searchFiles(shown, sources)
  const [best, ...others] = candidates.toSorted((a, b) => a.sourced.faults.length - b.sourced.faults.length)
  if (best?.sourced.faults.length === 0 && withoutSource.length === 0) {
    const files = candidates.filter(({ sourced }) => sourced.faults.length === 0).map(({ path }) => path)
    return ok({ files, first: best.sourced })
  }
  if (best === undefined && unsearched.length === 0) unsearched.push(NOTHING_SHOWN)
  const faults = best?.sourced.faults ?? []
  const issues: Array<Issue> = [
    ...unsearched.map((message) => ({ path: ['rules'], message })),
    ...faults.map((fault) => ({
      path: ['rules', fault.rule, 'source'],
      message: `rule ${fault.rule + 1}: ${describeFault(fault, best!.path, others)}`,
    })),
    ...withoutSource,
  ]
  return fail({ issues, advice: [...new Set(faults.flatMap(({ kind }) => ADVICE[kind] ?? []))] })
}

export const createParseRulesTool = (
  { description, sessions = sharedSessions, discovered }: PipelineToolOptions,
): ToolDefinition =>
  defineTool({
    description,
    args: { rules: argument(ParseResponseSchema) },
    ...correctable(sessions, 'parse-rules'),
    execute: ({ rules: { rules } }, { sessionID, messageID }) =>
      runInTurn(sessionID, async () => {
        const session = sessions.of(sessionID)
        const found = await findFiles(shownTo({ discovered, sessions }, sessionID), rules)
        session.storeSent('parse-rules', { rules, messageID, isRefused: found.error !== null })
        if (found.error !== null) {
          session.refuseParsed()
          const { issues, advice } = found.error
          return answer('sources not found', formatRuleIssues(issues, rules, advice))
        }
        const { files, first } = found.data
        session.storeParsed({ parsed: rules, messageID, files, replaced: first?.replaced() ?? [] })
        const notes = pairNotes(rules)
        const accepted = JSON.stringify({ rules }, null, 2)
        const output = notes.length === 0 ? [accepted] : [accepted, '# Notes', ...notes]
        return answer(pluralize(rules.length, 'rule'), output.join('\n\n'))
      }),
  })
