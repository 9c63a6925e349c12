// The checkout runs its TypeScript as it stands, the published package its bundle. One entry serves both, for npm
// packs package.json as it is, and a package.json rewritten for the packing would be left wrong by a crash.
import { existsSync } from 'node:fs'

const source = new URL('./sat.ts', import.meta.url)
const { default: SAT } = await import(existsSync(source) ? './sat.ts' : './dist/sat.js')

export default SAT
