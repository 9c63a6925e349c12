/** Defines the options of SAT's entry in `opencode.json`. */
import * as z from 'zod'

const NonEmpty = z.string().trim().min(1, 'it is empty')

const WhenSchema = z.enum(['save', 'turn'])

export type When = z.infer<typeof WhenSchema>

export const CommandSchema = z.strictObject({
  command: NonEmpty.meta({
    description: "{path} or $FILE stands for the file's path. Without either, the path is appended "
      + 'unless the command names a folder.',
    examples: ['prettier --write {path}', 'cargo fmt'],
  }),
  ok: z.array(z.int()).optional().meta({
    description: 'Exit codes that mean success.',
    default: [0],
    examples: [[0, 1]],
  }),
  when: WhenSchema.optional().meta({
    description: "save: once per step, before the model's next request. turn: once, at the end of the turn.",
    default: 'save',
    examples: ['turn'],
  }),
})

const FormatOnSaveSchema = z.object({
  when: WhenSchema.optional().meta({
    description: 'The default "when" of the commands.',
    default: 'save',
    examples: ['turn'],
  }),
}).catchall(z.union([NonEmpty, CommandSchema], 'expected a command, or an object with "command"'))

/** Maps globs to commands. The first glob that matches a file decides which command formats it. */
export type FormatOnSaveOption = z.infer<typeof FormatOnSaveSchema>

export const RulesSchema = z.strictObject({
  directories: z.array(NonEmpty).optional(),
  before_write: z.boolean().optional(),
  checks: z.boolean().optional(),
})

const falseOr = <Schema extends z.ZodType>(schema: Schema, error: string) =>
  z.union([z.literal(false), schema], error).optional()

export const OptionsSchema = z.strictObject({
  format_on_save: falseOr(FormatOnSaveSchema, 'expected false, or an object: glob → command').meta({
    description: 'Glob → command that formats a file the agent wrote. false turns formatting off.',
    examples: [
      false,
      { '*.ts': 'prettier --write {path}', '*.rs': 'cargo fmt' },
      { '*.js': { command: 'eslint --fix {path}', ok: [0, 1] } },
      { when: 'turn', '*.ts': 'organize-imports {path}' },
    ],
  }),
  rules: falseOr(RulesSchema, 'expected false, or an object with "directories"').meta({
    description: 'false turns rule files off. "directories": more folders of rule files. '
      + '"before_write": false lets the agent write a new file before it has seen the rules for that file. '
      + '"checks": false turns forbid and require off.',
    examples: [false, { directories: ['docs/rules'] }, { before_write: false, checks: false }],
  }),
  tools: falseOr(z.enum(['always', 'commands']), 'expected "always", "commands" or false').meta({
    description:
      'When the seven tools are offered to the model: in every request, after a command, or never.',
    default: 'always',
    examples: ['commands', false],
  }),
  debug: z.boolean().optional().meta({
    description: "Whether the host's log names the discovered rules.",
    default: false,
    examples: [true],
  }),
})

export type Options = z.infer<typeof OptionsSchema>
