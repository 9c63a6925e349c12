// The host loads each entry of its plugin list as a separate module: they share only the process.
const CLAIMED = Symbol.for('opencode-sat.claimed')

/**
 * Claims an instance of the host for this copy of the plugin; gives false where another copy has claimed it. Listed
 * both by a path and by a link to it, SAT would send its rules twice.
 *
 * @param client the host's client, which is one object for all plugins of an instance
 */
export const claimInstance = (client: object): boolean => {
  const shared: typeof globalThis & { [CLAIMED]?: WeakSet<object> } = globalThis
  const claimed = shared[CLAIMED] ??= new WeakSet()
  if (claimed.has(client)) return false
  claimed.add(client)
  return true
}
