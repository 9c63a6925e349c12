/** A stretch of blocks of one kind: its text, removed (`-`), added (`+`) or in both. */
export type BlockChange = { sign: '-' | '+' | ' '; text: string }

const blocksOf = (text: string): Array<string> => text.trim() === '' ? [] : text.trim().split(/\n\s*\n/)

/** Compares two texts by blocks between blank lines: a person reads whole blocks, not lines of both interleaved. */
export const blockDiff = async (before: string, after: string): Promise<Array<BlockChange>> => {
  const { diffArrays } = await import('diff/lib/diff/array.js')
  return diffArrays(blocksOf(before), blocksOf(after)).map(({ added, removed, value }) => ({
    sign: added ? '+' : removed ? '-' : ' ',
    text: value.join('\n\n'),
  }))
}
