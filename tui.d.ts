/** The terminal's half of SAT, as OpenCode takes it from a `tui.json`. */
declare const module: { id: string; tui: (api: any, options: any, meta: any) => Promise<void> }

export default module
