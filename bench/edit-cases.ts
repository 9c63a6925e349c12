/** Generated source texts and edits, for laws that hold with any formatter. */
import fc from 'fast-check'
import { safe } from '../src/safe.ts'
import { onlyPlaceOf } from '../src/steps/realign/bare-text.ts'
import type { Span } from '../src/text/changed-range.ts'
import { lineStartsOf } from '../test/formatting/fuzz/edits.ts'
import { loadDprint } from '../test/formatting/fuzz/formatters.ts'
import { DPRINT_SETTINGS } from '../test/harness/dprint.ts'

const format = loadDprint(DPRINT_SETTINGS.typescript, DPRINT_SETTINGS.global)

/** Formats TypeScript in process with the plugin of the `dprint` command; returns null if it does not parse. */
export const formatTypeScript = (text: string): string | null => safe(() => format(text, 'file.ts')).data

/** A file, one edit of it, and the edited file, before any formatting. */
export type EditCase = { file: string; oldString: string; newString: string; raw: string; range: Span }

/** A text with random parts. */
const drawn = (parts: TemplateStringsArray, ...all: Array<fc.Arbitrary<unknown>>): fc.Arbitrary<string> =>
  fc.tuple(...all).map((values) => String.raw({ raw: parts }, ...values))

const name = fc.constantFrom(...'alpha beta total index user node value list key item'.split(' '))
const atom = fc.oneof(
  name,
  fc.nat(999).map(String),
  fc.constantFrom('"text"', "'it'", '"say \'x\'"', '`t`', 'true', 'null', '[]', '{}'),
)
const gap = fc.constantFrom('', ' ', '  ')
const expression: fc.Arbitrary<string> = fc.letrec<{ expression: string }>((tie) => ({
  expression: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    atom,
    fc.tuple(name, fc.array(tie('expression'), { maxLength: 4 }), gap)
      .map(([callee, given, space]) => `${callee}(${given.join(`,${space}`)})`),
    fc.tuple(tie('expression'), fc.constantFrom('+', '&&', '===', '||'), tie('expression'), gap)
      .map(([left, sign, right, space]) => `${left}${space}${sign}${space}${right}`),
    fc.array(tie('expression'), { minLength: 1, maxLength: 5 }).map((all) => `[${all.join(',')}]`),
    fc.array(drawn`${name}:${tie('expression')}`, { minLength: 1, maxLength: 4 })
      .map((all) => `{${all.join(', ')}}`),
    drawn`(${name}=>(${tie('expression')}))`,
  ),
})).expression

const end = fc.constantFrom(';', '', ' ;')
const indent = fc.constantFrom('', '  ', '    ', '\t')
const declared = drawn`${name}${fc.nat(9_999)}`
const simple = fc.oneof(
  drawn`${fc.constantFrom('const', 'let', 'var')} ${declared}${
    gap.map((space) => `${space}=${space}`)
  }${expression}${end}`,
  drawn`${name}(${expression})${end}`,
  drawn`${name}.field=${expression}${end}`,
)
const block = fc.tuple(fc.array(simple, { minLength: 1, maxLength: 4 }), indent)
  .map(([all, space]) => `{\n${all.map((one) => `${space}${one}`).join('\n')}\n}`)
const statement = fc.oneof(
  { weight: 4, arbitrary: simple },
  { weight: 1, arbitrary: drawn`if(${expression})${block}` },
  { weight: 1, arbitrary: drawn`function ${declared}(${name}){\n${block.map((body) => body.slice(1))}` },
  { weight: 1, arbitrary: drawn`// about ${name}   ${fc.nat(99)}` },
)
const imported = drawn`import {${declared}} from "${
  fc.constantFrom('fs', 'path', './a', '../b', 'zod')
}"${end}`

const source = fc.tuple(
  fc.array(imported, { maxLength: 4 }),
  fc.array(statement, { minLength: 2, maxLength: 14 }),
  fc.boolean(),
).map(([imports, statements, tidy]) => {
  const text = [...imports, ...statements].join('\n') + '\n'
  return tidy ? formatTypeScript(text) ?? text : text
})

/** An edit of a part of a file; null if the host would refuse it, or if it changes nothing. */
const caseOf = (file: string, start: number, stop: number, newString: string): EditCase | null => {
  const oldString = file.slice(start, stop)
  if (oldString.trim() === '' || newString === oldString) return null
  if (onlyPlaceOf(file, oldString) !== start) return null
  const raw = file.slice(0, start) + newString + file.slice(stop)
  return { file, oldString, newString, raw, range: { from: start, to: start + newString.length } }
}

/** Replaces, inserts or changes lines in one place. The old text occurs once, as the host requires. */
const editOf = (file: string): fc.Arbitrary<EditCase | null> => {
  const starts = lineStartsOf(file)
  const firstStatement = starts.findIndex((start) => !file.startsWith('import', start))
  const line = fc.integer({ min: Math.max(0, firstStatement), max: starts.length - 1 })
  const lines = fc.tuple(
    line,
    fc.integer({ min: 1, max: 3 }),
    fc.array(statement, { minLength: 1, maxLength: 3 }),
    fc.boolean(),
    fc.boolean(),
  )
    .map(([first, amount, texts, keepsOld, withFeed]) => {
      const start = starts[first]!
      const stop = (starts[first + amount] ?? file.length) - (withFeed ? 0 : 1)
      const old = file.slice(start, stop)
      const text = texts.join('\n') + (withFeed ? '\n' : '')
      return caseOf(file, start, stop, keepsOld ? old + (withFeed ? '' : '\n') + text : text)
    })
  const words = [...file.matchAll(/[\w$]+|"[^"\n]*"|'[^'\n]*'/g)]
  const word = fc.tuple(fc.nat(Math.max(0, words.length - 1)), fc.oneof(atom, expression)).map(
    ([which, text]) => {
      const { 0: old, index: at } = words[which] ?? { 0: '', index: -1 }
      // Extends the old text to the left until it occurs only once.
      for (let start = at; start > file.lastIndexOf('\n', at); start -= 1) {
        const made = caseOf(file, start, at + old.length, file.slice(start, at) + text)
        if (made) return made
      }
      return null
    },
  )
  const anImport = imported.map((text) => caseOf(file, 0, starts[1]!, file.slice(0, starts[1]) + text + '\n'))
  return fc.oneof({ weight: 60, arbitrary: lines }, { weight: 60, arbitrary: word }, {
    weight: 1,
    arbitrary: anImport,
  })
}

/** An edit after which formatting changes the file. */
export const editCase: fc.Arbitrary<EditCase & { formatted: string }> = source
  .chain(editOf)
  .map((made) => made && { ...made, formatted: formatTypeScript(made.raw) })
  .filter((made): made is EditCase & { formatted: string } =>
    made !== null && made.formatted !== null && made.formatted !== made.raw
  )
