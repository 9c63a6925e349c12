/** Reads rules that models parsed from instruction files and wrote again, wrong texts for them, and whole rewrites. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { compareMeaning } from '../../src/meaning/compare-meaning.ts'
import { FormatResponseSchema, type ParsedRule, ParseResponseSchema } from '../../src/rule-schema.ts'

const readText = (...path: Array<string>): string => readFileSync(join(import.meta.dirname, ...path), 'utf8')
const parsedIn = (...path: Array<string>) => ParseResponseSchema.parse(JSON.parse(readText(...path))).rules
const textsIn = (...path: Array<string>) => FormatResponseSchema.parse(JSON.parse(readText(...path))).rules

/** The rules of one file, and the right text that a model wrote for each. */
type WordedFile = { parsed: Array<ParsedRule>; texts: Array<string> }

/** Reads ten files by their numbers. */
const readWordedFiles = (): Map<string, WordedFile> => {
  const names = readdirSync(join(import.meta.dirname, 'rules'))
  const files = names.filter((name) => name.endsWith('.parsed.json')).map((name) => name.slice(0, 2))
  return new Map(files.map((file) => [file, {
    parsed: parsedIn('rules', `${file}.parsed.json`),
    texts: textsIn('rules', `${file}.formatted.json`),
  }]))
}

/** A wrong text for the rule with the index `rule`. */
type Slip = { file: string; kind: string; rule: number; text: string }

/** How many texts there are (`of`), and how many of them format-rules doubts (`hits`). */
export type Rate = { hits: number; of: number }

/** Counts the right texts that are doubted, which should be none, and the doubted slips by their kind. */
export const ratesOfMeaning = (): { right: Rate; slips: Map<string, Rate> } => {
  const files = readWordedFiles()
  const right: Rate = { hits: 0, of: 0 }
  for (const { parsed, texts } of files.values()) {
    right.hits += compareMeaning(parsed, [], texts).length
    right.of += texts.length
  }
  const slips = new Map<string, Rate>()
  for (const { file, kind, rule, text } of JSON.parse(readText('rules', 'slips.json')) as Array<Slip>) {
    const { parsed, texts } = files.get(file)!
    const doubts = compareMeaning(parsed, [], texts.with(rule, text))
    const isDoubted = doubts.some(({ path }) => path[1] === rule)
    const { hits, of } = slips.get(kind) ?? { hits: 0, of: 0 }
    slips.set(kind, { hits: hits + Number(isDoubted), of: of + 1 })
  }
  return { right, slips }
}

/** A play of /rewrite-rules: a file, the rules and texts that a model sent for it, and the file after the rewrite. */
type Play = WordedFile & { name: string; before: string; after: string }

/** Reads the plays. */
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
