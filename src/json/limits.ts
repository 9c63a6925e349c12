/** How deep JSON may be nested before it is answered instead of walked. */
export const MAX_JSON_DEPTH = 400

/** How many UTF-16 units of JSON text are read. */
export const MAX_JSON_LENGTH = 2_000_000

/** How many items and keys a value may hold. */
const MAX_JSON_VALUES = 100_000

export const TOO_DEEP = `nested more than ${MAX_JSON_DEPTH} levels deep, which is too deep; flatten it`
export const TOO_LONG = `more than ${MAX_JSON_LENGTH} characters are too many to read; send less at once`
const TOO_MANY = `more than ${MAX_JSON_VALUES} values are too many to read; send less at once`

/**
 * Counts the keys of all objects in a value together and the UTF-16 units that JSON text of it has at least; `excess`
 * says in words why it is too much to be read, by its depth, its values, or the text in it.
 */
export const sizeOf = (value: unknown): { keys: number; length: number; excess: string | undefined } => {
  let items = 0
  let keys = 0
  // A comma is counted for each value, but the last one in its list or object, and the whole, has none.
  let length = -1
  let isTooDeep = false
  const add = (inner: unknown, depth: number): void => {
    length += typeof inner === 'string' ? inner.length + 3 : 2
    if (typeof inner !== 'object' || inner === null) return
    if (depth === MAX_JSON_DEPTH) isTooDeep = true
    else if (!Array.isArray(inner)) addEntries(inner, depth + 1)
    else {
      items += inner.length
      for (const item of inner) add(item, depth + 1)
    }
  }
  const addEntries = (holder: object, depth: number): void => {
    for (const key in holder) {
      const inner: unknown = holder[key as keyof typeof holder]
      keys++
      length += key.length + 3
      // Nine of ten values are texts; without a call for each, the walk takes two thirds of the time.
      if (typeof inner === 'string') length += inner.length + 3
      else add(inner, depth)
    }
  }
  add(value, 0)
  const tooMuch = items + keys > MAX_JSON_VALUES ? TOO_MANY : length > MAX_JSON_LENGTH ? TOO_LONG : undefined
  return { keys, length, excess: isTooDeep ? TOO_DEEP : tooMuch }
}
