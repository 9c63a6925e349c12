import { strengthFault, surfaceForm } from './deontic.ts'
import { matchRules } from './match-rules.ts'
import { quote } from './quote.ts'
import type { ParsedRule } from './rule-schema.ts'
import type { Issue } from './schema-issues.ts'

const SHOWN = 100

const numbers = (indexes: Array<number>): string => indexes.map((index) => index + 1).join(', ')

const gather = (links: Array<[number, number]>): Map<number, Array<number>> => {
  const gathered = new Map<number, Array<number>>()
  for (const [key, index] of links) {
    gathered.set(
      key,
      [...(gathered.get(key) ?? []), index].sort((a, b) => a - b),
    )
  }
  return gathered
}

/**
 * What formatted rules no longer say as they were parsed (spec.md, Meaning): rules that were dropped, merged, split or
 * added, and those whose strength was lost or turned round. Each is named by its number, counted from 1, and its text.
 */
export const meaningIssues = (parsed: Array<ParsedRule>, formatted: Array<string>): Array<Issue> => {
  const { pairs, dropped, merged, split, added } = matchRules(parsed, formatted)
  const expected = (index: number) => quote(surfaceForm(parsed[index]!), SHOWN)
  const pairOf = new Map(pairs.map((pair) => [pair.formatted, pair.parsed]))
  const formattedOf = new Map(pairs.map((pair) => [pair.parsed, pair.formatted]))

  const droppedIssues = dropped.map((index): Issue => ({
    path: ['rules'],
    message: `parsed rule ${index + 1} was dropped; expected a rule that says ${
      expected(index)
    }, or a new parse-rules without it`,
  }))
  const mergedIssues = [...gather(merged.map((one) => [one.formatted, one.parsed]))].map(
    ([at, more]): Issue => {
      const all = [...more, ...[pairOf.get(at)].filter((index) => index !== undefined)].sort((a, b) => a - b)
      return {
        path: ['rules', at],
        message: `rule ${at + 1} merges the parsed rules ${numbers(all)}; expected one rule for each; got ${
          quote(formatted[at]!, SHOWN)
        }`,
      }
    },
  )
  const splitIssues = [...gather(split.map((one) => [one.parsed, one.formatted]))].map(
    ([index, more]): Issue => {
      const all = [...more, ...[formattedOf.get(index)].filter((at) => at !== undefined)].sort((a, b) =>
        a - b
      )
      return {
        path: ['rules', more[0]!],
        message: `the rules ${numbers(all)} split the parsed rule ${index + 1}; expected one that says ${
          expected(index)
        }`,
      }
    },
  )
  const addedIssues = added.map((at): Issue => ({
    path: ['rules', at],
    message: `rule ${
      at + 1
    } says nothing that was parsed; expected only the ${parsed.length} parsed rules; got ${
      quote(formatted[at]!, SHOWN)
    }`,
  }))
  const strengthIssues = pairs.sort((a, b) => a.formatted - b.formatted).flatMap((pair): Array<Issue> => {
    const rule = parsed[pair.parsed]!
    const text = formatted[pair.formatted]!
    const fault = strengthFault(rule, text)
    return fault === undefined ? [] : [{
      path: ['rules', pair.formatted],
      message: `rule ${pair.formatted + 1} ${fault}: parsed rule ${
        pair.parsed + 1
      } is ${rule.strength}, expected like ${expected(pair.parsed)}; got ${quote(text, SHOWN)}`,
    }]
  })
  return [...droppedIssues, ...mergedIssues, ...splitIssues, ...addedIssues, ...strengthIssues]
}
