/** The terminal half of SAT, as OpenCode loads it from a `tui.json`. */
declare const module: { id: string; tui: (api: any, options: any, meta: any) => Promise<void> }

export default module
