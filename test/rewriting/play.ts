/** Plays calls of the rule tools without the host, and compares the answers. */
import { expect } from 'bun:test'
import { inProcess, type Project, type Session } from '../harness/in-process.ts'
import type { Step } from '../harness/model.ts'

type Files = Record<string, string | Uint8Array>

/** Creates a project whose files are all instruction files. */
export const projectOf = async (files: Files, config: Record<string, unknown> = {}): Promise<Project> =>
  (await inProcess()).project({ files, config: { instructions: Object.keys(files), ...config } })

type Expected = string | RegExp | { is: string } | { lacks: string }

/** Expects parse-rules or format-rules to answer with exactly these rules. */
export const accepted = (...rules: Array<unknown>) => ({ is: JSON.stringify({ rules }, null, 2) })

/** A call with expectations of its answer, or parallel calls with one expectation each: `[[a, b], ofA, ofB]`. */
type Row = [message: Step, ...expectations: Array<Expected>]

export const anyAnswer = (...messages: Array<Step>): Array<Row> => messages.map((message) => [message])

/** Plays the rows in a session or, given a project, in a new session, and returns the session. */
export const expectAnswers = async (target: Project | Session, ...rows: Array<Row>): Promise<Session> => {
  const session = 'turn' in target ? target : await target.session()
  for (const [message, ...expectations] of rows) {
    const { outputs } = await session.turn('go', message)
    for (const [index, expected] of expectations.entries()) {
      const output = outputs[Array.isArray(message) ? index : 0]
      const compared = expect(output, JSON.stringify(message)?.slice(0, 300))
      if (typeof expected === 'string' || expected instanceof RegExp) compared.toMatch(expected)
      else if ('is' in expected) compared.toBe(expected.is)
      else compared.not.toContain(expected.lacks)
    }
  }
  return session
}

export const textsOf = (project: Project, ...paths: Array<string>): Promise<Array<string>> =>
  Promise.all(paths.map((path) => project.read(path)))
