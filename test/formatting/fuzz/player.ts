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
  SHELL_WORDS,
  unjustifiedReport,
  VERDICTS,
} from './judge.ts'
import type { Random } from './random.ts'

export type PlayerOptions = {
  random: Random
  formatter: FuzzFormatter
  /** The tool for changes; `edit` also stands for `write`. */
  tool: 'edit' | 'apply_patch'
  /** The files that the model reads and changes, most often the first one. */
  files: Array<PlayedFile>
  onJudged(judgement: Judgement): void
}

const MAX_CALLS = 3
const MAX_DRAWS = 40

/** The line that a shell command adds to the end of a file, by extension. */
const SHELL_LINES: Record<string, string> = {
  '.css': `/* ${SHELL_WORDS} */`,
  '.md': `Added ${SHELL_WORDS}.`,
}

/** Returns a written text near which the next edit may be; null if there is none, or if it is long or blank. */
const recentOf = (text: unknown): string | null =>
  typeof text === 'string' && text.length < 2_000 && text.trim() !== '' ? crlfToLf(text).trim() : null

/** Whether a call writes, edits or patches a file. */
const changes = ({ tool, args }: PlayedCall, { paths, names }: PlayedFile): boolean =>
  tool !== 'read' && (paths.includes(String(args['filePath']))
    || names.some((name) => String(args['patchText']).includes(`*** Update File: ${name}\n`)))

/** Plays a model: judges the calls of its last message, then draws those of the next from what it believes. */
export class Player {
  readonly #options: PlayerOptions
  /** What the model believes that each file contains. */
  readonly #believed: Map<PlayedFile, string>
  /** The calls of the last message; empty if that was the first one, which is not judged. */
  #sent: Array<PlayedCall> = []
  /** The text that was written last. */
  #recent: string | null = null

  constructor(options: PlayerOptions) {
    this.#options = options
    this.#believed = new Map(options.files.map((file) => [file, crlfToLf(file.read())]))
  }

  /** Returns the calls of the first message: a read of each file. */
  start(): Array<PlayedCall> {
    return this.#options.files.map(({ paths }) => ({ tool: 'read', args: { filePath: paths[0] } }))
  }

  /** Judges the calls of the last message as the next request shows them, but not those of the first message. */
  judge(shown: Array<ShownCall>): void {
    const [sent, believed] = [this.#sent, this.#believed]
    if (shown.length !== sent.length) return
    const unjustified = unjustifiedReport(believed, sent, shown)
    const judgements = [...believed].map(([file, before]) => {
      const judged = judgeFile(file, before, sent, shown)
      believed.set(file, judged.nextBelief)
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

  /** Draws the calls of the next message; none if no change of the files could be drawn. */
  async next(): Promise<Array<PlayedCall>> {
    const { random, files } = this.#options
    // What the model expects after the calls drawn so far.
    const expected = new Map(this.#believed)
    const sent: Array<PlayedCall> = []
    // Only after the first change does SAT know that the formatter also writes the generated file, so no other call may
    // be in its message. Without a recent text, the next change may be the first.
    const hasGenerated = files.length > 2
    const count = this.#recent === null && hasGenerated ? 1 : 1 + random.below(MAX_CALLS)
    while (sent.length < count) {
      const file = random.oneIn(3) ? random.pick(files) : files[0]!
      const drawn = random.oneIn(5) ? this.#drawRead(file) : await this.#drawChange(file, expected)
      if (!drawn) break
      sent.push(drawn)
      // A read of a part is compared with the file after the message, so no call may follow it.
      if (drawn.args['offset'] !== undefined) break
    }
    const first = files[0]!
    // JSON has no comments.
    if (random.oneIn(8) && first.extension !== '.json' && sent.some((call) => changes(call, first))) {
      const line = SHELL_LINES[first.extension] ?? `// ${SHELL_WORDS}`
      // Calls of one message run in parallel: the command waits until the others have written the file.
      const command = `sleep 3; echo '${line}' >> ${first.names[0]}`
      sent.push({ tool: 'bash', args: { command, description: 'adds a line' } })
    }
    return this.#sent = sent
  }

  #drawRead(file: PlayedFile): PlayedCall {
    const { random } = this.#options
    const filePath = random.pick(file.paths)
    const lineCount = this.#believed.get(file)!.split('\n').length
    const part = random.oneIn(4) ? { offset: 1 + random.below(Math.ceil(lineCount / 3)), limit: 5 } : {}
    return { tool: 'read', args: { filePath, ...part } }
  }

  /** Draws a write, an edit or a patch; half of the patches change all files. Updates `expected`. */
  async #drawChange(file: PlayedFile, expected: Map<PlayedFile, string>): Promise<PlayedCall | null> {
    const { random, tool, files } = this.#options
    const changed = tool === 'apply_patch' && random.oneIn(2) ? files : [file]
    const calls: Array<PlayedCall> = []
    for (const each of changed) {
      const drawn = await this.#drawParsable(each, expected.get(each)!)
      if (!drawn) continue
      expected.set(each, drawn.text)
      calls.push(drawn.call)
    }
    if (calls.length < 2) return calls[0] ?? null
    const patchTexts = calls.map(({ args }) => args['patchText']).join('\n')
    // One patch with all sections.
    return { tool, args: { patchText: patchTexts.replaceAll('\n*** End Patch\n*** Begin Patch', '') } }
  }

  /**
   * Draws a call that changes a file so that the formatter can parse it, and returns the call and the new text. Returns
   * null if that takes too many draws.
   */
  async #drawParsable(
    file: PlayedFile,
    before: string,
  ): Promise<{ call: PlayedCall; text: string } | null> {
    const { random, formatter, tool } = this.#options
    const at = random.below(file.paths.length)
    const named = { filePath: file.paths[at]!, name: file.names[at]!, extension: file.extension }
    for (let draw = 0; draw < MAX_DRAWS; draw += 1) {
      const recent = random.below(10) < 6 ? this.#recent : null
      const call = drawEdit(random, { ...named, text: before, recent }, tool)
      const text = call && applyCall(before, call.args)
      if (text === null || text.trim() === '' || text === before) continue
      if (!file.isGenerated && await formatter.format(text, file.paths[0]!) === null) continue
      this.#recent = recentOf(call!.args['newString'])
      return { call: call!, text }
    }
    return null
  }
}
