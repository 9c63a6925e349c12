import type { FormatOnSaveOption } from '../../host/options.ts'
import { entriesOf } from './choose-command.ts'

/** How many of the files with an extension the patterns match, wherever in the project they are. */
export type Cover = 'all' | 'some' | 'none'

/** Of `*.js` and `**\/*.{js,ts}`, which say nothing but the extension. */
const EXTENSIONS_ONLY = /^(?:\*\*\/)?\*(?:\.[\w.+-]+|\.\{[\w.,+-]+\})$/

/** The ends of the names that a pattern matches, where it says them: of `a/*.{js,ts}` both. */
const endingsOf = (glob: string): Array<string> | null => {
  const braces = /\.\{([\w.,+-]+)\}$/.exec(glob)?.[1]
  if (braces !== undefined) return braces.split(',').map((one) => `.${one}`)
  const ending = /\.[\w.+-]+$/.exec(glob)?.[0]
  return ending === undefined ? null : [ending]
}

const coverOf = (glob: string, extension: string): Cover => {
  if (['*', '**', '**/*'].includes(glob)) return 'all'
  const endings = endingsOf(glob)
  if (endings === null) return 'some'
  if (EXTENSIONS_ONLY.test(glob) && endings.includes(extension)) return 'all'
  return endings.some((ending) => ending.endsWith(extension)) ? 'some' : 'none'
}

/** How many of the files with an extension (`.js`) the patterns of the option match. */
export const coverOfExtension = (option: FormatOnSaveOption, extension: string): Cover => {
  const covers = entriesOf(option).map(({ glob }) => coverOf(glob, extension))
  return covers.includes('all') ? 'all' : covers.includes('some') ? 'some' : 'none'
}
