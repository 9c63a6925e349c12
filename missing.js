// Creates the message that the server half or the terminal half of the plugin shows if it cannot be loaded.
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

const FOLDER = dirname(fileURLToPath(import.meta.url))

// The host provides these modules. If one is missing, SAT is inside a `node_modules`, and `npm install` does not help.
const HOST_MODULE = /['"](?:@opentui\/solid|solid-js)\b/

const isPackageMissing = (thrown) =>
  /cannot find (?:package|module)|ERR_MODULE_NOT_FOUND/i.test(`${thrown?.code} ${thrown}`)
  && !HOST_MODULE.test(`${thrown}`)

/** Says why SAT is off and, if packages are missing, which command installs them. */
export const whyOff = (thrown) => {
  const reason = thrown instanceof Error ? thrown.message : String(thrown)
  return isPackageMissing(thrown)
    ? `SAT is off: its packages are not installed. Run \`cd "${FOLDER}" && npm install\`, then restart OpenCode. (${reason})`
    : `SAT is off: it could not be loaded from ${FOLDER}: ${reason}`
}
