/** Consecutive blocks that were removed (`-`), added (`+`) or stayed, as one text. */
type BlockChange = { sign: '-' | '+' | ' '; text: string }

const blocksOf = (text: string): Array<string> => text.trim() === '' ? [] : text.trim().split(/\n\s*\n/)

/** Compares two texts by blocks between blank lines: whole blocks are easier to read than interleaved lines. */
export const blockDiff = async (before: string, after: string): Promise<Array<BlockChange>> => {
  const { diffArrays } = await import('diff/lib/diff/array.js')
  return diffArrays(blocksOf(before), blocksOf(after)).map(({ added, removed, value }) => ({
    sign: added ? '+' : removed ? '-' : ' ',
    text: value.join('\n\n'),
  }))
}
