import type { Call } from '../harness/model.ts'

const call = (tool: string, args: object): Call => ({ tool, args: JSON.stringify(args) })

export const DISCOVER: Call = { tool: 'discover-rules' }
export const discover = (files: unknown): Call => call('discover-rules', { files })
export const parse = (...rules: Array<unknown>): Call => call('parse-rules', { rules })
export const format = (rules: unknown, mode?: string): Call => call('format-rules', { rules, mode })
export const add = (args: object = {}): Call => call('add-rules', args)
export const rewrite = (args: object = {}): Call => call('rewrite-rules', args)
export const restore = (files?: unknown, backup = 'latest'): Call => rewrite({ restore: backup, files })

/** Corrects single rules of the last call of the tool: `{ 2: … }` replaces rule 2. */
export const correct = (tool: 'parse-rules' | 'format-rules', rules: unknown): Call => call(tool, { rules })

/** Sends the rules as JSON text, as many models do. */
export const replace = (files: string, ...rules: Array<string>): Call =>
  rewrite({ rules: JSON.stringify({ rules }), files, mode: 'concise' })

export const addTo = (file: string | undefined, ...rules: Array<string>): Call =>
  add({ rules: JSON.stringify({ rules }), file, mode: 'concise' })

/** If SAT asks for confirmation, the second call confirms the first. */
export const twice = (call: Call): [Call, Call] => [call, call]
