/** Reads the host's version, and compares it with the oldest version that SAT supports. */
import { callHost, type Client, httpClientOf } from './client.ts'

/** The oldest host with which SAT was tested. */
export const OLDEST_HOST = '1.14.34'

// A host that was built from source has a version such as `0.0.0-dev-202611211200`.
const RELEASE = /^(?!0\.0\.0)\d+\.\d+\.\d+/

export const isTooOld = (version: string): boolean => {
  const release = RELEASE.exec(version)?.[0]
  return release !== undefined && release.localeCompare(OLDEST_HOST, 'en', { numeric: true }) < 0
}

/** Requests `/global/health`, because no other address returns the version in every 1.x host. */
export const hostVersion = async (client: Client): Promise<string | undefined> => {
  const { data } = await callHost(async () => await httpClientOf(client).get({ url: '/global/health' }))
  const { version } = Object(data)
  return typeof version === 'string' ? version : undefined
}
