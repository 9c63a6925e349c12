// The terminal's half of SAT, which `.opencode/tui.json` names.
import { load, MISSING } from './clone.js'

const absent = ({ ui }) => ui.toast({ variant: 'warning', title: 'SAT', message: MISSING, duration: 15_000 })

export default await load('tui.js') ?? { id: 'opencode-sat', tui: async (api) => absent(api) }
