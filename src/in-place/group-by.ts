/** Groups items by a key, in their order; `Map.groupBy` begins with Node 21. */
export const groupBy = <Key, Item>(items: Array<Item>, keyOf: (item: Item) => Key): Map<Key, Array<Item>> => {
  const groups = new Map<Key, Array<Item>>()
  for (const item of items) {
    const key = keyOf(item)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [item])
    else group.push(item)
  }
  return groups
}
