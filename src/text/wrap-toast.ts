import { markHidden } from './hidden-characters.ts'

// A line of the host's toasts has room for this many characters. The host breaks longer ones, even a path, at a slash.
const WIDTH = 52

const wrapLine = (line: string): string => {
  let room = WIDTH
  return line.split(' ').map((word, index) => {
    const fits = index === 0 || word.length < room
    room = (fits ? room : WIDTH) - word.length - 1
    return index === 0 ? word : `${fits ? ' ' : '\n'}${word}`
  }).join('')
}

/** Breaks a toast into lines between words: a path that fits stays whole. Marks hidden characters: some clear the screen. */
export const wrapToast = (text: string): string => markHidden(text).split('\n').map(wrapLine).join('\n')
