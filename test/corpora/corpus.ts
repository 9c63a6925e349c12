/**
 * Reads rules that models parsed from real files. `rules/` has a right text (a correct rewrite) for each rule, and
 * wrong texts (slips) for some rules. `plays/` has recorded runs of `/rewrite-rules`.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { compareMeaning } from '../../src/meaning/compare-meaning.ts'
import { FormatResponseSchema, type ParsedRule, ParseResponseSchema } from '../../src/rule-schema.ts'

const readText = (...path: Array<string>): string => readFileSync(join(import.meta.dirname, ...path), 'utf8')

/** `texts[0]` is the text of the rule `parsed[0]`. */
type RulesWithTexts = { parsed: Array<ParsedRule>; texts: Array<string> }

const rulesIn = (folder: string, prefix = ''): RulesWithTexts => ({
  parsed: ParseResponseSchema.parse(JSON.parse(readText(folder, `${prefix}parsed.json`))).rules,
  texts: FormatResponseSchema.parse(JSON.parse(readText(folder, `${prefix}formatted.json`))).rules,
})

const readRightTexts = (): Map<string, RulesWithTexts> => {
  const names = readdirSync(join(import.meta.dirname, 'rules'))
  const numbers = names.filter((name) => name.endsWith('.parsed.json')).map((name) => name.slice(0, 2))
  return new Map(numbers.map((number) => [number, rulesIn('rules', `${number}.`)]))
}

/** A wrong text of the rule `parsed[rule]`. `kind` names the mistake, such as `lost-negation`. */
type Slip = { file: string; kind: string; rule: number; text: string }

/** SAT doubts a text that seems to have lost a detail of its rule, such as `not`. `of` counts all texts. */
export type Rate = { doubted: number; of: number }

/** The path of an issue is `['rules', 3]` for the rule with the index 3. */
const doubtedRules = ({ parsed, texts }: RulesWithTexts): Set<unknown> =>
  new Set(compareMeaning(parsed, [], texts).map(({ path }) => path[1]))

/** Counts the texts that SAT doubts. At best, it doubts no right text, and all slips (faulty texts) of each kind. */
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
    const withSlip = { parsed, texts: texts.with(rule, text) }
    const { doubted, of } = slips.get(kind) ?? { doubted: 0, of: 0 }
    slips.set(kind, { doubted: doubted + (doubtedRules(withSlip).has(rule) ? 1 : 0), of: of + 1 })
  }
  return { right, slips }
}

type Play = RulesWithTexts & { name: string; before: string; after: string }

export const plays = (): Array<Play> => {
  const items = readdirSync(join(import.meta.dirname, 'plays'), { withFileTypes: true })
  return items.filter((item) => item.isDirectory()).map(({ name }) => ({
    name,
    before: readText('plays', name, 'before.md'),
    after: readText('plays', name, 'after.md'),
    ...rulesIn(join('plays', name)),
  }))
}
