/** The recorded session: a model that programs a small shop, some calls a message, in its own style. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** An edit is written down as the model meant it; its `oldString` is what the model then believes that it looks like. */
export type PlannedCall = { file: string; content: string } | { file: string; old: string; now: string }

const toCall = (section: string): PlannedCall => {
  const [, kind, file = '', text = ''] = /^(write|edit) (.*)\n([^]*)$/.exec(section)!
  if (kind === 'write') return { file, content: text }
  const [old = '', now = ''] = text.slice(0, -1).split('\n=>\n')
  return { file, old, now }
}

export const MESSAGES: Array<Array<PlannedCall>> = readFileSync(
  join(import.meta.dirname, '../../corpora/programming.txt'),
  'utf8',
).split(/^# .*\n/m).slice(1).map((message) => message.split(/^## /m).slice(1).map(toCall))

/** How many of the calls are edits. */
export const EDITS = MESSAGES.flat().filter((call) => 'old' in call).length
