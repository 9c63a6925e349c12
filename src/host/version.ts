/** The version of the host, and the oldest one that SAT supports. */
import { callHost, type Client, httpClientOf } from './client.ts'

/** The oldest host that SAT was tested with. 1.3.2 is too old: it reports a successful tool as failed. */
export const OLDEST_HOST = '1.14.34'

// Matches `1.3.2` in `1.3.2-beta`. Does not match the version of a host built from source: `0.0.0-dev-202611211200`.
const RELEASE = /^(?!0\.0\.0)\d+\.\d+\.\d+/

/** Whether a version is a release older than `OLDEST_HOST`. */
export const isTooOld = (version: string): boolean => {
  const release = RELEASE.exec(version)?.[0]
  return release !== undefined && release.localeCompare(OLDEST_HOST, 'en', { numeric: true }) < 0
}

/** Returns the host's version, such as `1.18.33`, from the only address that has it in every 1.x host. */
export const hostVersion = async (client: Client): Promise<string | undefined> => {
  const { data } = await callHost(async () => await httpClientOf(client).get({ url: '/global/health' }))
  const { version } = Object(data)
  return typeof version === 'string' ? version : undefined
}
