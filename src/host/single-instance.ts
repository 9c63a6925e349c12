/** If the plugin list names SAT twice, such as by its path and by a link, lets only the first copy run. */

// The host loads each entry as a separate module, so two copies of SAT share only the process.
const CLAIMED = Symbol.for('opencode-sat.claimed')

/** Returns false if another copy of SAT has claimed the host instance of `client`. */
export const claimInstance = (client: object): boolean => {
  const shared: typeof globalThis & { [CLAIMED]?: WeakSet<object> } = globalThis
  const claimedClients = shared[CLAIMED] ??= new WeakSet()
  if (claimedClients.has(client)) return false
  claimedClients.add(client)
  return true
}
