/**
 * Plays random messages of a model in the real host, and compares what the model is shown with the files. The model
 * edits and reads real sources, by their names and by links, each call made from what its last request shows, while real
 * formatters and shell commands change the same files.
 *
 * By hand: `bun test/formatting/fuzz.ts [messages] [seed] [formatter] [setting] [calls]` prints how many messages got
 * each verdict, and the messages whose view of a file is untrue.
 */
import { readFileSync, symlinkSync } from 'node:fs'
import { compileDprintPlugin } from '../harness/dprint.ts'
import { type Host, type Project, startHost } from '../harness/host.ts'
import { callsIn, type ModelRequest } from '../harness/model.ts'
import { configOf, FORMATTERS, type FuzzFormatter, type Setting } from './fuzz/formatters.ts'
import {
  type Judgement,
  type PlayedFile,
  Player,
  SIGNS,
  UNTRUE,
  type Verdict,
  VERDICTS,
} from './fuzz/player.ts'
import { type Random, randomOf } from './fuzz/random.ts'
import { readSources, type Source } from './fuzz/sources.ts'

const MESSAGES_PER_SESSION = 10
const SESSIONS_AT_ONCE = 2

/** How many messages got each verdict. */
export type Counts = Record<Verdict, number>

type FuzzOptions = {
  /** The host that plays the sessions; default: one of its own. */
  host?: Host
  messages: number
  /** The most messages of one session. */
  messagesPerSession?: number
  seed: number
  settings: ReadonlyArray<Setting>
  /** The most calls of one message. */
  calls: number
  /** Matches the names of the formatters to run; all by default. */
  only?: RegExp
  onJudged?(judged: Judgement, formatter: string, source: string): unknown
}

/** A session that edits two sources in a project of its own. */
type Play = Pick<FuzzOptions, 'messages' | 'calls'> & {
  host: Host
  random: Random
  formatter: FuzzFormatter
  sources: Array<Source>
  tool: 'edit' | 'apply_patch'
  setting: Setting
  onJudged(judged: Judgement): void
}

/** A rule against signs that formatters insert too. SAT must report only lines that a call wrote. */
const RULE = `---\nforbid: '${SIGNS}'\n---\nNo such signs.\n`

/** A generated file: in some sessions, the formatter's command also writes the checksums of the sources to it. */
const INDEX = 'index.txt'

/** Writes a source to a project, with a link to it. Returns null if the formatter cannot parse it. */
const writeSource = async (
  project: Project,
  name: string,
  { text, extension }: Source,
  { random, formatter }: Pick<Play, 'random' | 'formatter'>,
): Promise<PlayedFile | null> => {
  const path = project.path(name)
  project.write(name, text)
  // Most files of a project are as its formatter leaves them.
  const tidy = random.below(10) < 7 ? await formatter.format(text, path) : text
  if (tidy === null) return null
  project.write(name, tidy)
  const link = project.path(`link-${name}`)
  symlinkSync(path, link)
  return {
    paths: [path, ...(random.oneIn(2) ? [link] : [])],
    extension,
    read: () => readFileSync(path, 'utf8'),
  }
}

/** Plays one session. Plays nothing if the formatter cannot parse a source. */
const play = async ({ host, sources, setting, messages, ...rest }: Play): Promise<void> => {
  const { random, formatter, tool } = rest
  const { extension } = sources[0]!
  const names = [`file${extension}`, `other${extension}`]
  const writesIndex = random.oneIn(3)
  const command = writesIndex
    ? `${formatter.command}; cksum ${names.join(' ')} > ${INDEX}`
    : formatter.command
  const config = { ...configOf(setting, { ...formatter, command }), lsp: false }
  const projectFiles = { ...formatter.files, [INDEX]: 'none\n', '.opencode/rules/signs.md': RULE }
  const project = host.project({ config, files: projectFiles })
  const files: Array<PlayedFile> = []
  for (const [index, name] of names.entries()) {
    const file = await writeSource(project, name, sources[index]!, rest)
    if (!file) return
    files.push(file)
  }
  if (writesIndex) {
    const path = project.path(INDEX)
    files.push({ paths: [path], extension: '.txt', generated: true, read: () => readFileSync(path, 'utf8') })
  }
  const player = new Player({ ...rest, directory: project.path(''), files })
  // Judges by the last calls that a request shows, and their results.
  const judge = ({ messages: shown }: ModelRequest) =>
    player.judge(callsIn({ messages: shown.slice(shown.findLastIndex((message) => message.tool_calls)) }))
  const steps = Array.from({ length: messages + 1 }, (_, index) => async (request: ModelRequest) => {
    judge(request)
    const calls = index < messages ? await player.next() : []
    return calls.length > 0 ? calls : 'Done.'
  })
  const session = await project.session()
  await session.turnAs({ model: tool === 'apply_patch' ? 'gpt-5.2' : 'm' }, 'go', player.start(), ...steps)
}

const total = (counts: Counts): number => Object.values(counts).reduce((sum, count) => sum + count, 0)

/** Plays sessions, with one formatter after the other, until `messages` are judged. */
export const fuzz = async (
  {
    messages,
    messagesPerSession = MESSAGES_PER_SESSION,
    seed,
    settings,
    calls,
    only = /./,
    onJudged,
    ...options
  }: FuzzOptions,
): Promise<Counts> => {
  compileDprintPlugin()
  const counts = Object.fromEntries(VERDICTS.map((verdict) => [verdict, 0])) as Counts
  const sources = readSources()
  const formatters = FORMATTERS.filter(({ name }) => only.test(name))
  const host = options.host ?? await startHost({ plugin: [] })
  let sessions = 0
  const playNext = async (): Promise<void> => {
    const index = sessions++
    const random = randomOf(seed + index)
    const formatter = formatters[index % formatters.length]!
    const source = random.pick(sources.filter(({ extension }) => formatter.extensions.includes(extension)))
    const other = random.pick(sources.filter(({ extension }) => extension === source.extension))
    await play({
      host,
      random,
      formatter,
      sources: [source, other],
      tool: random.oneIn(4) ? 'apply_patch' : 'edit',
      setting: settings[index % settings.length]!,
      messages: Math.min(messagesPerSession, messages - total(counts)),
      calls,
      onJudged: (judged) => {
        counts[judged.verdict] += 1
        onJudged?.(judged, formatter.name, source.name)
      },
    })
  }
  const playOn = async (): Promise<void> => {
    while (total(counts) < messages) await playNext()
  }
  await Promise.all(Array.from({ length: SESSIONS_AT_ONCE }, playOn))
  if (!options.host) await host.stop()
  return counts
}

if (import.meta.main) {
  const [messages = '600', seed = '1', only = '', setting, calls = '3'] = process.argv.slice(2)
  const settings = setting === undefined ? ['option', 'host'] as const : [setting as Setting]
  const onJudged = ({ verdict, reason, ...rest }: Judgement, formatter: string, source: string): void => {
    if (!UNTRUE.includes(verdict)) return
    console.info(`${verdict} ${reason} (${formatter}; ${source})\n${JSON.stringify(rest)}`)
  }
  const options = {
    messages: Number(messages),
    seed: Number(seed),
    only: new RegExp(only),
    settings,
    calls: Number(calls),
  }
  console.table({ [settings.join(' and ')]: await fuzz({ ...options, onJudged }) })
}
