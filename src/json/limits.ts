/** Limits the length, depth and number of values of a model's JSON, so that reading it does not block the host. */

export const MAX_JSON_DEPTH = 400
export const MAX_JSON_LENGTH = 2_000_000
const MAX_JSON_VALUES = 100_000

export const TOO_DEEP = `nested more than ${MAX_JSON_DEPTH} levels deep, which is too deep; flatten it`
export const TOO_LONG = `more than ${MAX_JSON_LENGTH} characters are too many to read; send less at once`
const TOO_MANY = `more than ${MAX_JSON_VALUES} values are too many to read; send less at once`

/** `keys` counts the keys of all objects, and `excess` says why the value is too large. */
export const sizeOf = (value: unknown): { keys: number; excess: string | undefined } => {
  let [items, keys] = [0, 0]
  let excess: string | undefined
  const add = (inner: unknown, depth: number): void => {
    if (typeof inner !== 'object' || inner === null) return
    if (depth === MAX_JSON_DEPTH) excess = TOO_DEEP
    else if (Array.isArray(inner)) {
      items += inner.length
      for (const item of inner) if (typeof item === 'object') add(item, depth + 1)
    } else {
      for (const key in inner) {
        const property: unknown = inner[key as keyof typeof inner]
        keys++
        // Most properties are texts, and a call of `add` for each would take three times as long.
        if (typeof property === 'object') add(property, depth + 1)
      }
    }
  }
  add(value, 0)
  if (items + keys > MAX_JSON_VALUES) excess ??= TOO_MANY
  return { keys, excess }
}
