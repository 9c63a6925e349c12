// Loads the part of SAT that runs in the terminal. `.opencode/tui.json` names this file.
import { load, MISSING } from './clone.js'

const absent = ({ ui }) => ui.toast({ variant: 'warning', title: 'SAT', message: MISSING, duration: 15_000 })

export default await load('tui.js') ?? { id: 'opencode-sat', tui: async (api) => absent(api) }
