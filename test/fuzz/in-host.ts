/** The real host with a project's formatter, and a model that edits one of its files. */
import { readFileSync } from 'node:fs'
import { CHECKOUT, type Host, type Project } from '../host.ts'
import { type ModelRequest, type Step, textOf } from '../model.ts'
import type { FuzzFormatter } from './formatters.ts'
import { type Judged, Player, type ShownCall } from './player.ts'
import type { Random } from './random.ts'
import type { Source } from './sources.ts'

/** Who formats: SAT by its option, the host with SAT beside it, or the host alone. */
export type Setting = 'option' | 'host' | 'without SAT'

export type Play = {
  host: Host
  random: Random
  formatter: FuzzFormatter
  source: Source
  tool: 'edit' | 'apply_patch'
  setting: Setting
  calls: number
  onJudged(judged: Judged): void
}

const configOf = (setting: Setting, { command, extensions }: FuzzFormatter): Record<string, unknown> => {
  const glob = `*{${extensions.join(',')}}`
  if (setting === 'option') return { plugin: [[CHECKOUT, { format_on_save: { [glob]: command } }]] }
  const own = { command: ['sh', '-c', command.replace('{path}', '"$1"'), 'sh', '$FILE'], extensions }
  return { plugin: setting === 'host' ? [CHECKOUT] : [], formatter: { own } }
}

/** The last call that a request shows, with its result. */
const lastCall = ({ messages }: ModelRequest): ShownCall | undefined => {
  const call = messages.flatMap(({ tool_calls = [] }) => tool_calls).at(-1)
  const result = messages.findLast(({ role }) => role === 'tool')
  if (!call || !result) return undefined
  const args = JSON.parse(call.function.arguments) as Record<string, unknown>
  return { tool: call.function.name, args, output: textOf(result) }
}

const startProject = (play: Play, name: string): Project =>
  play.host.project({
    config: { ...configOf(play.setting, play.formatter), lsp: false },
    files: { ...play.formatter.files, [name]: play.source.text },
    git: false,
  })

/** Plays so many calls on a source in a session of its own. */
export const playInHost = async (play: Play): Promise<void> => {
  const { random, formatter, source: { extension }, tool, calls, onJudged } = play
  const name = `file${extension}`
  const project = startProject(play, name)
  const path = project.path(name)
  const read = () => readFileSync(path, 'utf8')
  // Most files of a project are as its formatter leaves them.
  const tidy = random.below(10) < 7 ? await formatter.format(read(), path) : read()
  if (tidy === null) return
  project.write(name, tidy)
  const player = new Player({ random, formatter, tool, path, name, extension, read, onJudged })
  const step: Step = async (request) => {
    player.judge(lastCall(request))
    return (await player.next()) ?? 'Done.'
  }
  const last: Step = (request) => {
    player.judge(lastCall(request))
    return 'Done.'
  }
  const session = await project.session()
  const model = tool === 'apply_patch' ? 'gpt-5.2' : 'm'
  await session.turnAs({ model }, 'go', ...Array.from({ length: calls }, () => step), last)
}
