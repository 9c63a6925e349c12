/** Prints the demo, within the width of the terminal and at the pace of a person. */

/** The columns of the terminal, within limits. */
const WIDTH = Math.max(60, Math.min(process.stdout.columns || 80, 110))
const PAUSE_MS = 2_000

const isTerminal = process.stdout.isTTY === true
const inColor = isTerminal && !process.env['NO_COLOR']
const paint = (code: number) => (text: string) => inColor ? `\x1b[${code}m${text}\x1b[0m` : text
export const bold = paint(1)
export const dim = paint(2)
export const red = paint(31)
export const green = paint(32)

/** Colours a line. Lines are cut before they are coloured: colour codes have length but take no columns. */
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

/** Prints an indented text; long lines are wrapped. */
export const sayWrapped = (
  text: string,
  colourOf: (line: string) => Colour | undefined = () => undefined,
) => {
  for (const long of text.trimEnd().split('\n')) {
    for (const line of wrapped(long, WIDTH - 4)) say(`    ${line}`, colourOf(long))
  }
}

/** Prints the added and removed lines of a unified diff. */
export const sayDiff = (diff: string): void => {
  const lines = diff.slice(Math.max(0, diff.indexOf('\n@@'))).split('\n')
  const changes = lines.filter((line) => /^[-+]/.test(line))
  sayWrapped(changes.join('\n'), (line) => line.startsWith('+') ? green : red)
}

/** Prints what happened, after an empty line. */
export const step = (text: string): void => {
  say()
  say(`  ${text}`, green)
}

/** Ends a scene with what it showed, in one sentence, and a pause. */
export const conclude = async (text: string): Promise<void> => {
  say()
  for (const line of wrapped(`Seen: ${text}`, WIDTH - 2)) say(`  ${line}`, bold)
  await pause()
}

/** Prints the heading of a scene. */
export const title = (text: string): void => {
  say()
  say(text, bold)
  say()
}

/** Waits for some work; on a terminal, counts the seconds. */
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

/** Clears the line of the cursor. */
export const clearLine = (): void => void (isTerminal && process.stdout.write('\r\x1b[K'))

/** Waits some seconds for a person to read, or until Enter. Without a terminal, does not wait. */
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
