// Loads SAT. OpenCode loads the plugins in this folder without an entry in a config.
import { load, MISSING } from '../sat/clone.js'

// SAT's options, for everybody in the project.
const OPTIONS = {}

const tell = async ({ app, tui }) => {
  await app.log({ body: { service: 'opencode-sat', level: 'error', message: MISSING } })
  await tui.showToast({ body: { title: 'SAT', message: MISSING, variant: 'warning', duration: 15_000 } })
}

export default async (input) => {
  const SAT = await load('index.js')
  if (SAT !== undefined) return SAT(input, OPTIONS)
  if (process.argv.includes('run')) console.error(MISSING)
  // Wait: OpenCode starts its plugins before it can answer them.
  setTimeout(() => tell(input.client).catch(() => {}), 1_500).unref()
  return {}
}
