/** What a rule's header can ask of a request, beside files and words: each condition is a row of `CONDITIONS`. */
import { join, resolve } from 'node:path'
import { type Budget, sessionBudget } from '../checks/budget.ts'
import type { HostConfig } from '../host/config.ts'
import { askGit } from '../paths/git.ts'
import { fail, ok, type Result } from '../safe.ts'
import { excerpt, firstLines } from '../text/quoted-name.ts'
import { readText } from '../text/read.ts'
import { type AgentAndModel, agentOf } from './history.ts'
import type { PathMatcher } from './rule-globs.ts'

/** What a request has: its agent, its model as `provider/model`, and git's branch, which is empty where there is none. */
export type Facts = { agent: string; model: string; branch: string }

/** A condition of a rule, as it is shown, and whether it holds. */
export type Condition = { key: string; words: string; holds: (facts: Facts) => boolean }

type MatcherOf = (values: Array<string>, budget: Budget) => Promise<Result<PathMatcher>>

const byName: MatcherOf = async (names) =>
  ok((fact) => names.some((name) => name.toLowerCase() === fact.toLowerCase()))
const byGlobs = (pattern: RegExp, replacement: string): MatcherOf => async (globs, budget) => {
  const { matcherOfAll } = await import('./rule-globs.ts')
  // An error quotes a glob as it is written.
  const written = matcherOfAll(globs, budget)
  if (written.error !== null) return written
  return matcherOfAll(globs.map((glob) => glob.replace(pattern, replacement)), budget)
}

const CONDITIONS = [
  { key: 'agents', fact: 'agent', matcherOf: byName },
  // A model's name may have slashes: `openrouter/*` is for `openrouter/anthropic/claude`, too.
  { key: 'models', fact: 'model', matcherOf: byGlobs(/(^!?|\/)\*+/g, '$1**/*') },
  // `main` is not `release/main`.
  { key: 'branches', fact: 'branch', matcherOf: byGlobs(/^!?/, '$&./') },
] as const

/** The keys of a header that hold conditions. */
export const CONDITION_KEYS = CONDITIONS.map(({ key }) => key)

/** Reads the conditions of a header; gives the key with a wrong glob, and what is wrong with it. */
export const conditionsOf = async (
  keys: { [key in (typeof CONDITIONS)[number]['key']]?: Array<string> },
  budget = sessionBudget(),
): Promise<Result<Array<Condition>, { key: (typeof CONDITION_KEYS)[number]; reason: string }>> => {
  const conditions: Array<Condition> = []
  for (const { key, fact, matcherOf } of CONDITIONS) {
    const values = keys[key] ?? []
    if (values.length === 0) continue
    const made = await matcherOf(values, budget)
    if (made.error !== null) return fail({ key, reason: made.error })
    const matches = made.data
    conditions.push({
      key,
      words: `${key}: ${firstLines(values).map(excerpt).join(', ')}`,
      holds: (facts) => matches(facts[fact]),
    })
  }
  return ok(conditions)
}

// What stands for the branch in HEAD where git keeps its references in another format, which it alone reads.
const STUB = '.invalid'

/** Reads git's branch from its files. */
const branchOf = async (worktree: string): Promise<string> => {
  const read = async (path: string) => (await readText(path, { maxBytes: 4_096 })).data?.text ?? ''
  const [, folder = '.git'] = /^gitdir: (.+)/.exec(await read(join(worktree, '.git'))) ?? []
  const head = await read(resolve(worktree, folder.trim(), 'HEAD'))
  const branch = /^ref: refs\/heads\/(.+)/.exec(head)?.[1]?.trim() ?? ''
  if (branch !== STUB) return branch
  const { text } = await askGit(worktree, ['symbolic-ref', '--short', '-q', 'HEAD'])
  return text.trim()
}

/** Gives the facts of a request; the branch is read only where a rule asks for it. */
export const factsOf = async (
  said: AgentAndModel | undefined,
  config: HostConfig,
  { rules, checking }: Record<'rules' | 'checking', Array<{ conditions?: Array<Condition> }>>,
  { worktree }: { worktree: string },
): Promise<Facts> => {
  const asksForBranch = [...rules, ...checking].some(({ conditions }) =>
    conditions?.some(({ key }) => key === 'branches')
  )
  return {
    agent: agentOf(said, config),
    model: said?.model ? `${said.model.providerID}/${said.model.modelID}` : config.model ?? '',
    branch: asksForBranch ? await branchOf(worktree) : '',
  }
}
