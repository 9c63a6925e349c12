import { crlfToLf } from '../../../src/text/line-ending.ts'
import type { ShownCall } from '../../harness/model.ts'
import { applyCall } from './belief.ts'
import { drawEdit } from './edits.ts'
import type { FuzzFormatter } from './formatters.ts'
import {
  judgeFile,
  type Judgement,
  type PlayedCall,
  type PlayedFile,
  unjustifiedReport,
  VERDICTS,
} from './judge.ts'
import type { Random } from './random.ts'

export type PlayerOptions = {
  random: Random
  formatter: FuzzFormatter
  tool: 'edit' | 'apply_patch'
  files: Array<PlayedFile>
  onJudged(judgement: Judgement): void
}

const MAX_CALLS = 3
const DRAWS = 40

/** The line that a shell command adds to the end of a file. */
const SHELL_LINES: Record<string, string> = { '.css': '/* by a shell */', '.md': 'By a shell.' }

/** Returns a written text that the next edit is likely to touch, or null if it is too long. */
const recentOf = (text: unknown): string | null =>
  typeof text === 'string' && text.length < 2_000 && text.trim() !== '' ? crlfToLf(text).trim() : null

/** Plays a model: judges the calls of its last message, then draws those of the next from what it believes. */
export class Player {
  readonly #options: PlayerOptions
  readonly #believed: Map<PlayedFile, string>
  #sent: Array<PlayedCall> = []
  #recent: string | null = null

  constructor(options: PlayerOptions) {
    this.#options = options
    this.#believed = new Map(options.files.map((file) => [file, crlfToLf(file.read())]))
  }

  /** Returns the calls of the first message: a read of each file. */
  start(): Array<PlayedCall> {
    return this.#options.files.map(({ paths }) => ({ tool: 'read', args: { filePath: paths[0] } }))
  }

  /** Judges the calls of the last message, if they were drawn. */
  judge(shown: Array<ShownCall>): void {
    const [sent, believed] = [this.#sent, this.#believed]
    if (shown.length !== sent.length) return
    const unjustified = unjustifiedReport(believed, sent, shown)
    const judgements = [...believed].map(([file, before]) => {
      const judged = judgeFile(file, before, sent, shown)
      believed.set(file, judged.after)
      return { ...judged, reason: `${file.names[0]}: ${judged.reason}` }
    })
    if (unjustified !== '') {
      judgements[0] = { ...judgements[0]!, verdict: 'marks another', reason: unjustified }
    }
    const [worst] = judgements.toSorted((a, b) => VERDICTS.indexOf(b.verdict) - VERDICTS.indexOf(a.verdict))
    this.#options.onJudged({ ...worst!, sent, shown })
    const { newString, content } = shown.findLast(({ tool }) => tool !== 'read')?.args ?? {}
    this.#recent = recentOf(newString ?? content)
  }

  /** Draws the calls of the next message; none if no edit of the files could be drawn. */
  async next(): Promise<Array<PlayedCall>> {
    const { random, files } = this.#options
    const believed = new Map(this.#believed)
    const sent: Array<PlayedCall> = []
    // Only the first edit shows that its formatter writes another file.
    const count = this.#recent === null && files.length > 2 ? 1 : 1 + random.below(MAX_CALLS)
    while (sent.length < count) {
      const file = random.oneIn(3) ? random.pick(files) : files[0]!
      const drawn = random.oneIn(5) ? this.#drawRead(file) : await this.#drawWrite(file, believed)
      if (!drawn) break
      sent.push(drawn)
      // A read of a part is compared with the file after the message, so no call may follow it.
      if (drawn.args['offset'] !== undefined) break
    }
    const { extension, names, paths } = files[0]!
    const isWritten = sent.some(({ tool, args }) =>
      tool !== 'read' && (paths.includes(String(args['filePath']))
        || names.some((name) => String(args['patchText']).includes(`*** Update File: ${name}\n`)))
    )
    if (random.oneIn(8) && extension !== '.json' && isWritten) {
      const command = `sleep 3; echo '${SHELL_LINES[extension] ?? '// by a shell'}' >> ${names[0]}`
      sent.push({ tool: 'bash', args: { command, description: 'adds a line' } })
    }
    return this.#sent = sent
  }

  #drawRead(file: PlayedFile): PlayedCall {
    const { random } = this.#options
    const filePath = random.pick(file.paths)
    const lines = this.#believed.get(file)!.split('\n').length
    const part = random.oneIn(4) ? { offset: 1 + random.below(Math.ceil(lines / 3)), limit: 5 } : {}
    return { tool: 'read', args: { filePath, ...part } }
  }

  /** Draws a write, an edit or a patch; half of the patches change all files. Adds its texts to `believed`. */
  async #drawWrite(file: PlayedFile, believed: Map<PlayedFile, string>): Promise<PlayedCall | null> {
    const { random, tool, files } = this.#options
    const written = tool === 'apply_patch' && random.oneIn(2) ? files : [file]
    const calls: Array<PlayedCall> = []
    for (const each of written) {
      const drawn = await this.#drawEdit(each, believed.get(each)!)
      if (!drawn) continue
      believed.set(each, drawn.text)
      calls.push(drawn.call)
    }
    if (calls.length < 2) return calls[0] ?? null
    const patchTexts = calls.map(({ args }) => args['patchText']).join('\n')
    return { tool, args: { patchText: patchTexts.replaceAll('\n*** End Patch\n*** Begin Patch', '') } }
  }

  /** Draws an edit after which the formatter can parse the file, and that text; null if it takes too many draws. */
  async #drawEdit(file: PlayedFile, believed: string): Promise<{ call: PlayedCall; text: string } | null> {
    const { random, formatter, tool } = this.#options
    const at = random.below(file.paths.length)
    const place = { filePath: file.paths[at]!, name: file.names[at]!, extension: file.extension }
    for (let draw = 0; draw < DRAWS; draw += 1) {
      const recent = random.below(10) < 6 ? this.#recent : null
      const call = drawEdit(random, { ...place, text: believed, recent }, tool)
      const text = call && applyCall(believed, call.args)
      if (text === null || text.trim() === '' || text === believed) continue
      if (!file.isGenerated && await formatter.format(text, file.paths[0]!) === null) continue
      this.#recent = recentOf(call!.args['newString'])
      return { call: call!, text }
    }
    return null
  }
}
