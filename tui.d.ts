/** The terminal half of SAT: OpenCode loads it if a `tui.json` names it. */
declare const module: { id: string; tui: (api: any, options: any, meta: any) => Promise<void> }

export default module
