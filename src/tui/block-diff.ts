/** A stretch of blocks of one kind: its text, removed (`-`), added (`+`) or in both. */
export type BlockChange = { sign: '-' | '+' | ' '; text: string }

const blocksOf = (text: string): Array<string> => text.trim() === '' ? [] : text.trim().split(/\n\s*\n/)

/**
 * Compares two texts by whole blocks, which are what blank lines set apart: a person reads what goes and what comes,
 * not lines of the one between lines of the other.
 */
export const blockDiff = async (before: string, after: string): Promise<Array<BlockChange>> => {
  const { diffArrays } = await import('diff/lib/diff/array.js')
  return diffArrays(blocksOf(before), blocksOf(after)).map(({ added, removed, value }) => ({
    sign: added ? '+' : removed ? '-' : ' ',
    text: value.join('\n\n'),
  }))
}
