/** What stands before the words of a rule and stays: lead-ins and labels. */
import type { Block } from './blocks.ts'

const LEAD_IN = /[:：]["'*_”’»）)\]]*(?=\s|$)|：["'*_”’»）)\]]*|\s[-–—](?=\s)/g

// What names a rule: "**A-1 (MUST)** …", "[A-1] …", "A-1 …", "【A】…", "Step 1. …".
const LABEL =
  /^(?:(?:\*\*|__)[^*_]*[A-Z]-?\d[^*_]*(?:\*\*|__)(?=\s)|(?:\[\S{1,12}\]|[A-Z]{1,6}-\d+)(?=\s)|【[^【】]{1,12}】|\p{Lu}\p{L}+ \d{1,3}[.)](?=\s))/u

const BOLD_LABEL = /^(\*\*|__)[^*_\r\n]{1,40}(?:[:：]\1|\1\s*[:：])/

/** Gives the label in bold that a sentence within a line begins with, such as `**Tests:**`; empty where there is none. */
export const boldLabelOf = (sentence: string): string => BOLD_LABEL.exec(sentence)?.[0] ?? ''

/**
 * Finds the lead-in or the label that a block begins with: up to the last colon or dash in its first sentence that no source
 * takes in. `Rule:` is one in any case.
 */
export const beginningOf = (
  { masked }: Block,
  sentence: number,
  restated: number,
): [kind: 'lead-in' | 'label', length: number] => {
  if (masked.startsWith('Rule:')) return ['lead-in', 'Rule:'.length]
  const ends = Array.from(
    masked.slice(0, sentence).matchAll(LEAD_IN),
    ({ index, 0: { length } }) => index + length,
  )
  const leadIn = ends.findLast((end) => end <= restated)
  const label = LABEL.exec(masked)?.[0].length ?? 0
  return leadIn !== undefined ? ['lead-in', leadIn] : ['label', label <= restated ? label : 0]
}
