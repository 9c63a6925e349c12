/** Builds calls of SAT's tools, and plays them without the host in stories that check the answers. */
import { expect } from 'bun:test'
import { readFileSync } from 'node:fs'
import { outputOf } from '../harness/host.ts'
import { inProcess, type Project, type Session } from '../harness/in-process.ts'
import type { Call } from '../harness/model.ts'
import { toParsedRule } from '../harness/parsed-rule.ts'
import { story } from '../harness/story.ts'

const call = (tool: string, args: object): Call => ({ tool, args: JSON.stringify(args) })

export const DISCOVER: Call = { tool: 'discover-rules' }
export const discover = (files: unknown): Call => call('discover-rules', { files })
export const parse = (...rules: Array<unknown>): Call => call('parse-rules', { rules })
export const format = (rules: unknown, mode?: string): Call => call('format-rules', { rules, mode })
export const add = (args: object = {}): Call => call('add-rules', args)
export const rewrite = (args: object = {}): Call => call('rewrite-rules', args)
export const writeTo = (files: unknown, rules?: unknown): Call => rewrite({ rules, files })
export const restore = (files?: unknown, backup = 'latest'): Call => rewrite({ restore: backup, files })

/** Corrects rules of the last call of this tool: `{ 2: … }` replaces rule 2 and keeps all other rules. */
export const correct = (tool: 'parse-rules' | 'format-rules', rules: unknown): Call => call(tool, { rules })

/** Sends the rules as JSON text, as many models do. */
export const replace = (files: string, ...rules: Array<string>): Call =>
  rewrite({ rules: JSON.stringify({ rules }), files, mode: 'concise' })

export const addTo = (file: string | undefined, ...rules: Array<string>): Call =>
  add({ rules: JSON.stringify({ rules }), file, mode: 'concise' })

/** If SAT asks for confirmation, the second call confirms the first. */
export const twice = (call: Call): [Call, Call] => [call, call]

/** A parsed rule that replaces the words `source`: `sourced('obligatory, use, tabs', 'Use tabs!')`. */
export const sourced = (rule: string, source: string | Array<string>) => ({ ...toParsedRule(rule), source })

/** Expects parse-rules or format-rules to answer with exactly these rules. */
export const accepted = (...rules: Array<unknown>) => ({ is: JSON.stringify({ rules }, null, 2) })

type Expected = string | RegExp | { is: string } | { lacks: string } | { title: string }

/**
 * Calls, each followed by the expectations of its answer. In an answer, `…` replaces the path of the project's folder.
 * After an array of parallel calls, each expectation is for the next call of the array. A function changes or reads the
 * project.
 */
export type Row = Array<Call | Array<Call> | Expected | ((project: Project) => unknown)>

const isCall = (item: Call | Array<Call> | Expected): item is Call | Array<Call> =>
  Array.isArray(item) || (typeof item === 'object' && 'tool' in item)

type Answers = Awaited<ReturnType<Session['turn']>>['tools']

/** Checks the answer of a single call, or the next answer of parallel calls. */
const expectNext = (answers: Answers, expected: Expected, folder: string, sent: string): void => {
  const answer = (answers.length > 1 ? answers.shift() : answers[0])!
  const compared = expect(outputOf(answer).replaceAll(folder, '…'), sent)
  if (typeof expected === 'string' || expected instanceof RegExp) compared.toMatch(expected)
  else if ('is' in expected) compared.toBe(expected.is)
  else if ('lacks' in expected) compared.not.toContain(expected.lacks)
  else expect(answer.state.title, sent).toBe(expected.title)
}

/** Starts a session, and returns a function that plays rows in it. */
export const startIn = async (project: Project) => {
  const session = await project.session()
  return async (...rows: Array<Row>): Promise<void> => {
    let [sent, answers]: [string, Answers] = ['', []]
    for (const item of rows.flat()) {
      if (typeof item === 'function') await item(project)
      else if (!isCall(item)) expectNext(answers, item, project.directory, sent)
      else [sent, answers] = [JSON.stringify(item).slice(0, 300), (await session.turn('go', item)).tools]
    }
  }
}

/** Plays rows in a new session. */
export const playIn = async (project: Project, ...rows: Array<Row>) => (await startIn(project))(...rows)

type Text = string | Uint8Array

/** Creates a project whose files are all instruction files, unless `config` has other `instructions`. */
export const projectOf = async (files: Record<string, Text>, config = {}): Promise<Project> =>
  (await inProcess()).project({ files, config: { instructions: Object.keys(files), ...config } })

export const textsOf = (project: Project, ...paths: Array<string>): Array<string> =>
  paths.map((path) => readFileSync(project.path(path), 'utf8'))

/** Plays rows in a project of instruction files. Only the files `[before, after]` may change, each to `after`. */
export const ruleStory = (
  name: string,
  files: Record<string, string | [before: Text, after: string]>,
  ...rows: Array<Row>
): void =>
  story(name, async () => {
    const [paths, texts] = [Object.keys(files), Object.values(files).map((text) => [text].flat())]
    const project = await projectOf(Object.fromEntries(paths.map((path, at) => [path, texts[at]![0]!])))
    await playIn(project, ...rows)
    expect(textsOf(project, ...paths)).toEqual(texts.map((each) => each.at(-1) as string))
  })
