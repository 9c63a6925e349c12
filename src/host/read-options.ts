/** Reads the options of SAT's entry in `opencode.json`, and reports invalid values. */
import type * as z from 'zod'
import { describeIssue, describeUnknownKey, isObject, type Path, toIssue } from '../json/issues.ts'
import { markName } from '../text/hidden-characters.ts'
import { excerpt } from '../text/quoted-name.ts'
import { CommandSchema, type Options, OptionsSchema, RulesSchema } from './options.ts'

type Fault = { path: Path; message: string }

/** Returns the valid options, and a message for each invalid value. */
export const readOptions = (value: unknown): { options: Options; faults: Array<string> } => {
  const given = value ?? {}
  if (!isObject(given)) return { options: {}, faults: ['options: expected an object'] }
  const { error } = OptionsSchema.safeParse(given, { reportInput: true })
  const faults = [...error?.issues.flatMap((issue) => faultsOf(issue)) ?? [], ...globFaultsOf(given)]
  // If one key of a command is faulty, removes the whole command, because it would run differently without the key.
  const faultyPaths = faults.map(({ path }) => path[0] === 'format_on_save' ? path.slice(0, 2) : path)
  return {
    options: OptionsSchema.safeParse(withoutValues(given, faultyPaths)).data ?? {},
    faults: faults.map(({ path, message }) => `${excerpt(path.join('.'))}: ${markName(message)}`),
  }
}

const MAX_GLOB_LENGTH = 1_000

/** The kinds of globs that match no file, each with its repair. */
const DEAD_GLOBS: Array<[message: string, dead: RegExp, live: (dead: string) => string]> = [
  ['braces need a comma', /\.\{\w+\}$/, (braces) => braces.replace(/[{}]/g, '')],
  ['braces contain a space', /\{[^{}]*,\s[^{}]*\}/, (braces) => braces.replace(/,\s+/g, ',')],
  ['it begins with a space', /^\s+/, () => ''],
  ['it ends with a space', /\s+$/, () => ''],
  ['it names a folder', /\/$/, () => '/**'],
  ['it leads out of the project', /^(?:(?:~|\.\.)\/)+/, () => ''],
  // Matches `*.(x|y)`, but not `*.@(x|y)`.
  [
    'parentheses need a sign such as @ before them',
    /^[^({[]*(?<![!?*+@\\])(?=\([^()]*\|[^()]*\))/,
    (start) => `${start}@`,
  ],
]

// Matches `*.ts, *.js`, `*.ts;*.js` and `*.ts *.js`, but not `Notes *.md`.
const LIST = /^[^{[(]*[,;|]\s*[*.]|^(?:\S*\*\.\w+\s+)+\S*\*\.\w+$/

const globFaultsOf = ({ format_on_save }: Record<string, unknown>): Array<Fault> =>
  Object.keys(Object(format_on_save)).flatMap((glob) => {
    const path = ['format_on_save', glob]
    const { length } = glob
    if (length > MAX_GLOB_LENGTH) {
      return { path, message: `a pattern has at most ${MAX_GLOB_LENGTH} characters, this one has ${length}` }
    }
    if (LIST.test(glob)) return { path, message: 'it is a list; write one pattern per key' }
    const kind = DEAD_GLOBS.find(([, dead]) => dead.test(glob))
    return kind ? { path, message: `${kind[0]}; write ${glob.replace(kind[1], kind[2])}` } : []
  })

const INNER_KEYS = new Map<unknown, Array<string>>([
  ['rules', Object.keys(RulesSchema.shape)],
  ['format_on_save', Object.keys(CommandSchema.shape)],
])

const faultsOf = (issue: z.core.$ZodIssue, parentPath: Path = []): Array<Fault> => {
  const path = [...parentPath, ...issue.path]
  if (issue.code === 'unrecognized_keys') {
    const validKeys = INNER_KEYS.get(path[0]) ?? Object.keys(OptionsSchema.shape)
    return issue.keys.map((key) => ({ path: [...path, key], message: describeUnknownKey(key, validKeys) }))
  }
  // For `rules: { checks: 1 }`, zod lists two issues: `rules` is not `false`, and `rules.checks` is no boolean.
  const issuesByType = issue.code === 'invalid_union' ? issue.errors : []
  const faultsByType = issuesByType.map((issues) => issues.flatMap((inner) => faultsOf(inner, path)))
  const faultsInside = faultsByType.find((faults) => faults.some((fault) => fault.path.length > path.length))
  return faultsInside ?? [{ path, message: messageOf(issue, path) }]
}

const messageOf = (issue: z.core.$ZodIssue, [option, ...innerPath]: Path): string => {
  const isUnion = issue.code === 'invalid_union'
  const message = isUnion ? issue.message : describeIssue(toIssue(issue))
  if (innerPath.length > 0) return message
  const { description = '', examples } = OptionsSchema.shape[option as keyof Options].meta() ?? {}
  const example = (examples as Array<unknown>).find((value) => value !== false)
  const withExample = `${message}. Example: ${JSON.stringify({ [option as string]: example })}`
  // The message of a union already says what is expected.
  return isUnion ? withExample : `${withExample}. ${description}`
}

/** Removes the values at the paths. */
const withoutValues = (value: unknown, paths: Array<Path>): unknown => {
  const pathsIn = (key: PropertyKey) => paths.filter(([start]) => start === key).map((path) => path.slice(1))
  if (Array.isArray(value)) return value.filter((_, index) => pathsIn(index).length === 0)
  if (!isObject(value)) return value
  const kept = Object.entries(value).filter(([key]) => pathsIn(key).every((path) => path.length > 0))
  return Object.fromEntries(kept.map(([key, inner]) => [key, withoutValues(inner, pathsIn(key))]))
}
