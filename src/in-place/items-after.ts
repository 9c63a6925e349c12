import type { Mode } from '../rule-schema.ts'
import { readMarkdown } from './blocks.ts'
import { lineStart } from './lines.ts'
import { indentOf, markersAfter } from './markers.ts'
import { joinLines, linesOfRule } from './rule-lines.ts'

/** Gives rules as further items of the list that a text ends with, lines ended by `\n`; null where it ends with none. */
export const itemsAfter = (text: string, rules: Array<string>, mode: Mode = 'balanced'): string | null => {
  const { lastList } = readMarkdown(text)
  if (lastList === undefined) return null
  const markers = markersAfter(text, lastList, rules.length)
  const { from } = lastList.items[0]!.marker
  const prefix = text.slice(lineStart(text, from), from)
  return rules.map((rule, index) => {
    const marker = markers[index]!
    const lines = joinLines(linesOfRule(rule, mode), prefix + indentOf(marker))
    return `${prefix}${marker.label}${marker.end}${lines}\n`
  }).join('')
}
