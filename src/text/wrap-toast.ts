import { markHidden } from './hidden-characters.ts'

// The host breaks longer lines, even at a slash inside a path.
const MAX_WIDTH = 51

const wrapLine = (line: string): string => {
  const [firstWord = '', ...words] = line.split(' ')
  const lines = [firstWord]
  for (const word of words) {
    const extended = `${lines.at(-1)} ${word}`
    if (extended.length <= MAX_WIDTH) lines[lines.length - 1] = extended
    else lines.push(word)
  }
  return lines.join('\n')
}

/** Breaks the lines of a toast between words. Also makes hidden characters visible: some would clear the screen. */
export const wrapToast = (text: string): string => markHidden(text).split('\n').map(wrapLine).join('\n')
