import type { HooksPart } from './join-hooks.ts'

// The host appends what the person typed to a template without a placeholder, unchanged. In place of $ARGUMENTS it
// would lose its dollar signs (`$$` becomes `$`, `$&` the placeholder).

const REWRITE =
  `Put the rules of the instruction files below into clear words, each in its own place. Keep every rule: none is lost, softened or added; the rest of the file stays.
Call discover-rules, with the files named below or none. Then, file by file: parse-rules with the source of each rule, format-rules, rewrite-rules, in the mode named below or none.
If a tool answers with a fault, mend it and call the tool again. End with one sentence a file, and that /restore-rules brings it back.
Files and mode:`

const ADD =
  `Add the rule below to this project's instruction file, or to the file it names. Without a rule below, ask for it.
Call discover-rules. If a rule of the file says the same, add nothing; if one says the contrary or half of it, ask, then replace it: parse-rules with its words as source, format-rules, rewrite-rules.
Else call parse-rules with the new rule alone, format-rules in the style of the file, add-rules. If a tool answers with a fault, mend it and call it again.
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
  'add-rule': { words: ADD, description: 'add a rule to an instruction file <text>' },
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
        part.type === 'text' && isOwnCommand(part.text) ? { ...part, text: withSteps(part.text) } : part
      )
    }
  },
})
