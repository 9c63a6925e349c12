/** The half of SAT for the terminal, which OpenCode loads from a `tui.json`. */
declare const module: { id: string; tui: (api: any, options: any, meta: any) => Promise<void> }

export default module
