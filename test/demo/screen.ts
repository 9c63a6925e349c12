/** Prints the texts of the demo within the width of the terminal, with pauses for a person to read. */
import { createInterface } from 'node:readline/promises'

const WIDTH = Math.max(60, Math.min(process.stdout.columns || 80, 110))

const isTerminal = process.stdout.isTTY === true
const isColoured = isTerminal && !process.env['NO_COLOR']

type Colour = (text: string) => string

const colourWith = (code: number): Colour => (text) => isColoured ? `\x1b[${code}m${text}\x1b[0m` : text
export const bold = colourWith(1)
export const dim = colourWith(2)
export const red = colourWith(31)
export const green = colourWith(32)

export const say = (text = '', colour: Colour = (line) => line, indent = 0): void => {
  const wrapped = Bun.wrapAnsi(text.trimEnd(), WIDTH - indent, { hard: true, trim: false })
  for (const line of wrapped.split('\n')) console.log(colour(' '.repeat(indent) + line))
}

export const quote = (text: string, colour?: Colour): void => say(text, colour, 4)

export const quoteDiff = (diff: string): void => {
  const withoutHeader = diff.slice(Math.max(0, diff.indexOf('\n@@')))
  for (const line of withoutHeader.split('\n')) {
    if (line.startsWith('+')) quote(line, green)
    else if (line.startsWith('-')) quote(line, red)
  }
}

export const step = (text: string): void => say(`\n${text}`, green, 2)

export const conclude = async (text: string): Promise<void> => {
  say(`\nSeen: ${text}`, bold, 2)
  await pause()
}

export const title = (text: string): void => {
  say(`\n${text}`, bold)
  say()
}

/** Prints a task and waits for its work. */
export const waitFor = async <T>(task: string, work: Promise<T>): Promise<T> => {
  if (!isTerminal) say(`${task} …`)
  const started = Date.now()
  const tick = () => process.stdout.write(`\r${task} … ${Math.round((Date.now() - started) / 1000)} s`)
  const ticker = isTerminal ? setInterval(tick, 200) : undefined
  try {
    return await work
  } finally {
    clearInterval(ticker)
    clearLine()
  }
}

export const clearLine = (): void => void (isTerminal && process.stdout.write('\r\x1b[K'))

/** On a terminal, waits for Enter, at most two seconds. */
export const pause = async (): Promise<void> => {
  if (!isTerminal) return
  process.stdout.write(dim('Press Enter to go on …'))
  const input = createInterface({ input: process.stdin })
  await input.question('', { signal: AbortSignal.timeout(2_000) }).catch(() => {})
  input.close()
  clearLine()
}
