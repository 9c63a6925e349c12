/**
 * The law of format on save, by chance: in the real host a model edits real sources, each time from what its last
 * request shows, while real formatters change them; and what it is shown is compared with the file.
 *
 * By hand: `bun test/format-on-save-fuzz.ts [edits] [seed] [formatter]`; it prints the table and each call that is
 * left untrue.
 */
import { compileDprintPlugin } from './dprint.ts'
import { FORMATTERS } from './fuzz/formatters.ts'
import { playInHost, type Setting } from './fuzz/in-host.ts'
import type { Judged, Verdict } from './fuzz/player.ts'
import { randomOf } from './fuzz/random.ts'
import { readSources } from './fuzz/sources.ts'
import { startHost } from './host.ts'

const CALLS_A_FILE = 10
const FILES_AT_ONCE = 2

/** How many calls got each verdict. */
export type Counts = Record<Verdict, number>

export type FuzzOptions = {
  edits: number
  seed: number
  settings: ReadonlyArray<Setting>
  /** A part of the formatter's name; all by default. */
  only?: string
  onJudged?(judged: Judged, formatter: string, source: string): void
}

const none = (): Counts => ({
  'true as sent': 0,
  corrected: 0,
  noted: 0,
  silent: 0,
  wrong: 0,
  fails: 0,
})

const total = (counts: Counts): number => Object.values(counts).reduce((sum, count) => sum + count, 0)

/** Plays until so many edits are judged, over all formatters. */
export const fuzz = async ({ edits, seed, settings, only = '', onJudged }: FuzzOptions): Promise<Counts> => {
  compileDprintPlugin()
  const counts = none()
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
      calls: Math.min(CALLS_A_FILE, edits - total(counts)),
      onJudged: (judged) => {
        counts[judged.verdict] += 1
        onJudged?.(judged, formatter.name, source.name)
      },
    })
  }
  const play = async (): Promise<void> => {
    while (total(counts) < edits) await playNext()
  }
  await Promise.all(Array.from({ length: FILES_AT_ONCE }, play))
  await host.stop()
  return counts
}

const UNTRUE: ReadonlyArray<Verdict> = ['silent', 'wrong', 'fails']

const show = (
  { verdict, why, sent, shown, believed, text }: Judged,
  formatter: string,
  source: string,
): void => {
  if (!UNTRUE.includes(verdict)) return
  const seen = { sent, shown: shown.args, output: shown.output, believed, text }
  console.info(`${verdict} ${why} (${formatter}; ${source})\n${JSON.stringify(seen)}`)
}

if (import.meta.main) {
  const [edits = '600', seed = '1', only = ''] = process.argv.slice(2)
  const options = { seed: Number(seed), only }
  const withSat = await fuzz({
    ...options,
    edits: Number(edits),
    settings: ['option', 'host'],
    onJudged: show,
  })
  const without = await fuzz({ ...options, edits: Math.ceil(Number(edits) / 3), settings: ['without SAT'] })
  console.table({ 'with SAT': withSat, without })
}
