/** The version of the host, and the oldest one that SAT supports. */
import { callHost, type Client, httpClientOf } from './client.ts'

/** The oldest host that SAT was tested with. 1.3.2 is too old: it reports a tool as failed although it succeeded. */
export const OLDEST_HOST = '1.14.34'

// Matches `1.3.2` in `1.3.2-beta`. Excludes a host built from source: `0.0.0-dev-202611211200` names no release.
const RELEASE = /^(?!0\.0\.0)\d+\.\d+\.\d+/

/** Whether a version of the host is a release older than `OLDEST_HOST`; false if it is not a release. */
export const isTooOld = (version: string): boolean => {
  const release = RELEASE.exec(version)?.[0]
  if (release === undefined) return false
  // Compares the parts as numbers, because 1.3 is older than 1.14.
  return release.localeCompare(OLDEST_HOST, 'en', { numeric: true }) < 0
}

/**
 * Asks the host for its version, such as `1.18.33`; returns undefined if it does not answer with one. Every 1.x host
 * has its version at `GET /global/health` and nowhere else; the host's client has no method for that address.
 */
export const hostVersion = async (client: Client): Promise<string | undefined> => {
  const { data } = await callHost(async () => await httpClientOf(client).get({ url: '/global/health' }))
  const { version } = Object(data)
  return typeof version === 'string' ? version : undefined
}
