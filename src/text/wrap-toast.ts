import { markHidden } from './hidden-characters.ts'

// The characters in a line of the host's toasts. The host itself breaks a longer line, even inside a path, at a slash.
const WIDTH = 52

const wrapLine = (line: string): string => {
  let room = WIDTH
  return line.split(' ').map((word, index) => {
    const fits = index === 0 || word.length < room
    room = (fits ? room : WIDTH) - word.length - 1
    return index === 0 ? word : `${fits ? ' ' : '\n'}${word}`
  }).join('')
}

/** Breaks a toast into lines between words. Also makes hidden characters visible: some would clear the screen. */
export const wrapToast = (text: string): string => markHidden(text).split('\n').map(wrapLine).join('\n')
