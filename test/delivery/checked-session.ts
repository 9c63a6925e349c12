/** Plays sessions with the rules `no-any` and `no-log`. */
import { write } from '../formatting/session.ts'
import type { Project, ProjectOptions, Session, Turn } from '../harness/host.ts'
import type { Call, Step } from '../harness/model.ts'
import { callSubagent, panelRules, read, ruleFile, sessionStarter, startSession } from './session-rules.ts'

export const NO_ANY = ruleFile(
  String.raw`globs: src/**/*.{ts,mts}
forbid: ':\s*any\b|\bas any\b'
bad: 'const x: any = 1'
good: 'const many: Company = 1'`,
  'Never use `any`; use `unknown` and narrow it.\n\nMore about it.',
)

export const OLD = 'export const old: any = 1\n'

export const FILES = {
  '.opencode/rules/no-any.md': NO_ANY,
  '.opencode/rules/no-log.md': ruleFile(
    'forbid: console\\.log\\(',
    'Do not leave `console.log` in the code.',
  ),
  'src/old.ts': OLD,
}

export const startChecked = ({ files, ...options }: ProjectOptions = {}) =>
  startSession({ ...options, files: { ...FILES, ...files } })

/** Stories that share this project must not change its rules, and each must write files of its own. */
export const startShared = sessionStarter({ files: FILES })

/** Reads a file in `src` first, so that the model sees `no-any`. Until then, SAT refuses to create `src/*.ts`. */
export const play = (session: Session, ...steps: Array<Step>): Promise<Turn> =>
  session.turn('go', read('src/old.ts'), ...steps)

/** Calls a subagent that writes a line which breaks a rule. */
export const delegate = (project: Project, prompt: string): Promise<Call> =>
  callSubagent('general', prompt, read('src/old.ts'), write(project, 'src/child.ts', 'let c: any\n'))

export const areReported = (outputs: Array<string>): Array<boolean> =>
  outputs.map((output) => output.includes('breaks rules'))

/** Lists marks: `no-any src/a.ts:2` for a line, `spdx src/a.ts` for a file without the text that `spdx` requires. */
export const marksOf = async (session: Session): Promise<Array<string>> =>
  (await panelRules(session)).broken.map(({ rule, path, line }) =>
    `${rule} ${path}${line === undefined ? '' : `:${line}`}`
  )
