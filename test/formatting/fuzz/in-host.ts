/** The real host with a project's formatter, and a model that edits one of its files. */
import { readFileSync } from 'node:fs'
import { CHECKOUT, type Host, type Project } from '../../harness/host.ts'
import { callsIn, type ModelRequest, type ShownCall, type Step } from '../../harness/model.ts'
import type { FuzzFormatter } from './formatters.ts'
import { type Judged, Player } from './player.ts'
import type { Random } from './random.ts'
import type { Source } from './sources.ts'

/** Who formats: SAT by its option, the host together with SAT, or the host alone. */
export type Setting = 'option' | 'host' | 'without SAT'

export type Play = {
  host: Host
  random: Random
  formatter: FuzzFormatter
  source: Source
  tool: 'edit' | 'apply_patch'
  setting: Setting
  messages: number
  /** The most calls of one message. */
  calls: number
  onJudged(judged: Judged): void
}

const configOf = (setting: Setting, { command, extensions }: FuzzFormatter): Record<string, unknown> => {
  const glob = `*{${extensions.join(',')}}`
  if (setting === 'option') return { plugin: [[CHECKOUT, { format_on_save: { [glob]: command } }]] }
  const own = { command: ['sh', '-c', command.replace('{path}', '"$1"'), 'sh', '$FILE'], extensions }
  return { plugin: setting === 'host' ? [CHECKOUT] : [], formatter: { own } }
}

/** The calls of the last message that a request shows, with their results. */
const lastCalls = ({ messages }: ModelRequest): Array<ShownCall> =>
  callsIn({ messages: messages.slice(messages.findLastIndex((message) => message.tool_calls)) })

const startProject = (play: Play, name: string): Project =>
  play.host.project({
    config: { ...configOf(play.setting, play.formatter), lsp: false },
    files: { ...play.formatter.files, [name]: play.source.text },
  })

/** Plays so many messages on a source in a session of its own. */
export const playInHost = async (play: Play): Promise<void> => {
  const { random, formatter, source: { extension }, tool, messages, calls, onJudged } = play
  const name = `file${extension}`
  const project = startProject(play, name)
  const path = project.path(name)
  const read = () => readFileSync(path, 'utf8')
  // Most files of a project are as its formatter leaves them.
  const tidy = random.below(10) < 7 ? await formatter.format(read(), path) : read()
  if (tidy === null) return
  project.write(name, tidy)
  const player = new Player({ random, formatter, tool, path, name, extension, calls, read, onJudged })
  const step: Step = async (request) => {
    player.judge(lastCalls(request))
    const calls = await player.next()
    return calls.length > 0 ? calls : 'Done.'
  }
  const last: Step = (request) => {
    player.judge(lastCalls(request))
    return 'Done.'
  }
  const session = await project.session()
  const model = tool === 'apply_patch' ? 'gpt-5.2' : 'm'
  await session.turnAs({ model }, 'go', ...Array.from({ length: messages }, () => step), last)
}
