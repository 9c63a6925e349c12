/** What the stories of the tools share: projects of instruction files, and the calls that they play. */
import { inProcess, type Project } from '../harness/in-process.ts'
import type { Call, Step } from '../harness/model.ts'

type Files = Record<string, string | Uint8Array>

/** A project whose files are its instruction files. */
export const start = async (files: Files, config: Record<string, unknown> = {}): Promise<Project> =>
  (await inProcess()).project({ files, config: { instructions: Object.keys(files), ...config } })

// As JSON text: an argument that is undefined is left out.
const call = (tool: string, args: object): Call => ({ tool, args: JSON.stringify(args) })

export const DISCOVER: Call = { tool: 'discover-rules' }
export const discover = (files: unknown): Call => call('discover-rules', { files })
export const parse = (...rules: Array<unknown>): Call => call('parse-rules', { rules })
export const format = (rules: unknown, mode?: string): Call => call('format-rules', { rules, mode })
export const add = (args: object = {}): Call => call('add-rules', args)
export const write = (args: object = {}): Call => call('rewrite-rules', args)
export const restore = (files?: unknown, backup = 'latest'): Call => write({ restore: backup, files })

/** The rules as JSON text, as many models send them. */
export const rewrite = (files: string, ...rules: Array<string>): Call =>
  write({ rules: JSON.stringify({ rules }), files, mode: 'concise' })
export const append = (file: string | undefined, ...rules: Array<string>): Call =>
  add({ rules: JSON.stringify({ rules }), file, mode: 'concise' })

/** The steps of a call that would remove words of a file, which is asked once: the same again, in another message. */
export const twice = (call: Call): [Call, Call] => [call, call]

/** What parse-rules or format-rules answers where it takes some rules. */
export const taken = (...rules: Array<unknown>): string => JSON.stringify({ rules }, null, 2)

/** What some steps answer in a session of their own. */
export const answersIn = async (
  project: Project,
  ...steps: Array<Step>
): Promise<Array<string>> => (await (await project.session()).turn('go', ...steps)).outputs

/** The texts of a project's files. */
export const textsOf = (project: Project, ...paths: Array<string>): Promise<Array<string>> =>
  Promise.all(paths.map((path) => project.read(path)))
