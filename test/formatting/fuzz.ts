/**
 * Fuzzes format on save in the real host, with random edits of real sources.
 * Run by hand: `bun test/formatting/fuzz.ts [messages] [seed] [formatter] [setting]`.
 */
import { symlinkSync } from 'node:fs'
import { compileDprintPlugin } from '../harness/dprint.ts'
import { type Host, PATCH_MODEL, startHost } from '../harness/host.ts'
import { callsIn, type ModelRequest } from '../harness/model.ts'
import type { PlayedFile } from './fuzz/belief.ts'
import { FORMATTERS } from './fuzz/formatters.ts'
import { FAULTS, type Judgement, type Verdict, VERDICTS } from './fuzz/judge.ts'
import { Player, type PlayerOptions } from './fuzz/player.ts'
import { randomOf } from './fuzz/random.ts'
import { FORBIDDEN } from './fuzz/rule-reports.ts'
import { readSources, type Source } from './fuzz/sources.ts'
import { configOf, type Setting } from './settings.ts'

const SESSIONS_AT_ONCE = 2

export type Counts = Record<Verdict, number>

type FuzzOptions = {
  host?: Host
  messages: number
  messagesPerSession?: number
  seed: number
  settings: ReadonlyArray<Setting>
  formatterNames?: RegExp
  onJudged?(judgement: Judgement, formatter: string, source: string): unknown
}

type FuzzSession = Omit<PlayerOptions, 'files'> & {
  host: Host
  messageCount: number
  /** The initial texts of the two files that the model edits. Both files have the same extension. */
  sources: [Source, Source]
  setting: Setting
}

// Forbids signs that formatters also insert, to test that SAT reports only lines that a call wrote.
const RULE = `---\nforbid: '${FORBIDDEN}'\n---\nNo such signs.\n`

const GENERATED_FILE = 'index.txt'

const stepsOf = (player: Player, messageCount: number) =>
  Array.from({ length: messageCount + 1 }, (_, index) => async (request: ModelRequest) => {
    const lastCallsAt = request.messages.findLastIndex(({ tool_calls }) => tool_calls)
    player.judge(callsIn({ messages: request.messages.slice(lastCallsAt) }))
    // The last step only judges.
    const calls = index < messageCount ? await player.next() : []
    return calls.length > 0 ? calls : 'Done.'
  })

const playSession = async (fuzzSession: FuzzSession): Promise<void> => {
  const { random, formatter, tool, host, sources, setting, messageCount, onJudged } = fuzzSession
  const names = ['file', 'other'].map((name) => name + sources[0].extension)
  const hasGenerated = random.oneIn(3)
  const generate = hasGenerated ? `; cksum ${names.join(' ')} > ${GENERATED_FILE}` : ''
  const project = host.project({
    config: { ...configOf(setting, [{ ...formatter, command: formatter.command + generate }]), lsp: false },
    files: { ...formatter.files, [GENERATED_FILE]: 'none\n', '.opencode/rules/signs.md': RULE },
  })
  const files: Array<PlayedFile> = []
  for (const [index, name] of names.entries()) {
    const { text } = sources[index]!
    // Most files of a real project are formatted already.
    const written = random.below(10) < 7 ? await formatter.format(text, project.path(name)) : text
    if (written === null) return
    project.write(name, written)
    const link = `link-${name}`
    symlinkSync(project.path(name), project.path(link))
    const usedNames = random.oneIn(2) ? [name, link] : [name]
    files.push({ names: usedNames, paths: usedNames.map(project.path) })
  }
  if (hasGenerated) {
    files.push({ names: [GENERATED_FILE], paths: [project.path(GENERATED_FILE)], isGenerated: true })
  }
  const player = new Player({ random, formatter, tool, files, onJudged })
  const session = await project.session()
  const model = tool === 'apply_patch' ? PATCH_MODEL : 'm'
  await session.turnAs({ model }, 'go', player.start(), ...stepsOf(player, messageCount))
}

/** Plays sessions until at least `messages` messages are judged. */
export const fuzz = async (options: FuzzOptions): Promise<Counts> => {
  const { messages, messagesPerSession = 10, seed, settings, formatterNames = /./ } = options
  compileDprintPlugin()
  const host = options.host ?? await startHost({ plugin: [] })
  const counts = Object.fromEntries(VERDICTS.map((verdict) => [verdict, 0])) as Counts
  const remaining = () => messages - Object.values(counts).reduce((sum, count) => sum + count, 0)
  const sources = readSources()
  const formatters = FORMATTERS.filter(({ name }) => formatterNames.test(name))
  let nextIndex = 0
  const playUntilDone = async (): Promise<void> => {
    while (remaining() > 0) {
      const index = nextIndex++
      const random = randomOf(seed + index)
      const formatter = formatters[index % formatters.length]!
      const source = random.pick(sources.filter(({ extension }) => formatter.extensions.includes(extension)))
      const other = random.pick(sources.filter(({ extension }) => extension === source.extension))
      await playSession({
        host,
        random,
        formatter,
        sources: [source, other],
        tool: random.oneIn(4) ? 'apply_patch' : 'edit',
        setting: settings[index % settings.length]!,
        messageCount: Math.min(messagesPerSession, remaining()),
        onJudged: (judgement) => {
          counts[judgement.verdict] += 1
          options.onJudged?.(judgement, formatter.name, source.name)
        },
      })
    }
  }
  await Promise.all(Array.from({ length: SESSIONS_AT_ONCE }, playUntilDone))
  if (!options.host) await host.stop()
  return counts
}

if (import.meta.main) {
  const [messages = 600, seed = 1, formatterNames = '', setting] = process.argv.slice(2)
  const settings = setting === undefined ? ['option', 'host'] as const : [setting as Setting]
  const counts = await fuzz({
    messages: Number(messages),
    seed: Number(seed),
    formatterNames: new RegExp(formatterNames),
    settings,
    onJudged: ({ verdict, reason, ...details }, formatter, source) => {
      if (!FAULTS.includes(verdict)) return
      console.info(`${verdict} ${reason} (${formatter}; ${source})\n${JSON.stringify(details)}`)
    },
  })
  console.table({ [settings.join(' and ')]: counts })
}
