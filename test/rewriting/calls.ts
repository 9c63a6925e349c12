/** Calls of the rule tools, as a model sends them. */
import type { Call } from '../harness/model.ts'

// As JSON text, which leaves out an argument that is undefined.
const call = (tool: string, args: object): Call => ({ tool, args: JSON.stringify(args) })

export const DISCOVER: Call = { tool: 'discover-rules' }
export const discover = (files: unknown): Call => call('discover-rules', { files })
export const parse = (...rules: Array<unknown>): Call => call('parse-rules', { rules })
export const format = (rules: unknown, mode?: string): Call => call('format-rules', { rules, mode })
export const add = (args: object = {}): Call => call('add-rules', args)
export const rewrite = (args: object = {}): Call => call('rewrite-rules', args)
export const restore = (files?: unknown, backup = 'latest'): Call => rewrite({ restore: backup, files })

/** Corrects single rules of the last call by their numbers. */
export const correct = (tool: 'parse-rules' | 'format-rules', rules: unknown): Call => call(tool, { rules })

/** Replaces whole files by concise rules, which are sent as JSON text, as many models do. */
export const replace = (files: string, ...rules: Array<string>): Call =>
  rewrite({ rules: JSON.stringify({ rules }), files, mode: 'concise' })

/** Adds concise rules to a file, or to the first one of the project. */
export const addTo = (file: string | undefined, ...rules: Array<string>): Call =>
  add({ rules: JSON.stringify({ rules }), file, mode: 'concise' })

/** Returns a call twice, as two messages: a call that would remove words of a file is sent again to confirm it. */
export const twice = (call: Call): [Call, Call] => [call, call]
