/** Rules that models parsed and worded from instruction files, with slips that were made on purpose. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Restated, SourcedText } from '../../src/in-place/index.ts'
import type { Issue } from '../../src/json/issues.ts'
import { compareSource } from '../../src/meaning/compare-with-file.ts'
import { compareMeaning } from '../../src/meaning/compare-with-parsed.ts'
import {
  FormatResponseSchema,
  ModeSchema,
  type ParsedRule,
  ParsedRuleSchema,
  ParseResponseSchema,
  sourcesOf,
} from '../../src/rule-schema.ts'
import { withoutMark } from '../../src/text/read.ts'
import { modeIssues } from '../../src/tools/mode.ts'

/** How many of a kind were seen, or refused. */
export type Rate = { hits: number; of: number }

/** A wrong text in place of rule number `rule`, from 0; with the strength that the rule was parsed as by mistake. */
type Slip = { kind: string; rule: number; text: string; strength?: string }

/** The rules of one file; `formatted` holds several sets of right wordings. */
type RuleSet = {
  parsed: Array<ParsedRule>
  formatted: Array<Array<string>>
  slips: Array<Slip>
  mode?: 'verbose' | 'balanced' | 'concise'
  /** What the file says where. */
  places: Array<Restated>
}

const FOLDER = join(import.meta.dirname, 'rules')
const read = (name: string): string => readFileSync(join(FOLDER, name), 'utf8')
const json = (name: string) => JSON.parse(read(name))
const parsedIn = (file: string): Array<ParsedRule> =>
  ParseResponseSchema.parse(json(`${file}.parsed.json`)).rules
const formattedIn = (file: string): Array<string> =>
  FormatResponseSchema.parse(json(`${file}.formatted.json`)).rules

const filesOf = (folder: string, ending: string): Array<string> =>
  readdirSync(join(FOLDER, folder)).filter((name) => name.endsWith(ending)).sort()
    .map((name) => join(folder, name.slice(0, -ending.length)))

/** The files that src/meaning was tuned on. */
const tuned = (): Array<RuleSet> => {
  const slips: Array<Slip & { file: string }> = json('mutants.json')
  return filesOf('', '.parsed.json').map((file) => ({
    parsed: parsedIn(file),
    formatted: [formattedIn(file)],
    slips: slips.filter((slip) => slip.file === file),
    ...(existsSync(join(FOLDER, `${file}.mode`)) && { mode: ModeSchema.parse(read(`${file}.mode`).trim()) }),
    places: [],
  }))
}

/** Files that were to be rewritten in place: their text, and their rules with a sentence of each. */
export const filesToRewrite = () =>
  filesOf('rewrites', '.rules.json').map((file) => {
    const rules: Array<{ parsed: unknown; sentence: string }> = json(`${file}.rules.json`)
    const parsed = rules.map((rule) => ParsedRuleSchema.parse(rule.parsed))
    const text = withoutMark(read(`${file}.md`))
    const sourced = new SourcedText(text, parsed.map(sourcesOf))
    return { file, text, sourced, parsed, sentences: rules.map(({ sentence }) => sentence) }
  })

const rewrites = (): Array<RuleSet> =>
  filesToRewrite().map(({ parsed, sourced, sentences }) => ({
    parsed,
    formatted: [sentences],
    slips: [],
    places: sourced.restated(),
  }))

const toRule = (line: string): ParsedRule => {
  const [strength, action, target, context, reason] = line.split('|').map((field) => field.trim())
  return ParsedRuleSchema.parse({ strength, action, target, ...(context ? { context } : {}), reason })
}

/** Gives the lines that begin with a sign, without it. */
const linesWith = (sign: string, lines: Array<string>): Array<string> =>
  lines.flatMap((line) => line.startsWith(`${sign} `) ? line.slice(2) : [])

/** Reads sets from lines; the head of held-out.txt says how they are written. */
const setsIn = (name: string): Array<RuleSet> =>
  read(name).split(/^@ /m).slice(1).map((section) => {
    const rules = section.split(/\n(?=[a-z]+ \| )/).slice(1).map((block) => block.trim().split('\n'))
    const wordings = rules.map((lines) => linesWith('+', lines))
    const most = Math.max(...wordings.map(({ length }) => length))
    return {
      parsed: rules.map(([head = '']) => toRule(head)),
      formatted: Array.from({ length: most }, (_, at) => wordings.map((texts) => texts[at] ?? texts.at(-1)!)),
      places: rules.flatMap((lines, rule) =>
        linesWith('=', lines).map((text) => ({ text, rules: [rule], under: '' }))
      ),
      slips: rules.flatMap((lines, rule): Array<Slip> => [
        ...linesWith('-', lines).map((line) => {
          const [kind = '', text = ''] = line.split(' | ')
          return { kind, rule, text }
        }),
        ...linesWith('!', lines).map((line) => {
          const [kind = '', strength = '', text = ''] = line.split(' | ')
          return { kind: `${kind}, against the file`, rule, strength, text }
        }),
      ]),
    }
  })

