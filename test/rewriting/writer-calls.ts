/** Creates projects of instruction files and calls of the tools, and compares their answers. */
import { expect } from 'bun:test'
import { inProcess, type Project, type Session } from '../harness/in-process.ts'
import type { Call, Step } from '../harness/model.ts'

type Files = Record<string, string | Uint8Array>

/** Creates a project whose files are its instruction files. */
export const start = async (files: Files, config: Record<string, unknown> = {}): Promise<Project> =>
  (await inProcess()).project({ files, config: { instructions: Object.keys(files), ...config } })

// As JSON text, which leaves out an argument that is undefined.
const call = (tool: string, args: object): Call => ({ tool, args: JSON.stringify(args) })

export const DISCOVER: Call = { tool: 'discover-rules' }
export const discover = (files: unknown): Call => call('discover-rules', { files })
export const parse = (...rules: Array<unknown>): Call => call('parse-rules', { rules })
export const format = (rules: unknown, mode?: string): Call => call('format-rules', { rules, mode })
export const add = (args: object = {}): Call => call('add-rules', args)
export const write = (args: object = {}): Call => call('rewrite-rules', args)
export const restore = (files?: unknown, backup = 'latest'): Call => write({ restore: backup, files })

/** A correction of single rules by their numbers. */
export const correct = (tool: 'parse-rules' | 'format-rules', rules: unknown): Call => call(tool, { rules })

/** The rules as JSON text, as many models send them. */
export const rewrite = (files: string, ...rules: Array<string>): Call =>
  write({ rules: JSON.stringify({ rules }), files, mode: 'concise' })
export const append = (file: string | undefined, ...rules: Array<string>): Call =>
  add({ rules: JSON.stringify({ rules }), file, mode: 'concise' })

/** Returns a call twice, as two messages: a call that would remove words of a file is sent again to confirm it. */
export const twice = (call: Call): [Call, Call] => [call, call]

/** What parse-rules or format-rules answers where it accepts rules. */
export const accepted = (...rules: Array<unknown>): string => JSON.stringify({ rules }, null, 2)

/** Plays some steps in a session of their own; returns the answers. */
export const answersIn = async (
  project: Project,
  ...steps: Array<Step>
): Promise<Array<string>> => (await (await project.session()).turn('go', ...steps)).outputs

/** What an answer contains, or a pattern that it matches; `{ is }` is the whole answer. */
type Expected = string | RegExp | { is: string }

/** A message, and what is expected of its answer; of several calls, one for each answer. */
type Row = [step: Step, ...answers: Array<Expected>]

/** The rows of messages whose answers do not matter. */
export const unchecked = (...steps: Array<Step>): Array<Row> => steps.map((step) => [step])

/** Plays messages in a session, or in a new one of a project, and compares the answers. */
export const expectAnswers = async (target: Project | Session, ...rows: Array<Row>): Promise<Session> => {
  const session = 'turn' in target ? target : await target.session()
  for (const [step, ...answers] of rows) {
    const { outputs } = await session.turn('go', step)
    for (const [index, expected] of answers.entries()) {
      const answer = expect(outputs[Array.isArray(step) ? index : 0], JSON.stringify(step)?.slice(0, 300))
      if (typeof expected === 'object' && 'is' in expected) answer.toBe(expected.is)
      else answer.toMatch(expected)
    }
  }
  return session
}

/** The texts of a project's files. */
export const textsOf = (project: Project, ...paths: Array<string>): Promise<Array<string>> =>
  Promise.all(paths.map((path) => project.read(path)))
