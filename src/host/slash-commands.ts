import type { HooksPart } from './join-hooks.ts'

// The host appends what the person typed to a template without a placeholder, unchanged. In place of $ARGUMENTS it
// would lose its dollar signs (`$$` becomes `$`, `$&` the placeholder).

const REWRITE = `Put the rules of the instruction files below into clear words, each in its own place.
A rule that is one clear sentence already stays: leave it out. A sentence becomes several rules only where each stands for itself, with its condition and what it is about; else it stays one. None is lost, softened or added, no reason made up; what you leave out stays to the byte, and a small diff is the aim.
Call discover-rules, with the files named below or none. Then, file by file: parse-rules with the source of each rule that you restate, format-rules, rewrite-rules, in the mode named below or none.
If a tool answers with a fault, mend it and call the tool again. End with one sentence a file, and that /restore-rules brings it back.
Files and mode:`

const ADD =
  `Add the rule below to this project. Without a rule below, take what I corrected you in last in this session, as one rule; if there is nothing, ask for it.
Say first where it goes and why: into the file that it names; else a rule about certain files, or that a pattern can see in their lines, into .opencode/rules/NAME.md; any other into the instruction file.
A rule file: between two lines of --- each on its own line what it has use for, globs: src/**/*.ts (of the files concerned), forbid: ':\\s*any\\b' (tried with each line that you add; no lookaround, no backreference), bad: 'const x: any = 1' (a wrong line; the one that I corrected), good: 'const many: Company = 1' (a right one). Then its words, such as: Never use any. Without forbid where words alone can say it. Show me the file and ask; then write it, and mend what the answer finds wrong with it.
The instruction file: call discover-rules. If a rule of the file says the same, add nothing; if one says the contrary or half of it, ask, then replace it: parse-rules with its words as source, format-rules, rewrite-rules. Else call parse-rules with the new rule alone, format-rules, add-rules with the words of the heading or rule it follows as \`after\`. If a tool answers with a fault, mend it and call it again.
The rule:`

const REFINE = `Make tasks of the request below, then do them. Without a request below, ask for it.
Call parse-prompt with all that is asked (guess nothing), then format-prompt without tasks; the person sees its tree.
Work from the tree, task by task, each within its constraints. If a tool answers with a fault, mend it and call it again.
The request:`

const RESTORE = `Bring back what a rewrite of an instruction file replaced.
Call discover-rules, with the file named below or none; then rewrite-rules with \`restore\` ("latest", or the backup named below) and with the file as \`files\`: the one named, or the one that was rewritten last.
Tell what its answer says. If it asks which file is meant, ask the person.
The file:`

/** The slash commands by their names: what walks a model through a pipeline, and what the person reads in the list. */
const COMMANDS: Record<string, { words: string; description: string }> = {
  'rewrite-rules': {
    words: REWRITE,
    description: 'put the rules of instruction files into clear words [files] [mode]',
  },
  'add-rule': { words: ADD, description: 'add a rule, or make one of your last correction [text]' },
  'refine': { words: REFINE, description: 'turn a messy request into tasks and do them <text>' },
  'restore-rules': { words: RESTORE, description: 'bring back what a rewrite replaced [file]' },
}

/**
 * Gives what the person reads of a command's words, on the screen and in the prompt after an undo: the first line, which
 * says what is done, and the last, which what they typed follows. The steps between them are for the model.
 */
const templateOf = (words: string): string => words.replace(/\n[^]*(?=\n)/, '')

/** Gives the command that the host made a text of. */
const commandOf = (text: string) =>
  Object.values(COMMANDS).find(({ words }) => text.startsWith(templateOf(words)))

/** Whether the host made a text of one of these commands. */
export const isOwnCommand = (text: string): boolean => commandOf(text) !== undefined

/** Puts the steps of a command into a text that the host made of it. */
const withSteps = (text: string): string => {
  const { words } = commandOf(text) ?? {}
  return words === undefined ? text : words + text.slice(templateOf(words).length)
}

/**
 * Makes the hooks that add the commands, and their steps to each request. The person's own command of the same name
 * stays.
 */
export const commandHooks = (): HooksPart => ({
  config: async (config) => {
    const own = Object.entries(COMMANDS).map(([name, { words, description }]) =>
      [name, { template: templateOf(words), description }] as const
    )
    config.command = { ...Object.fromEntries(own), ...config.command }
  },
  'experimental.chat.messages.transform': async (_, { messages }) => {
    for (const message of messages) {
      if (message.info.role !== 'user') continue
      message.parts = message.parts.map((part) =>
        part.type === 'text' && !part.synthetic && isOwnCommand(part.text)
          ? { ...part, text: withSteps(part.text) }
          : part
      )
    }
  },
})
