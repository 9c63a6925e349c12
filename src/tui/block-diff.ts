/** Compares texts block by block, for a diff that the person reads as prose. */

/** Consecutive blocks that were removed (`-`), added (`+`) or kept (` `), as one text. */
type BlockChange = { sign: '-' | '+' | ' '; text: string }

const blocksOf = (text: string): Array<string> => text.trim() === '' ? [] : text.trim().split(/\n\s*\n/)

/**
 * Compares two texts by their blocks, which blank lines separate: whole blocks are easier to read than interleaved
 * lines.
 */
export const diffBlocks = async (before: string, after: string): Promise<Array<BlockChange>> => {
  const { diffArrays } = await import('diff/lib/diff/array.js')
  return diffArrays(blocksOf(before), blocksOf(after)).map(({ added, removed, value }) => ({
    sign: added ? '+' : removed ? '-' : ' ',
    text: value.join('\n\n'),
  }))
}
