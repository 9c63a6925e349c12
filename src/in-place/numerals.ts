const ONES = ['', 'i', 'ii', 'iii', 'iv', 'v', 'vi', 'vii', 'viii', 'ix']
const ROMAN = ['', 'x', 'xx'].flatMap((tens) => ONES.map((ones) => tens + ones)).slice(1)
const LETTERS = [...'abcdefghijklmnopqrstuvwxyz']

/** The labels other than digits that count up in lists, each series from its first label on. */
export const SERIES: Array<Array<string>> = [ROMAN, LETTERS].flatMap((labels) => [
  labels,
  labels.map((label) => label.toUpperCase()),
])
