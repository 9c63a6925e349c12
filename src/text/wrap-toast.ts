import { markHidden } from './hidden-characters.ts'

// The host breaks lines of more than 51 characters, even at a slash inside a path. Matches as many words as fit into a
// line, or else one longer word.
const WORDS = /([^\n]{0,51}|[^ \n]+)( |(?![^\n]))/g

/** Breaks the lines of a toast between words. Also shows hidden characters, because they could clear the screen. */
export const wrapToast = (text: string): string =>
  markHidden(text).replace(WORDS, (_, words: string, space: string) => words + (space && '\n'))
