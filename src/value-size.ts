/** How deep JSON may be nested before it is answered instead of walked. */
export const MAX_JSON_DEPTH = 400

/** How many UTF-16 units of JSON text are read. */
export const MAX_JSON_LENGTH = 2_000_000

/** How many objects, lists and scalars a value may hold. */
const MAX_VALUES = 100_000

/**
 * How many keys all objects in a value have together, or in words why it is too much to be walked: by its depth, its
 * values, or the UTF-16 units in its strings. Linear, without recursion; what is too much is not walked to its end.
 */
export const sizeOf = (value: unknown): { keys: number; excess?: string } => {
  let level: Array<unknown> = [value]
  let values = 0
  let characters = 0
  let keys = 0
  for (let depth = 0; level.length > 0; depth++) {
    values += level.length
    if (values > MAX_VALUES) {
      return { keys, excess: `more than ${MAX_VALUES} values are too many to read; send less at once` }
    }
    const below: Array<unknown> = []
    for (const item of level) {
      if (typeof item === 'string') characters += item.length
      if (typeof item !== 'object' || item === null) continue
      if (depth === MAX_JSON_DEPTH) {
        const excess = `nested more than ${MAX_JSON_DEPTH} levels deep, which is too deep to read; flatten it`
        return { keys, excess }
      }
      const inside = Array.isArray(item) ? item : Object.values(item)
      if (inside !== item) keys += inside.length
      for (const one of inside) below.push(one)
    }
    if (characters > MAX_JSON_LENGTH) {
      const excess = `more than ${MAX_JSON_LENGTH} characters are too many to read; send less at once`
      return { keys, excess }
    }
    level = below
  }
  return { keys }
}
