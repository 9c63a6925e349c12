/** Adds SAT's slash commands to the host, each with the template that it sends to the model. */
import type { PartHooks } from './join-hooks.ts'
import { METADATA_KEY } from './message-parts.ts'
import type { StoredPart } from './panel-schema.ts'

// The templates avoid the placeholder `$ARGUMENTS`, because the host would insert a typed `$$` there as `$`.

const REWRITE = `Put the rules of the instruction files below into clear words, each in its own place.
First go through a file line by line and list each rule that is not plain: one that hides behind a description or another rule, or late in a paragraph; told as a wish, or as a fact that leaves open what to do; a fragment that leaves what to do, when, or to what unsaid; readable in two ways; ahead of the step or condition that has to come first; misspelt; said twice in words that differ by accident. Mend all of these, above all where the stake is high (secrets, data, production, publishing), each in a sentence or, where the file has lists, an item of its own. Leave every plain instruction to the byte: style, tone, emphasis and brackets alone are no reason, nor is a missing verb under a heading that says it, nor a line about who the agent is, nor two short rules on one subject that read well together (\`Keep diffs small; propose a plan first\`, \`Handle it centrally, do not add listeners\`).
  \`We like early returns, deep nesting is hard to read. Also: NEVER use any.\` becomes \`Prefer early returns: deep nesting is hard to read.\` and, as its own item, \`NEVER use any.\`
  \`ternaries only for simple cases\` becomes \`Use ternaries only for simple cases\`
  \`Tests: run npm test before you finish!! Not for docs.\` stays: order, condition and exception are said.
A mended rule covers the same cases, as strongly: a general ban keeps its own sentence; words of time, place and condition stay next to their verb; a reason stays with its rule; MUST, should, MAY, "we like" and capitals are neither raised nor lowered; who acts is said as before; a fact stays a fact, next to the rule that follows from it; what defines a thing is no rule. When you split, the order stays, each part repeats the subject that it needs to stand alone, and parts of one label, one condition or one colon stay under it: in its item, or as items nested below it. Language, voice, full stops, markers and blank lines are those of its neighbours; write a sentence on one line, it is wrapped as its source was. What the file does not say is not filled in: ask it at the end.
Call discover-rules, with the files named below or none; then, file by file: parse-rules with the source of each rule to mend, format-rules, rewrite-rules, in the mode named below or none. Where nothing is to mend, say so and stop. If a tool answers with a fault, mend it and call the tool again. Read the diff, each - line against its + line: where it now covers more or less, or is not quicker to understand, put the old words back in the same way; what you listed and did not mend, mend now.
End with one sentence a file, that /restore-rules brings it back, and at most three questions that only the person can settle.
Files and mode:`

export const EXAMPLE_RULE = `---
globs: src/**/*.ts
forbid: ':\\s*any\\b'
bad: 'let x: any'
good: 'let many: Company'
---
Never use any.`

const ADD = `Add the rule below. If there is none, take my last correction, or ask for it.
Say where and why: the file that it names; .opencode/rules/NAME.md if it is about some files or a pattern can find violations; else the instruction file.
A rule file (omit lines that it does not need):
${EXAMPLE_RULE}
Show it, ask, write it, mend faults that the answer names.
The instruction file: discover-rules. If it says the same, stop; if it says the contrary, ask and rewrite that rule; else add-rules.
The rule:`

const REFINE = `Make tasks of the request below, then do them. Without a request below, ask for it.
Call parse-prompt with all that is asked (guess nothing), then format-prompt without tasks; the person sees its tree.
If there are several tasks, or you had to guess something, ask first, in one line: "Start? Enter, or say what to change" (by the question tool, with the option Start).
Work from the tree, task by task, each within its constraints. If a tool answers with a fault, mend it and call it again.
The request:`

const RESTORE = `Bring back what a rewrite of an instruction file replaced.
Call discover-rules, with the file named below if there is one. Then call rewrite-rules with \`files\`: the file named below, or else the file that was rewritten last; and with \`restore\`: the backup named below, or else "latest" (if this session rewrote the file several times, the backup from before the first rewrite).
Tell me what its answer says. If it asks which file is meant, ask me.
The file:`

const COMMANDS: Record<string, { template: string; description: string }> = {
  'rewrite-rules': {
    template: REWRITE,
    description: 'put the rules of instruction files into clear words [files] [mode]',
  },
  'add-rule': { template: ADD, description: 'add a rule, or turn your last correction into one [text]' },
  'refine': { template: REFINE, description: 'turn a messy request into tasks and do them <text>' },
  'restore-rules': { template: RESTORE, description: 'bring back what a rewrite replaced [file]' },
}

const COMMAND_KEY = `${METADATA_KEY}-command`

/** Whether a message part is a template that `commandHooks` split off. */
export const isCommandPart = ({ type, metadata }: StoredPart): boolean =>
  type === 'text' && Object(metadata)[COMMAND_KEY] !== undefined

export const isCommandTemplate = (template: string | undefined): boolean =>
  Object.values(COMMANDS).some((command) => command.template === template)

/** A command of the person with the same name takes precedence. */
export const commandHooks = (): PartHooks => ({
  config: async (config) => {
    config.command = { ...structuredClone(COMMANDS), ...config.command }
  },
  'command.execute.before': async ({ command }, { parts }) => {
    const template = COMMANDS[command]?.template
    if (template === undefined) return
    // The host joins the template and the typed text, but the screen should hide the template.
    const index = parts.findIndex((part) => part.type === 'text' && part.text.startsWith(template))
    const part = parts[index]
    if (part?.type !== 'text') return
    const typedText = `/${command} ${part.text.slice(template.length).trim()}`.trim()
    const templatePart = { ...part, text: template, synthetic: true, metadata: { [COMMAND_KEY]: command } }
    parts.splice(index, 1, templatePart, { ...part, text: typedText })
  },
})
