/** If the plugin list names SAT twice, such as by its path and by a link, lets only the first copy run. */

// The host loads each copy of SAT as a separate module, so the copies share only `globalThis`.
const CLAIMED = Symbol.for('opencode-sat.claimed')

/** Claims the host instance to which `client` belongs. Returns false if another copy of SAT has already claimed it. */
export const claimInstance = (client: object): boolean => {
  const shared: typeof globalThis & { [CLAIMED]?: WeakSet<object> } = globalThis
  const claimedClients = shared[CLAIMED] ??= new WeakSet()
  if (claimedClients.has(client)) return false
  claimedClients.add(client)
  return true
}
