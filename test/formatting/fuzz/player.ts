/** Plays the fuzzer's model: draws random calls, and has `judge.ts` check whether the model knows each file's text. */
import { extname } from 'node:path'
import { crlfToLf } from '../../../src/text/line-ending.ts'
import type { ShownCall } from '../../harness/model.ts'
import { bash } from '../session.ts'
import { applyCall, type Beliefs, type PlayedCall, type PlayedFile, readLf } from './belief.ts'
import { drawEdit } from './edits.ts'
import type { FuzzFormatter } from './formatters.ts'
import { type Judgement, judgeMessage, SHELL_WORDS } from './judge.ts'
import type { Random } from './random.ts'

export type PlayerOptions = {
  random: Random
  formatter: FuzzFormatter
  /** `edit` stands for both `edit` and `write`. */
  tool: 'edit' | 'apply_patch'
  /** The formatter generates the third file, if there is one. */
  files: Array<PlayedFile>
  onJudged(judgement: Judgement): void
}

const MAX_CALLS = 3
const MAX_DRAWS = 40

/** After `start`, call `judge` and then `next` at each request. */
export class Player {
  readonly #options: PlayerOptions
  readonly #beliefs: Beliefs
  #sent: Array<PlayedCall> = []
  /** The text that the last change wrote, if it is short. */
  #recent: string | null = null

  constructor(options: PlayerOptions) {
    this.#options = options
    this.#beliefs = new Map(options.files.map((file) => [file, readLf(file)]))
  }

  start(): Array<PlayedCall> {
    return this.#options.files.map(({ paths }) => ({ tool: 'read', args: { filePath: paths[0] } }))
  }

  judge(shown: Array<ShownCall>): void {
    // The reads of `start` are not judged.
    if (this.#sent.length === 0) return
    this.#options.onJudged(judgeMessage(this.#beliefs, { sent: this.#sent, shown }))
    const { newString, content } = shown.findLast(({ tool }) => tool !== 'read')?.args ?? {}
    // SAT may have corrected the drawn text in the history, so the shown text is used.
    this.#recent = recentOf(newString ?? content)
  }

  async next(): Promise<Array<PlayedCall>> {
    const calls = await this.#drawCalls()
    this.#sent = [...calls, ...this.#drawShellCall(calls)]
    return this.#sent
  }

  async #drawCalls(): Promise<Array<PlayedCall>> {
    const { random, files } = this.#options
    // SAT must first learn that the formatter also writes the generated file, so the first change is sent alone.
    const hasGenerated = files.length > 2
    const mayBeFirstChange = this.#recent === null
    const count = hasGenerated && mayBeFirstChange ? 1 : 1 + random.below(MAX_CALLS)
    const expected = new Map(this.#beliefs)
    const calls: Array<PlayedCall> = []
    while (calls.length < count) {
      const file = random.oneIn(3) ? random.pick(files) : files[0]!
      const drawn = random.oneIn(5) ? this.#drawRead(file) : await this.#drawChange(file, expected)
      if (!drawn) break
      calls.push(drawn)
      // The judge compares a partial read with the final file, so this read must be the last call.
      if (drawn.args['offset'] !== undefined) break
    }
    return calls
  }

  #drawRead(file: PlayedFile): PlayedCall {
    const { random } = this.#options
    const filePath = random.pick(file.paths)
    const lineCount = this.#beliefs.get(file)!.split('\n').length
    const part = random.oneIn(4) ? { offset: 1 + random.below(Math.ceil(lineCount / 3)), limit: 5 } : {}
    return { tool: 'read', args: { filePath, ...part } }
  }

  /** Draws a change and updates `expected`, or returns null if no draw succeeds. */
  async #drawChange(file: PlayedFile, expected: Beliefs): Promise<PlayedCall | null> {
    const { random, tool, files } = this.#options
    const changedFiles = tool === 'apply_patch' && random.oneIn(2) ? files : [file]
    const calls: Array<PlayedCall> = []
    for (const changedFile of changedFiles) {
      const drawn = await this.#drawParsable(changedFile, expected.get(changedFile)!)
      if (!drawn) continue
      expected.set(changedFile, drawn.text)
      calls.push(drawn.call)
    }
    return calls.length > 1 ? joinPatches(calls) : calls[0] ?? null
  }

  async #drawParsable(file: PlayedFile, before: string): Promise<{ call: PlayedCall; text: string } | null> {
    const { random, formatter, tool } = this.#options
    const at = random.below(file.paths.length)
    const edited = { filePath: file.paths[at]!, name: file.names[at]!, text: before }
    const canParse = async (text: string) => await formatter.format(text, file.paths[0]!) !== null
    for (let draw = 0; draw < MAX_DRAWS; draw += 1) {
      const recent = random.below(10) < 6 ? this.#recent : null
      const call = drawEdit(random, { ...edited, recent }, tool)
      if (!call) continue
      const text = applyCall(before, call.args)
      const isChanged = text !== null && text.trim() !== '' && text !== before
      if (!isChanged) continue
      if (!file.isGenerated && !await canParse(text)) continue
      this.#recent = recentOf(call.args['newString'])
      return { call, text }
    }
    return null
  }

  #drawShellCall(calls: Array<PlayedCall>): Array<PlayedCall> {
    const { random, files: [first] } = this.#options
    const [name] = first!.names
    const extension = extname(name!)
    const mayAddLine = random.oneIn(8) && extension !== '.json'
    if (!mayAddLine || !calls.some((call) => changesFile(call, first!))) return []
    const line = SHELL_LINES[extension] ?? `// ${SHELL_WORDS}`
    // Calls of one message run in parallel, so the command waits until the other calls have ended.
    return [bash(`sleep 3; echo '${line}' >> ${name}`)]
  }
}

const SHELL_LINES: Record<string, string> = { '.css': `/* ${SHELL_WORDS} */`, '.md': `Added ${SHELL_WORDS}.` }

const recentOf = (text: unknown): string | null =>
  typeof text === 'string' && text.length < 2_000 && text.trim() !== '' ? crlfToLf(text).trim() : null

const changesFile = ({ tool, args }: PlayedCall, { paths, names }: PlayedFile): boolean => {
  if (tool !== 'apply_patch') return tool !== 'read' && paths.includes(String(args['filePath']))
  return names.some((name) => String(args['patchText']).includes(`*** Update File: ${name}\n`))
}

const joinPatches = (calls: Array<PlayedCall>): PlayedCall => {
  const patchTexts = calls.map(({ args }) => args['patchText']).join('\n')
  const patchText = patchTexts.replaceAll('\n*** End Patch\n*** Begin Patch', '')
  return { tool: 'apply_patch', args: { patchText } }
}
