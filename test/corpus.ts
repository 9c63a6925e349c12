/** Rules that a model parsed and worded from real instruction files, with slips that were made on purpose. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { compareMeaning } from '../src/meaning/meaning.ts'
import { FormatResponseSchema, type Mode, ModeSchema, ParseResponseSchema } from '../src/rule-schema.ts'
import { modeIssues } from '../src/tools/mode.ts'

const FOLDER = join(import.meta.dirname, 'corpus')

const read = (name: string): unknown => JSON.parse(readFileSync(join(FOLDER, name), 'utf8'))

const names = new Set(readdirSync(FOLDER))

const modeOf = (file: string): Mode | undefined =>
  names.has(`${file}.mode`)
    ? ModeSchema.parse(readFileSync(join(FOLDER, `${file}.mode`), 'utf8').trim())
    : undefined

const FILES = [...names].filter((name) => name.endsWith('.parsed.json')).sort().map((name) => {
  const file = name.slice(0, -'.parsed.json'.length)
  return {
    file,
    parsed: ParseResponseSchema.parse(read(name)).rules,
    formatted: FormatResponseSchema.parse(read(`${file}.formatted.json`)).rules,
    mode: modeOf(file),
  }
})

const Mutants = z.array(z.object({ file: z.string(), rule: z.number(), kind: z.string(), text: z.string() }))

const Structure = z.array(
  z.object({
    file: z.string(),
    drop: z.array(z.number()).optional(),
    merge: z.array(z.number()).optional(),
    text: z.string().optional(),
  }),
)

const fileOf = (name: string) => FILES.find(({ file }) => file === name)!

/** How many of a kind were seen, or refused. */
export type Rate = { hits: number; of: number }

/** How the guard of meaning does on the corpus: right wordings and whole files refused, slips seen by kind. */
export const corpusRates = (): { wordings: Rate; files: Rate; slips: Map<string, Rate> } => {
  const refused = FILES.map(({ parsed, formatted, mode }) => {
    const { issues, withoutReason } = compareMeaning(parsed, formatted)
    return issues.length + (mode === undefined ? [] : modeIssues(formatted, mode, withoutReason)).length
  })
  const slips = new Map<string, Rate>()
  const note = (kind: string, isSeen: boolean) => {
    const { hits, of } = slips.get(kind) ?? { hits: 0, of: 0 }
    slips.set(kind, { hits: hits + (isSeen ? 1 : 0), of: of + 1 })
  }
  for (const { file, rule, kind, text } of Mutants.parse(read('mutants.json'))) {
    const { parsed, formatted } = fileOf(file)
    const { issues } = compareMeaning(parsed, formatted.with(rule, text))
    note(kind, issues.some(({ path }) => path[1] === rule))
  }
  for (const { file, drop, merge = [], text = '' } of Structure.parse(read('structure.json'))) {
    const { parsed, formatted } = fileOf(file)
    const [first, ...others] = merge
    const changed = (first === undefined ? formatted : formatted.with(first, text))
      .filter((_, index) => !(drop ?? others).includes(index))
    note(drop ? 'dropped' : 'merged', compareMeaning(parsed, changed).issues.length > 0)
  }
  return {
    wordings: {
      hits: refused.reduce((one, other) => one + other, 0),
      of: FILES.flatMap((one) => one.formatted).length,
    },
    files: { hits: refused.filter((amount) => amount > 0).length, of: FILES.length },
    slips,
  }
}
