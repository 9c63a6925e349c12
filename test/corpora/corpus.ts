/** Rules that models parsed and worded from instruction files, with slips that were made on purpose; and whole rewrites. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { compareMeaning } from '../../src/meaning/compare-meaning.ts'
import { FormatResponseSchema, type ParsedRule, ParseResponseSchema } from '../../src/rule-schema.ts'

const at = (...path: Array<string>): string => readFileSync(join(import.meta.dirname, ...path), 'utf8')

/** A wrong text in place of rule number `rule`, from 0. */
type Slip = { file: string; kind: string; rule: number; text: string }

/** The rules of one file, and the texts that a model made of them. */
export type Worded = { file: string; parsed: Array<ParsedRule>; formatted: Array<string> }

/** Ten files, with a right text for each rule. */
export const wordedFiles = (): Array<Worded> =>
  readdirSync(join(import.meta.dirname, 'rules')).filter((name) => name.endsWith('.parsed.json')).sort()
    .map((name) => {
      const file = name.slice(0, 2)
      return {
        file,
        parsed: ParseResponseSchema.parse(JSON.parse(at('rules', name))).rules,
        formatted: FormatResponseSchema.parse(JSON.parse(at('rules', `${file}.formatted.json`))).rules,
      }
    })

/** How many of a kind there are, and how many of them were doubted. */
export type Rate = { hits: number; of: number }

/** Counts the right texts that are doubted, which none should be, and the slips that are, by their kind. */
export const ratesOfMeaning = (): { right: Rate; slips: Map<string, Rate> } => {
  const files = new Map(wordedFiles().map((one) => [one.file, one]))
  const right: Rate = { hits: 0, of: 0 }
  for (const { parsed, formatted } of files.values()) {
    right.hits += compareMeaning(parsed, [], formatted).length
    right.of += formatted.length
  }
  const slips = new Map<string, Rate>()
  for (const { file, kind, rule, text } of JSON.parse(at('rules', 'mutants.json')) as Array<Slip>) {
    const { parsed, formatted } = files.get(file)!
    const isSeen = compareMeaning(parsed, [], formatted.with(rule, text)).some(({ path }) => path[1] === rule)
    const { hits, of } = slips.get(kind) ?? { hits: 0, of: 0 }
    slips.set(kind, { hits: hits + Number(isSeen), of: of + 1 })
  }
  return { right, slips }
}

/** A play of /rewrite-rules: the file, what a model sent for it, and the file as a rewrite has to leave it. */
export type Play = {
  name: string
  before: string
  after: string
  parsed: Array<ParsedRule>
  texts: Array<string>
}

/** Reads the plays of real files. */
export const plays = (): Array<Play> =>
  readdirSync(join(import.meta.dirname, 'plays'), { withFileTypes: true }).filter((one) => one.isDirectory())
    .map(({ name }) => {
      const read = (file: string): string => at('plays', name, file)
      return {
        name,
        before: read('before.md'),
        after: read('after.md'),
        parsed: ParseResponseSchema.parse(JSON.parse(read('parsed.json'))).rules,
        texts: FormatResponseSchema.parse(JSON.parse(read('formatted.json'))).rules,
      }
    })
