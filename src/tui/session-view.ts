/**
 * What the terminal shows of a session. It is read from the metadata of the session's messages alone, where the plugin
 * writes what the model was sent.
 */

import { METADATA_KEY } from '../host/message-parts.ts'
import { isHiddenPart, type SessionRules, sessionRulesOf } from '../host/session-rules.ts'

type RuleInForce = SessionRules['inForce'][number]

const NO_RULES: SessionRules = {
  inForce: [],
  waiting: [],
  offered: [],
  otherAgents: [],
  leftOut: [],
  instructions: [],
  folders: [],
}

/** What SAT did in one session. */
export type SessionView = SessionRules & {
  /** The files that were formatted after the agent wrote them. */
  formatted: Array<string>
  /** How many of the agent's calls were corrected to say what the file says. */
  corrected: number
}

/** The fields of a part of a message that are read here. */
export type ViewedPart = { type?: string; metadata?: unknown; state?: unknown }

const fieldOf = (value: unknown, name: string): unknown => Object(value)[name]

// A session may have been written by an older SAT, whose metadata has fewer lists.
const listOf = <T>(value: unknown, name: string): Array<T> => {
  const list = fieldOf(value, name)
  return Array.isArray(list) ? list : []
}

/** Whether these parts hold the message with the session's rules. */
export const hasRulesPart = (parts: Array<ViewedPart>): boolean => parts.some(isHiddenPart)

/**
 * Reads the parts of a session, the oldest first: the rules of the newest message with rules, and all that was
 * formatted.
 *
 * @returns `null` where there is nothing to show
 */
export const viewOf = (parts: Array<ViewedPart>): SessionView | null => {
  const formats = parts.map(({ state }) => fieldOf(fieldOf(state, 'metadata'), METADATA_KEY)).filter(
    (mark) => mark !== undefined,
  )
  const view: SessionView = {
    ...(sessionRulesOf(parts) ?? NO_RULES),
    formatted: [...new Set(formats.flatMap((mark) => listOf<string>(mark, 'formatted')))],
    corrected: formats.filter((mark) => fieldOf(mark, 'corrected') === true).length,
  }
  const { inForce, waiting, offered, leftOut, formatted, corrected } = view
  const isSilent = [inForce, waiting, offered, leftOut, formatted].every((list) => list.length === 0)
  return isSilent && corrected === 0 ? null : view
}

// English text and code take about four bytes a token with the tokenizers of today.
const BYTES_PER_TOKEN = 4

/** Estimates the tokens of so many bytes, such as `~120`. */
export const tokensOf = (bytes: number): string => `~${Math.round(bytes / BYTES_PER_TOKEN)}`

/** Adds up the bytes that the rules in force take in each request. */
export const bytesHeld = (view: SessionView): number =>
  view.inForce.reduce((sum, { bytes }) => sum + bytes, 0)

/** Says why a rule is in force: `always`, or the file that it joined for. */
export const whyOf = ({ why, file }: RuleInForce): string => why === 'file' ? file ?? 'a file' : 'always'

// East Asian letters and pictures take two columns of a terminal, marks on a letter none.
const WIDE =
  /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\u{20000}-\u{3FFFD}]|\p{Emoji_Presentation}/u
const columnsOf = (character: string): number =>
  /[\p{M}\p{Cf}]/u.test(character) ? 0 : WIDE.test(character) ? 2 : 1

/** Counts the columns that a text takes in a terminal. */
export const widthOf = (text: string): number =>
  [...text].reduce((sum, character) => sum + columnsOf(character), 0)

/** The first of some characters, as many as fit into a width. */
const firstOf = (characters: Array<string>, width: number): Array<string> => {
  let left = width
  const end = characters.findIndex((character) => (left -= columnsOf(character)) < 0)
  return end < 0 ? characters : characters.slice(0, end)
}

/** Cuts a text to a width, its end with `…`. */
export const cut = (text: string, width: number): string =>
  widthOf(text) <= width ? text : `${firstOf([...text], width - 1).join('')}…`

/** Cuts a path to a width, its beginning with `…`: a person looks for the name of the file. */
export const cutPath = (path: string, width: number): string =>
  widthOf(path) <= width ? path : `…${firstOf([...path].reverse(), width - 1).reverse().join('')}`
