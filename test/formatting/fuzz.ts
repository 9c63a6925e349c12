/**
 * The law of format on save, by chance: in the real host a model edits real sources, one to three calls a message, each
 * from what its last request shows, while real formatters change them; and what it is shown is compared with the file.
 *
 * By hand: `bun test/formatting/fuzz.ts [messages] [seed] [formatter] [setting] [calls]`; it prints the table and
 * each message that is left untrue.
 */
import { compileDprintPlugin } from '../harness/dprint.ts'
import { startHost } from '../harness/host.ts'
import { FORMATTERS } from './fuzz/formatters.ts'
import { playInHost, type Setting } from './fuzz/in-host.ts'
import { type Judged, UNTRUE, type Verdict, VERDICTS } from './fuzz/player.ts'
import { randomOf } from './fuzz/random.ts'
import { readSources } from './fuzz/sources.ts'

const MESSAGES_A_FILE = 10
const FILES_AT_ONCE = 2

/** How many messages got each verdict. */
export type Counts = Record<Verdict, number>

export type FuzzOptions = {
  messages: number
  seed: number
  settings: ReadonlyArray<Setting>
  /** The most calls of one message. */
  calls: number
  /** A part of the formatter's name; all by default. */
  only?: string
  onJudged?(judged: Judged, formatter: string, source: string): void
}

const total = (counts: Counts): number => Object.values(counts).reduce((sum, count) => sum + count, 0)

/** Plays until so many messages are judged, over all formatters. */
export const fuzz = async (
  { messages, seed, settings, calls, only = '', onJudged }: FuzzOptions,
): Promise<Counts> => {
  compileDprintPlugin()
  const counts = Object.fromEntries(VERDICTS.map((verdict) => [verdict, 0])) as Counts
  const sources = readSources()
  const formatters = FORMATTERS.filter(({ name }) => name.includes(only))
  const host = await startHost({ plugin: [] })
  let files = 0
  const playNext = async (): Promise<void> => {
    const index = files++
    const random = randomOf(seed + index)
    const formatter = formatters[index % formatters.length]!
    const fitting = sources.filter(({ extension }) => formatter.extensions.includes(extension))
    const source = random.pick(fitting)
    await playInHost({
      host,
      random,
      formatter,
      source,
      tool: random.oneIn(4) ? 'apply_patch' : 'edit',
      setting: settings[index % settings.length]!,
      messages: Math.min(MESSAGES_A_FILE, messages - total(counts)),
      calls,
      onJudged: (judged) => {
        counts[judged.verdict] += 1
        onJudged?.(judged, formatter.name, source.name)
      },
    })
  }
  const play = async (): Promise<void> => {
    while (total(counts) < messages) await playNext()
  }
  await Promise.all(Array.from({ length: FILES_AT_ONCE }, play))
  await host.stop()
  return counts
}

const show = (judged: Judged, formatter: string, source: string): void => {
  const { verdict, why, ...rest } = judged
  if (UNTRUE.includes(verdict)) {
    console.info(`${verdict} ${why} (${formatter}; ${source})\n${JSON.stringify(rest)}`)
  }
}

if (import.meta.main) {
  const [messages = '600', seed = '1', only = '', setting, calls = '3'] = process.argv.slice(2)
  const settings = setting === undefined ? ['option', 'host'] as const : [setting as Setting]
  const counts = await fuzz({
    messages: Number(messages),
    seed: Number(seed),
    only,
    settings,
    calls: Number(calls),
    onJudged: show,
  })
  console.table({ [settings.join(' and ')]: counts })
}
