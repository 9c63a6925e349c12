import { markHidden } from './hidden-characters.ts'

// A line of several words stays shorter than this: the host breaks a longer one, even inside a path, at a slash.
const WIDTH = 52

const wrapLine = (line: string): string => {
  const [firstWord = '', ...words] = line.split(' ')
  const lines = [firstWord]
  for (const word of words) {
    const extended = `${lines.at(-1)} ${word}`
    if (extended.length < WIDTH) lines[lines.length - 1] = extended
    else lines.push(word)
  }
  return lines.join('\n')
}

/** Breaks a toast into lines between words. Also makes hidden characters visible: some would clear the screen. */
export const wrapToast = (text: string): string => markHidden(text).split('\n').map(wrapLine).join('\n')
