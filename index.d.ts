/** What a tool answers: a short title for the person's screen, and the text that the model reads. */
export type Answer = { title?: string; output: string; metadata?: Record<string, unknown> }

/** A tool as the host takes it. */
export type Tool = {
  description: string
  /** The zod schema of each argument, by its name; `any`, for zod's own types would have to be installed. */
  args: Record<string, any>
  /**
   * Runs the tool. Bad arguments are answered in words; only a permission that the host refused is thrown.
   *
   * @param context what the host says of the call: at least `directory`, and `ask` for the tools that write
   */
  execute(args: unknown, context: object): Promise<string | Answer>
}

/** What the plugin gives to the host: its seven tools by their names, and hooks that are the host's business. */
export type Hooks = { tool: Record<string, Tool> }

/**
 * The plugin. The host calls it once a project, with its client and the project's directory, and with the options of
 * the plugin's entry in `opencode.json` (see `opencode-sat/options.schema.json`).
 *
 * The types are the package's own, so that nothing needs to be installed beside it; where `@opencode-ai/plugin` is
 * installed, SAT is a `Plugin` of it.
 */
declare const SAT: (
  input: { directory: string; client: object },
  options?: Record<string, unknown>,
) => Promise<Hooks>

export default SAT
