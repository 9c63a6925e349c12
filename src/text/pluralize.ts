/** Formats a number with its noun: `1 file`, `3 files`. */
export const pluralize = (number: number, noun: string): string =>
  `${number} ${noun}${number === 1 ? '' : 's'}`
