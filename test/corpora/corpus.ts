/** Reads what models made of real files: rules, right texts of these, wrong texts (slips), and recorded runs (plays). */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { compareMeaning } from '../../src/meaning/compare-meaning.ts'
import { FormatResponseSchema, type ParsedRule, ParseResponseSchema } from '../../src/rule-schema.ts'

const readText = (...path: Array<string>): string => readFileSync(join(import.meta.dirname, ...path), 'utf8')
const parsedIn = (...path: Array<string>) => ParseResponseSchema.parse(JSON.parse(readText(...path))).rules
const textsIn = (...path: Array<string>) => FormatResponseSchema.parse(JSON.parse(readText(...path))).rules

/** The rules of a file, and the right text for each. */
type WordedFile = { parsed: Array<ParsedRule>; texts: Array<string> }

// The keys are the numbers of the files, such as `01`.
const readWordedFiles = (): Map<string, WordedFile> => {
  const names = readdirSync(join(import.meta.dirname, 'rules'))
  const numbers = names.filter((name) => name.endsWith('.parsed.json')).map((name) => name.slice(0, 2))
  return new Map(numbers.map((number) => [number, {
    parsed: parsedIn('rules', `${number}.parsed.json`),
    texts: textsIn('rules', `${number}.formatted.json`),
  }]))
}

/** A wrong text of a rule. `rule` is the index of the rule, `kind` what is wrong, such as `lost-negation`. */
type Slip = { file: string; kind: string; rule: number; text: string }

/** The number of texts (`of`), and of those in which SAT finds that something of the rule got lost (`doubted`). */
export type Rate = { doubted: number; of: number }

/** Returns the indexes of the rules whose text is doubted. The path of a doubt is such as `['rules', 3]`. */
const doubtedRules = ({ parsed, texts }: WordedFile): Set<unknown> =>
  new Set(compareMeaning(parsed, [], texts).map(({ path }) => path[1]))

/** Counts the doubted texts among the right texts, where there should be none, and among the slips of each kind. */
export const ratesOfMeaning = (): { right: Rate; slips: Map<string, Rate> } => {
  const files = readWordedFiles()
  const right: Rate = { doubted: 0, of: 0 }
  for (const worded of files.values()) {
    right.doubted += doubtedRules(worded).size
    right.of += worded.texts.length
  }
  const slips = new Map<string, Rate>()
  for (const { file, kind, rule, text } of JSON.parse(readText('rules', 'slips.json')) as Array<Slip>) {
    const { parsed, texts } = files.get(file)!
    const textsWithSlip = texts.with(rule, text)
    const isDoubted = doubtedRules({ parsed, texts: textsWithSlip }).has(rule)
    const { doubted, of } = slips.get(kind) ?? { doubted: 0, of: 0 }
    slips.set(kind, { doubted: doubted + Number(isDoubted), of: of + 1 })
  }
  return { right, slips }
}

/** A recorded run of `/rewrite-rules` on a file. */
type Play = WordedFile & { name: string; before: string; after: string }

export const plays = (): Array<Play> => {
  const items = readdirSync(join(import.meta.dirname, 'plays'), { withFileTypes: true })
  return items.filter((item) => item.isDirectory()).map(({ name }) => ({
    name,
    before: readText('plays', name, 'before.md'),
    after: readText('plays', name, 'after.md'),
    parsed: parsedIn('plays', name, 'parsed.json'),
    texts: textsIn('plays', name, 'formatted.json'),
  }))
}
