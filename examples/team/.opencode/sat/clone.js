// Finds the clone of SAT on this machine: the first of the folders below that contains SAT.
import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

// The address from which your team clones SAT.
const ADDRESS = 'git@example.com:tools/opencode-sat.git'

const project = fileURLToPath(new URL('../..', import.meta.url))
const places = [
  process.env['OPENCODE_SAT']?.replace(/^~(?=\/|$)/, homedir()),
  join(homedir(), 'opencode-sat'),
  join(project, 'tools', 'opencode-sat'),
]

const isSat = (place) => {
  try {
    return JSON.parse(readFileSync(join(place, 'package.json'), 'utf8')).name === 'opencode-sat'
  } catch {
    return false
  }
}

/** The folder of the clone; undefined if there is none. */
export const clone = places.find((place) => place && isSat(place))

/** Loads a file from the clone; returns undefined if there is no clone. */
export const load = async (file) =>
  clone === undefined ? undefined : (await import(pathToFileURL(join(clone, file)).href)).default

export const MISSING = 'SAT is off: this project uses it, and it is not on this machine. Run '
  + `\`git clone ${ADDRESS} ~/opencode-sat && cd ~/opencode-sat && npm install\`, then restart OpenCode.`
