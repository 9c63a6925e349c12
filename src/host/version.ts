import { callHost, type Client, httpClientOf } from './client.ts'

/** The oldest host in which SAT was tried and works: 1.3.2 shows "failed" for a file that was rewritten. */
export const OLDEST_HOST = '1.14.34'

// A host that was built by hand calls itself 0.0.0, with its branch and the time: its age is unknown.
const RELEASE = /^(?!0\.0\.0)\d+\.\d+\.\d+/

/** Whether a host's version, such as `1.3.2`, is a release older than `OLDEST_HOST`. */
export const isTooOld = (version: string): boolean => {
  const [release = OLDEST_HOST] = RELEASE.exec(version) ?? []
  // 1.3 is older than 1.14.
  return release.localeCompare(OLDEST_HOST, 'en', { numeric: true }) < 0
}

/**
 * Asks the host for its version, such as `1.18.33`; gives undefined where it does not say.
 *
 * Every host of 1.x gives it at `GET /global/health` and nowhere else; the host's client has no method for that.
 */
export const hostVersion = async (client: Client): Promise<string | undefined> => {
  const { data } = await callHost(async () => await httpClientOf(client).get({ url: '/global/health' }))
  const { version } = Object(data)
  return typeof version === 'string' ? version : undefined
}
