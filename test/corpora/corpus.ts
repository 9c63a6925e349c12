/** Reads what models made of real files: rules, their right texts, wrong texts (slips), and recorded runs (plays). */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { compareMeaning } from '../../src/meaning/compare-meaning.ts'
import { FormatResponseSchema, type ParsedRule, ParseResponseSchema } from '../../src/rule-schema.ts'

const readText = (...path: Array<string>): string => readFileSync(join(import.meta.dirname, ...path), 'utf8')
const parsedIn = (...path: Array<string>) => ParseResponseSchema.parse(JSON.parse(readText(...path))).rules
const textsIn = (...path: Array<string>) => FormatResponseSchema.parse(JSON.parse(readText(...path))).rules

/** The rules of a file, and the text of each, in the same order. */
type WordedFile = { parsed: Array<ParsedRule>; texts: Array<string> }

/** Reads the files with right texts; the keys are the numbers of the files, such as `01`. */
const readRightTexts = (): Map<string, WordedFile> => {
  const names = readdirSync(join(import.meta.dirname, 'rules'))
  const numbers = names.filter((name) => name.endsWith('.parsed.json')).map((name) => name.slice(0, 2))
  return new Map(numbers.map((number) => [number, {
    parsed: parsedIn('rules', `${number}.parsed.json`),
    texts: textsIn('rules', `${number}.formatted.json`),
  }]))
}

/** A wrong text of a rule. `rule` is the index of the rule, `kind` what is wrong, such as `lost-negation`. */
type Slip = { file: string; kind: string; rule: number; text: string }

/** Of `of` texts, SAT doubts `doubted`: it finds that they lost something of their rules. */
export type Rate = { doubted: number; of: number }

/** Returns the indexes of the rules whose text is doubted. The path of a doubt is such as `['rules', 3]`. */
const doubtedRules = ({ parsed, texts }: WordedFile): Set<unknown> =>
  new Set(compareMeaning(parsed, [], texts).map(({ path }) => path[1]))

/** Counts the doubted texts among the right texts, where there should be none, and among the slips of each kind. */
export const doubtRates = (): { right: Rate; slips: Map<string, Rate> } => {
  const files = readRightTexts()
  const right: Rate = { doubted: 0, of: 0 }
  for (const file of files.values()) {
    right.doubted += doubtedRules(file).size
    right.of += file.texts.length
  }
  const slips = new Map<string, Rate>()
  for (const { file, kind, rule, text } of JSON.parse(readText('rules', 'slips.json')) as Array<Slip>) {
    const { parsed, texts } = files.get(file)!
    const isDoubted = doubtedRules({ parsed, texts: texts.with(rule, text) }).has(rule)
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
