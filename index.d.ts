/** A tool's answer: a short title for the person's screen, and the text that the model reads. */
export type Answer = { title?: string; output: string; metadata?: Record<string, unknown> }

/** A tool in the form that the host, OpenCode, accepts. */
export type Tool = {
  description: string
  /** The zod schema of each argument; `any`, so that zod need not be installed. */
  args: Record<string, any>
  /**
   * Rejects only if the host refuses a permission. For invalid arguments, the answer names their faults.
   *
   * @param context the host's context of the call: at least `directory`, and `ask` for tools that write
   */
  execute(args: unknown, context: object): Promise<string | Answer>
}

/** The tools, and hooks that only the host calls. If the option `tools` is `false` or SAT is off, `tool` is missing. */
export type Hooks = { tool?: Record<string, Tool> }

/**
 * The plugin, assignable to `Plugin` of `@opencode-ai/plugin`. The host calls it once per project, with the options of
 * the plugin's entry in `opencode.json` (see `opencode-sat/options.schema.json`).
 */
declare const SAT: (
  input: { directory: string; client: object },
  options?: Record<string, unknown>,
) => Promise<Hooks>

export default SAT