type Structure = { file: string; drop?: Array<number>; merge?: Array<number>; text?: string }

/** Sets of the tuned files in which rules were dropped or merged. */
const structure = (): Array<{ kind: string; parsed: Array<ParsedRule>; formatted: Array<string> }> =>
  json('structure.json').map(({ file, drop, merge = [], text = '' }: Structure) => {
    const [first, ...others] = merge
    const formatted = formattedIn(file)
    return {
      kind: drop ? 'dropped' : 'merged',
      parsed: parsedIn(file),
      formatted: (first === undefined ? formatted : formatted.with(first, text))
        .filter((_, index) => !(drop ?? others).includes(index)),
    }
  })

/** What src/meaning was tuned on, what was written before its code, and after it. */
const CORPORA = {
  tuned: () => [...tuned(), ...setsIn('wordings.txt')],
  rewrites,
  'held out': () => setsIn('held-out.txt'),
  unseen: () => setsIn('unseen.txt'),
}

/** The name of a corpus. */
export type Corpus = keyof typeof CORPORA

/** Gives what is said of each rule, from 0; of the set as a whole under -1. */
const doubtsOf = (
  { places, mode }: Pick<RuleSet, 'places' | 'mode'>,
  parsed: Array<ParsedRule>,
  formatted: Array<string>,
) => {
  const { issues, withoutReason } = compareMeaning(parsed, formatted)
  const modeFaults = mode === undefined ? [] : modeIssues(formatted, mode, withoutReason)
  const toDoubt = ({ path: [, at] }: Issue) => ({ at: Number(at ?? -1) })
  return {
    meaning: [...issues, ...modeFaults].map(toDoubt),
    source: compareSource(places, parsed, formatted).map(toDoubt),
  }
}

/** Counts by kind how many of its cases were hits. */
class Rates extends Map<string, Rate> {
  add(kind: string, isHit: boolean): void {
    const { hits, of } = this.get(kind) ?? { hits: 0, of: 0 }
    this.set(kind, { hits: hits + (isHit ? 1 : 0), of: of + 1 })
  }
}

/**
 * Measures the comparisons on a corpus: right wordings that are doubted (should be none), slips that are (should be
 * all), by kind.
 */
export const ratesOf = (corpus: Corpus) => {
  const [right, slips] = [new Rates(), new Rates()]
  const isSeenAt = (doubts: Array<{ at: number }>, rule: number) => doubts.some(({ at }) => at === rule)
  for (const set of CORPORA[corpus]()) {
    const seen = new Set<string>()
    for (const formatted of set.formatted) {
      const { meaning, source } = doubtsOf(set, set.parsed, formatted)
      right.add('sets', meaning.length > 0)
      const isNew = ({ at }: { at: number }) => at === -1 || !seen.has(`${at} ${formatted[at]}`)
      const [doubted, against] = [meaning.filter(isNew), source.filter(isNew)]
      formatted.forEach((text, rule) => {
        if (!isNew({ at: rule })) return
        seen.add(`${rule} ${text}`)
        right.add('wordings', isSeenAt(doubted, rule))
        if (set.places.length > 0) right.add('wordings against the file', isSeenAt(against, rule))
      })
    }
    for (const { kind, rule, text, strength } of set.slips) {
      // Among its neighbours: sets of 40 rules for each slip take seconds.
      const [from, to] = [Math.max(rule - 4, 0), rule + 5]
      const wrong = ParsedRuleSchema.parse({ ...set.parsed[rule], ...(strength && { strength }) })
      const places = set.places.filter(({ rules }) => rules.includes(rule))
        .map((place) => ({ ...place, rules: [rule - from] }))
      const parsed = set.parsed.with(rule, wrong).slice(from, to)
      const formatted = set.formatted[0]!.with(rule, text).slice(from, to)
      const { meaning, source } = doubtsOf({ places }, parsed, formatted)
      slips.add(kind, isSeenAt(strength === undefined ? meaning : source, rule - from))
    }
  }
  for (const { kind, parsed, formatted } of corpus === 'tuned' ? structure() : []) {
    slips.add(kind, compareMeaning(parsed, formatted).issues.length > 0)
  }
  return { right, slips }
}
