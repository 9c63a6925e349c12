/** A tool's answer: a short title for the person's screen, and the text that the model reads. */
export type Answer = { title?: string; output: string; metadata?: Record<string, unknown> }

/** A tool in the form that the host, OpenCode, accepts. */
export type Tool = {
  description: string
  /** The zod schema of each argument, by name. `any`, because zod's own types would have to be installed. */
  args: Record<string, any>
  /**
   * Runs the tool. The answer to invalid arguments says what is wrong. Rejects only if the host refuses a permission.
   *
   * @param context the host's context of the call: at least `directory`, and `ask` for tools that write
   */
  execute(args: unknown, context: object): Promise<string | Answer>
}

/**
 * What the plugin returns to the host: its seven tools by name, and hooks that only the host calls. `tool` is missing
 * if the option `tools` is `false`, or if SAT is off because the host is too old or has loaded SAT already.
 */
export type Hooks = { tool?: Record<string, Tool> }

/**
 * The plugin. The host calls it once per project, with its client, the project's directory, and the options of the
 * plugin's entry in `opencode.json` (see `opencode-sat/options.schema.json`).
 *
 * The package has its own types, so that nothing else needs to be installed. If `@opencode-ai/plugin` is installed, SAT
 * is assignable to its `Plugin`.
 */
declare const SAT: (
  input: { directory: string; client: object },
  options?: Record<string, unknown>,
) => Promise<Hooks>

export default SAT
