// Loads SAT. OpenCode loads the plugins in this folder without an entry in a config.
import { clone, load, MISSING } from '../sat/clone.js'

// SAT's options, for everybody in the project.
const OPTIONS = {}

const tell = async ({ app, tui }) => {
  await app.log({ body: { service: 'opencode-sat', level: 'error', message: MISSING } })
  await tui.showToast({ body: { title: 'SAT', message: MISSING, variant: 'warning', duration: 15_000 } })
}

const tellUnlessLoaded = async ({ client }) => {
  // Somebody's own config may name SAT. A loaded copy of SAT adds its client to this set.
  if (globalThis[Symbol.for('opencode-sat.claimed')]?.has(client)) return
  if (process.argv.includes('run')) {
    console.error(MISSING)
    if (process.env.SAT_EXIT === '1') process.exitCode = 1
  }
  // Waits, because OpenCode starts its plugins before it can answer their requests.
  setTimeout(() => tell(client).catch(() => {}), 1_500).unref()
}

export default async (input) => {
  const SAT = await load('index.js')
  // OpenCode calls `config` when it has loaded all plugins.
  if (SAT === undefined) return { config: () => tellUnlessLoaded(input) }
  const hooks = await SAT(input, OPTIONS)
  // If an entry in a config has loaded SAT, there are no hooks, and the options of that entry apply.
  if (!hooks.config) return hooks
  const config = async (merged) => {
    await hooks.config(merged)
    // SAT's terminal plugin reads the options in the first entry that names SAT.
    merged.plugin = [[clone, OPTIONS], ...merged.plugin ?? []]
  }
  return { ...hooks, config }
}
