import type { HooksPart } from './join-hooks.ts'

/** A slash command of the host: what the model is told, and what the person reads in the list. */
type Command = { template: string; description: string }

// The host puts what the person typed behind a template without a placeholder, letter by letter. In the place of
// $ARGUMENTS it would lose its dollar signs (`$$` becomes `$`, `$&` the placeholder).

const REWRITE =
  `Put the rules of this project's instruction files into clear words. Keep every rule: none is lost, softened or added.

1. Call discover-rules, with the files named at the end as \`files\`, or without it if none is named.
2. Before you write, tell the person what of each file is no rule (facts, commands, layout, code) and would go with a rewrite; the notes of discover-rules count it. Say where you propose to keep it, such as a README or a file of its own, and wait for the answer. If nothing would go, go on.
3. Then for one file after the other: parse-rules with all that it says, format-rules, and rewrite-rules with this one file as \`files\`. Give format-rules and rewrite-rules the mode named at the end (verbose, balanced or concise), or none if none is named.
4. Tell what was saved in each file, and that /restore-rules brings back what it said.

If a tool answers with a fault, mend it and call the tool again.

Files and mode, as the person typed them:`

const ADD =
  `Add the rule at the end to an instruction file. If there is no text at the end, ask for the rule and call no tool.

1. Call discover-rules. If a rule says the same already, or the contrary, tell the person instead of adding it.
2. Call parse-rules with this rule alone, then format-rules, in the style of the rules that are there.
3. If the notes of discover-rules or parse-rules name something in this rule that is not there, or a rule that contradicts it, ask the person first.
4. Call add-rules, with \`file\` if the person named one.

If a tool answers with a fault, mend it and call the tool again.

The rule, as the person typed it:`

const REFINE =
  `Make tasks of the request at the end, then do them. If there is no text at the end, ask for the request and call no tool.

1. Call parse-prompt with all that is asked: what is wanted, where, under which constraints. Guess nothing.
2. Call format-prompt without tasks: it renders what parse-prompt took. Show its tree to the person as it stands.
3. Work from the tree: task by task in its order, each within its constraints.

If a tool answers with a fault, mend it and call the tool again.

The request, as the person typed it:`

const RESTORE = `Bring back what a rewrite of an instruction file replaced.

1. Call discover-rules, with the file named at the end as \`files\`, or without it if none is named.
2. Call rewrite-rules with \`restore\` and without rules: "latest", or the backup that the person named. As \`files\` give the file named at the end; if none is named, the one that was rewritten last in this session, or none.
3. Tell which file was brought back, and where the backup of what it said until now is. If the tool asks which file is meant, ask the person.

The file, as the person typed it:`

/** The slash commands by their names: each walks a model through a pipeline. */
const COMMANDS: Record<string, Command> = {
  'rewrite-rules': {
    template: REWRITE,
    description: 'put instruction files into clear rules [files] [mode]',
  },
  'add-rule': { template: ADD, description: 'add a rule to an instruction file <text>' },
  'refine': { template: REFINE, description: 'turn a messy request into tasks and do them <text>' },
  'restore-rules': { template: RESTORE, description: 'bring back what a rewrite replaced [file]' },
}

/** Makes the hook that adds the commands. A command of the person's of the same name, from wherever, stays. */
export const commandHooks = (): HooksPart => ({
  config: async (config) => {
    config.command = { ...COMMANDS, ...config.command }
  },
})
