/**
 * Starts sessions in projects whose rules have checks: patterns that no line may match, or that a file must contain.
 * Reads what SAT says about violations: reports (in the answer of the call) and marks (in the panel in the terminal).
 */
import { write } from '../formatting/session.ts'
import { type Project, type ProjectOptions, type Session, sharedHost, type Turn } from '../harness/host.ts'
import type { Call, Step } from '../harness/model.ts'
import { panelRules, read, ruleFile, sessionStarter, startSession } from './session-rules.ts'

/** The text of the rule `no-any`: no line of a TypeScript file in `src` may have the type `any`. */
export const NO_ANY = ruleFile(
  String.raw`globs: src/**/*.{ts,mts}
forbid: ':\s*any\b|\bas any\b'
bad: 'const x: any = 1'
good: 'const many: Company = 1'`,
  'Never use `any`; use `unknown` and narrow it.\n\nMore about it.',
)

/** The text of `src/old.ts`: a line that breaks `no-any` before the session starts. */
export const OLD = 'export const old: any = 1\n'

export const FILES = {
  '.opencode/rules/no-any.md': NO_ANY,
  '.opencode/rules/no-log.md': ruleFile(
    String.raw`forbid: '\bconsole\.log\('`,
    'Do not leave `console.log` in the code.',
  ),
  'src/old.ts': OLD,
}

/** Starts a session in a project of its own, which has `FILES` and further files. */
export const startChecked = ({ files, ...options }: ProjectOptions = {}) =>
  startSession({ ...options, files: { ...FILES, ...files } })

/** Starts a session in a project that several stories share. They change no rule, and each writes other files. */
export const startShared = sessionStarter({ files: FILES })

/** Plays a turn that first reads a file with rules, because SAT refuses to create files before the model saw them. */
export const play = (session: Session, ...steps: Array<Step>): Promise<Turn> =>
  session.turn('go', read('src/old.ts'), ...steps, 'the end')

/**
 * Creates a call that starts a subagent, which plays `steps`; by default, it writes a line that breaks `no-any` to
 * `src/child.ts`. The scripted model finds the steps by the prompt, so no two stories may use the same one.
 */
export const delegate = async (project: Project, prompt: string, ...steps: Array<Step>): Promise<Call> => {
  const { model } = await sharedHost()
  const defaultSteps = [read('src/old.ts'), write(project, 'src/child.ts', 'let c: any\n')]
  model.scriptChild(prompt, [...steps.length > 0 ? steps : defaultSteps, 'made'])
  return { tool: 'task', args: { description: 'x', prompt, subagent_type: 'general' } }
}

/** Returns whether each answer contains a report. */
export const areReported = (outputs: Array<string>): Array<boolean> =>
  outputs.map((output) => output.includes('breaks rules'))

/** Lists the marks of a session: `no-any src/a.ts:2` for a line, `spdx src/a.ts` for a file that lacks a pattern. */
export const marksOf = async (session: Session): Promise<Array<string>> =>
  (await panelRules(session)).broken.map(({ rule, path, line }) =>
    `${rule} ${path}${line === undefined ? '' : `:${line}`}`
  )
