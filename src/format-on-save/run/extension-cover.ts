import type { FormatOnSaveOption } from '../../host/options.ts'
import { entriesOf } from './choose-command.ts'

/** How many of the files with an extension the patterns match, wherever in the project they are. */
export type Cover = 'all' | 'some' | 'none'

/** Patterns such as `*.js` and `**\/*.{js,ts}`, which ask for nothing but an extension. */
const EXTENSIONS_ONLY = /^(?:\*\*\/)?\*(?:\.[\w.+-]+|\.\{[\w.,+-]+\})$/

/** Gives the endings that a pattern asks for, both of `a/*.{js,ts}`; null where it asks for none. */
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
