/** The first number below `length` for which a test holds that then holds for all that follow; else `length`. */
export const firstIndexWhere = (length: number, holds: (index: number) => boolean): number => {
  let low = 0
  for (let high = length; low < high;) {
    const middle = (low + high) >> 1
    if (holds(middle)) high = middle
    else low = middle + 1
  }
  return low
}
