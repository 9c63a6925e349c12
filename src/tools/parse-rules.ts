/** The tool parse-rules: finds the words that rules replace (sources) in the files that discover-rules showed. */
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
import { type PipelineToolOptions, type RuleRecord, sharedSessions, shownTo } from './pipeline-state.ts'

type Candidate = { path: string; sourced: SourcedText }

/** Counts the sources that resemble no line of the file. */
const strangeSources = ({ sourced: { faults } }: Candidate): number =>
  faults.filter((fault) => fault.kind === 'missing' && fault.nearest === undefined).length

const searchFiles = async (
  shown: ShownFiles,
  sources: Array<Array<string>>,
): Promise<{ candidates: Array<Candidate>; whyUnsearched: Array<string> }> => {
  const { sourcedText } = await import('../in-place/index.ts')
  const candidates: Array<Candidate> = []
  const whyUnsearched: Array<string> = []
  for (const path of shown.paths()) {
    const name = nameInBackticks(path)
    const { data: read, error } = await readText(path)
    if (error !== null) {
      whyUnsearched.push(`${name} can no longer be read: ${error}`)
      continue
    }
    // The answer does not mention a path that now leads to another file (`unknown`).
    const knowledge = shown.knowledgeOf(path, read.realPath, fingerprintOf(read.bytes))
    if (knowledge === 'whole') {
      candidates.push({ path, sourced: sourcedText(withoutBom(read.text), sources) })
    } else if (knowledge === 'part') {
      whyUnsearched.push(`${name} cannot be rewritten: ${ONLY_PART}`)
    } else if (knowledge === 'changed') {
      whyUnsearched.push(`${name} changed since discover-rules showed it. ${DISCOVER_AGAIN}`)
    }
  }
  return { candidates, whyUnsearched }
}

const candidateWith = ({ kind, rule }: SourceFault, others: Array<Candidate>): Candidate | undefined =>
  kind === 'missing'
    ? others.find(({ sourced }) => sourced.faults.every((fault) => fault.rule !== rule))
    : undefined

const describeFault = (fault: SourceFault, path: string, others: Array<Candidate>): string => {
  const source = `its source ${quote(fault.source, 80)}`
  const file = nameInBackticks(path)
  switch (fault.kind) {
    case 'wordless':
      return `${source} has no letter or digit. Copy the words that the rule's text replaces`
    case 'protected':
      return `${source} is in ${fault.where} (from line ${fault.line} on), which is not rewritten. Leave this source out and tell the person. If the rule has no other source, leave out the rule`
    case 'ambiguous': {
      const lines = [...new Set(fault.lines)]
      const where = lines.length === 1
        ? `several times on line ${lines[0]}`
        : `on the lines ${lines.join(', ')}`
      return `${source} occurs in ${file} ${truncate(where, 60)}`
    }
    case 'unsearched':
      return `${source} was not searched, because the sources occur too often in ${file}. Send fewer rules in a call, or more words of each source`
    case 'overlapping': {
      const rule = fault.other + 1
      return `${source} (line ${fault.line}) shares words with a source of rule ${rule}. Give both rules the same source, or sources that share no words`
    }
    case 'continued':
      return `${source} is removed, but its list item continues on line ${fault.line}, which would become a part of the item above. Add the rest of the item to the source, or put this source first in its rule`
    case 'missing': {
      const withSource = candidateWith(fault, others)
      if (withSource !== undefined) {
        const otherFile = nameInBackticks(withSource.path)
        return `its source is in ${otherFile}, but other sources are in ${file}. Call parse-rules once for each file`
      }
      const { nearest } = fault
      const hint = nearest === undefined ? '' : `; line ${nearest.line} says ${quote(nearest.text, 120)}`
      return `${source} is not in ${file}${hint}`
    }
  }
}

const ADVICE: Partial<Record<SourceFault['kind'], string>> = {
  missing:
    'Copy the words exactly from the file. To shorten them, copy the first and the last words with … between (not across a blank line).',
  ambiguous:
    'Copy more of the words around it, or send one source for each place, in the order of the places.',
}

const NO_SOURCE =
  "has no source, but other rules have one: copy the words that the rule's text replaces, or leave the rule out and add it with add-rules"

const NOTHING_SHOWN =
  'sources are searched in the files that discover-rules showed, and it showed none: call discover-rules first; if it reported an error for the file, tell the person'

type Found = Pick<RuleRecord, 'files' | 'replaced'>

type NotFound = { issues: Array<Issue>; advice: Array<string> }

/** Fails if no file contains all sources, or if only some of the rules have sources. */
const findFiles = async (shown: ShownFiles, rules: Array<ParsedRule>): Promise<Result<Found, NotFound>> => {
  const sources = rules.map(sourcesOf)
  if (sources.flat().length === 0) return ok({ files: [], replaced: [] })
  const withoutSource = sources.flatMap((sourcesOfRule, index): Array<Issue> =>
    sourcesOfRule.length > 0 ? [] : [{ path: ['rules', index], message: `rule ${index + 1} ${NO_SOURCE}` }]
  )
  const { candidates, whyUnsearched } = await searchFiles(shown, sources)
  const complete = candidates.filter(({ sourced }) => sourced.faults.length === 0)
  if (complete.length > 0 && withoutSource.length === 0) {
    return ok({ files: complete.map(({ path }) => path), replaced: complete[0]!.sourced.wordsToReplace() })
  }
  // The model most likely meant the file with the fewest faults or, among equals, with the fewest `strangeSources`.
  const [best, ...others] = candidates.toSorted((a, b) =>
    a.sourced.faults.length - b.sourced.faults.length || strangeSources(a) - strangeSources(b)
  )
  if (best === undefined && whyUnsearched.length === 0) whyUnsearched.push(NOTHING_SHOWN)
  const faults = best?.sourced.faults ?? []
  const issues: Array<Issue> = [
    ...whyUnsearched.map((message) => ({ path: ['rules'], message })),
    ...faults.map((fault) => ({
      path: ['rules', fault.rule, 'source'],
      message: `rule ${fault.rule + 1}: ${describeFault(fault, best!.path, others)}`,
    })),
    ...withoutSource,
  ]
  const toCopy = faults.filter((fault) => candidateWith(fault, others) === undefined)
  return fail({ issues, advice: [...new Set(toCopy.flatMap(({ kind }) => ADVICE[kind] ?? []))] })
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
          session.storeParseRefused()
          return answer('sources not found', formatRuleIssues(found.error.issues, rules, found.error.advice))
        }
        session.storeParsed({ parsed: rules, messageID, ...found.data })
        const notes = pairNotes(rules)
        const accepted = JSON.stringify({ rules }, null, 2)
        const output = notes.length === 0 ? [accepted] : [accepted, '# Notes', ...notes]
        return answer(pluralize(rules.length, 'rule'), output.join('\n\n'))
      }),
  })
