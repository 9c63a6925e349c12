/** Reads rules that models parsed from instruction files and wrote again, wrong texts for them, and whole rewrites. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { compareMeaning } from '../../src/meaning/compare-meaning.ts'
import { FormatResponseSchema, type ParsedRule, ParseResponseSchema } from '../../src/rule-schema.ts'

const readText = (...path: Array<string>): string => readFileSync(join(import.meta.dirname, ...path), 'utf8')

/** A wrong text for the rule with the index `rule`. */
type Slip = { file: string; kind: string; rule: number; text: string }

/** The rules of one file, and the text that a model wrote for each. */
type Worded = { file: string; parsed: Array<ParsedRule>; formatted: Array<string> }

/** Reads ten files, with a right text for each rule. */
const wordedFiles = (): Array<Worded> =>
  readdirSync(join(import.meta.dirname, 'rules')).filter((name) => name.endsWith('.parsed.json')).sort()
    .map((name) => {
      const file = name.slice(0, 2)
      return {
        file,
        parsed: ParseResponseSchema.parse(JSON.parse(readText('rules', name))).rules,
        formatted: FormatResponseSchema.parse(JSON.parse(readText('rules', `${file}.formatted.json`))).rules,
      }
    })

/** How many texts there are (`of`), and how many of them format-rules doubts (`hits`). */
export type Rate = { hits: number; of: number }

/** Counts the right texts that are doubted, which should be none, and the doubted slips by their kind. */
export const ratesOfMeaning = (): { right: Rate; slips: Map<string, Rate> } => {
  const files = new Map(wordedFiles().map((file) => [file.file, file]))
  const right: Rate = { hits: 0, of: 0 }
  for (const { parsed, formatted } of files.values()) {
    right.hits += compareMeaning(parsed, [], formatted).length
    right.of += formatted.length
  }
  const slips = new Map<string, Rate>()
  for (const { file, kind, rule, text } of JSON.parse(readText('rules', 'slips.json')) as Array<Slip>) {
    const { parsed, formatted } = files.get(file)!
    const isDoubted = compareMeaning(parsed, [], formatted.with(rule, text)).some(({ path }) =>
      path[1] === rule
    )
    const { hits, of } = slips.get(kind) ?? { hits: 0, of: 0 }
    slips.set(kind, { hits: hits + Number(isDoubted), of: of + 1 })
  }
  return { right, slips }
}

/** A play of /rewrite-rules: a file, the rules and texts that a model sent for it, and the file after the rewrite. */
export type Play = {
  name: string
  before: string
  after: string
  parsed: Array<ParsedRule>
  texts: Array<string>
}

/** Reads the plays. */
export const plays = (): Array<Play> =>
  readdirSync(join(import.meta.dirname, 'plays'), { withFileTypes: true }).filter((item) =>
    item.isDirectory()
  )
    .map(({ name }) => {
      const read = (file: string): string => readText('plays', name, file)
      return {
        name,
        before: read('before.md'),
        after: read('after.md'),
        parsed: ParseResponseSchema.parse(JSON.parse(read('parsed.json'))).rules,
        texts: FormatResponseSchema.parse(JSON.parse(read('formatted.json'))).rules,
      }
    })
