/** What the demo prints: within the width of the terminal, at the pace of a person. */

/** The columns that may be used. Where there is no terminal, those of the narrowest one. */
const WIDTH = Math.max(60, Math.min(process.stdout.columns || 80, 110))
const PAUSE_MS = 2_000

const isTerminal = process.stdout.isTTY === true
const inColor = isTerminal && !process.env['NO_COLOR']
const paint = (code: number) => (text: string) => inColor ? `\x1b[${code}m${text}\x1b[0m` : text
export const bold = paint(1)
export const dim = paint(2)
export const red = paint(31)
export const green = paint(32)

/** A line to print and the columns that it takes; colours come after the cutting, for they take none. */
type Colour = (text: string) => string

const cut = (line: string, width: number): string => {
  const characters = [...line]
  return characters.length > width ? `${characters.slice(0, width - 1).join('')}…` : line
}

/** Prints one line, cut to the width. */
export const say = (line = '', colour: Colour = (text) => text): void => console.log(colour(cut(line, WIDTH)))

const wrapped = (line: string, width: number): Array<string> => {
  const lines: Array<string> = []
  let rest = line
  while ([...rest].length > width) {
    const at = rest.lastIndexOf(' ', width)
    const end = at > 0 ? at : width
    lines.push(rest.slice(0, end))
    rest = rest.slice(end).trimStart()
  }
  return [...lines, rest]
}

/** Prints a text that must be read whole: long lines go on in the next one. */
export const sayWhole = (text: string, colourOf: (line: string) => Colour | undefined = () => undefined) => {
  for (const long of text.trimEnd().split('\n')) {
    for (const line of wrapped(long, WIDTH - 4)) say(`    ${line}`, colourOf(long))
  }
}

/** Prints the lines that a unified diff adds and takes away; its first lines name the file. */
export const sayDiff = (diff: string): void => {
  const lines = diff.slice(Math.max(0, diff.indexOf('\n@@'))).split('\n')
  const changes = lines.filter((line) => /^[-+]/.test(line))
  sayWhole(changes.join('\n'), (line) => line.startsWith('+') ? green : red)
}

/** Prints what happened, after an empty line. */
export const step = (text: string): void => {
  say()
  say(`  ${text}`, green)
}

/** Prints what a scene showed, in one sentence. */
export const seen = (text: string): void => {
  say()
  for (const line of wrapped(`Seen: ${text}`, WIDTH - 2)) say(`  ${line}`, bold)
}

/** Prints the heading of a scene. */
export const title = (text: string): void => {
  say()
  say(text, bold)
  say()
}

/** Shows that the host works, with the seconds where there is a terminal. */
export const waitFor = async <T>(what: string, work: Promise<T>): Promise<T> => {
  if (!isTerminal) say(`${what} …`)
  const started = Date.now()
  const tick = () => process.stdout.write(`\r${what} … ${Math.round((Date.now() - started) / 1000)} s`)
  const ticker = isTerminal ? setInterval(tick, 200) : undefined
  try {
    return await work
  } finally {
    clearInterval(ticker)
    clearLine()
  }
}

/** Leaves the cursor on an empty line, whatever was being shown. */
export const clearLine = (): void => void (isTerminal && process.stdout.write('\r\x1b[K'))

/** Gives a person the time to read; Enter goes on at once. Nobody waits where there is no terminal. */
export const pause = async (): Promise<void> => {
  if (!isTerminal) return
  process.stdout.write(dim('Enter goes on …'))
  await new Promise<void>((resolve) => {
    const goOn = () => {
      clearTimeout(timer)
      process.stdin.off('data', goOn)
      process.stdin.pause()
      resolve()
    }
    const timer = setTimeout(goOn, PAUSE_MS)
    process.stdin.once('data', goOn)
    process.stdin.resume()
  })
  clearLine()
}
