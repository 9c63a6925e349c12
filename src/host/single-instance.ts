// Each entry of the host's plugin list is loaded as a module of its own, so that only the process is shared.
const CLAIMED = Symbol.for('opencode-sat.claimed')

/**
 * Claims an instance of the host for this plugin, by the client that the host hands to all plugins of the instance:
 * false where another entry of its list has it already. Listed by a path and by a link to it, SAT would send its rules
 * twice.
 */
export const claimInstance = (client: object): boolean => {
  const shared: typeof globalThis & { [CLAIMED]?: WeakSet<object> } = globalThis
  const claimed = shared[CLAIMED] ??= new WeakSet()
  if (claimed.has(client)) return false
  claimed.add(client)
  return true
}
