/** Compiles the conditions of rules on the agent, the model and the git branch, and finds the facts for them. */
import { join, resolve } from 'node:path'
import { type Budget, sessionBudget } from '../checks/budget.ts'
import type { HostConfig } from '../host/config.ts'
import { askGit } from '../paths/git.ts'
import { fail, ok, type Result } from '../safe.ts'
import { excerpt, firstLines } from '../text/quoted-name.ts'
import { readText } from '../text/read.ts'
import { type AgentAndModel, agentOf } from './history.ts'
import type { PathMatcher } from './rule-globs.ts'

/**
 * The facts of a request: its agent, its model as `provider/model`, and the git branch, which is empty if there is
 * none.
 */
export type Facts = { agent: string; model: string; branch: string }

/** A condition of a rule: its key in the header, its label for the person, and a test. */
export type Condition = { key: string; label: string; holds: (facts: Facts) => boolean }

/** Creates the test of a condition: whether one of its values matches a fact. */
type MatcherOf = (values: Array<string>, budget: Budget) => Promise<Result<PathMatcher>>

const nameMatcher: MatcherOf = async (names) =>
  ok((fact) => names.some((name) => name.toLowerCase() === fact.toLowerCase()))

/** Returns a `MatcherOf` for globs, in each of which `pattern` is replaced first. */
const globMatcher = (pattern: RegExp, replacement: string): MatcherOf => async (globs, budget) => {
  const { matcherOfAll } = await import('./rule-globs.ts')
  // Compiled first, so that an error quotes the glob as the person wrote it.
  const asWritten = matcherOfAll(globs, budget)
  if (asWritten.error !== null) return asWritten
  return matcherOfAll(globs.map((glob) => glob.replace(pattern, replacement)), budget)
}

const CONDITIONS = [
  { key: 'agents', fact: 'agent', matcherOf: nameMatcher },
  // The name of a model may have slashes: `openrouter/*` also matches `openrouter/anthropic/claude`.
  { key: 'models', fact: 'model', matcherOf: globMatcher(/(^!?|\/)\*+/g, '$1**/*') },
  // Read as `./main`, `main` does not match `release/main`.
  { key: 'branches', fact: 'branch', matcherOf: globMatcher(/^!?/, '$&./') },
] as const

/** The keys of a header that hold conditions. */
export const CONDITION_KEYS = CONDITIONS.map(({ key }) => key)

/** Compiles the conditions of a header. If a glob is invalid, fails with its key and the reason. */
export const conditionsOf = async (
  keys: { [key in (typeof CONDITIONS)[number]['key']]?: Array<string> },
  budget = sessionBudget(),
): Promise<Result<Array<Condition>, { key: (typeof CONDITION_KEYS)[number]; reason: string }>> => {
  const conditions: Array<Condition> = []
  for (const { key, fact, matcherOf } of CONDITIONS) {
    const values = keys[key] ?? []
    if (values.length === 0) continue
    const { data: matches, error } = await matcherOf(values, budget)
    if (error !== null) return fail({ key, reason: error })
    conditions.push({
      key,
      label: `${key}: ${firstLines(values).map(excerpt).join(', ')}`,
      holds: (facts) => matches(facts[fact]),
    })
  }
  return ok(conditions)
}

// If git stores its references in the reftable format, which only git can read, HEAD names this branch.
const REFTABLE_HEAD = '.invalid'

/** Reads the current branch from git's files. Asks git if the files do not contain it. */
const branchOf = async (worktree: string): Promise<string> => {
  const read = async (path: string) => (await readText(path, { maxBytes: 4_096 })).data?.text ?? ''
  const [, folder = '.git'] = /^gitdir: (.+)/.exec(await read(join(worktree, '.git'))) ?? []
  const head = await read(resolve(worktree, folder.trim(), 'HEAD'))
  const branch = /^ref: refs\/heads\/(.+)/.exec(head)?.[1]?.trim() ?? ''
  if (branch !== REFTABLE_HEAD) return branch
  const { text } = await askGit(worktree, ['symbolic-ref', '--short', '-q', 'HEAD'])
  return text.trim()
}

/** Returns the facts of a request. Reads the branch only if a rule has a condition on it. */
export const factsOf = async (
  agentAndModel: AgentAndModel | undefined,
  config: HostConfig,
  rules: Array<{ conditions?: Array<Condition> }>,
  { worktree }: { worktree: string },
): Promise<Facts> => {
  const needsBranch = rules.some(({ conditions }) => conditions?.some(({ key }) => key === 'branches'))
  const model = agentAndModel?.model
  return {
    agent: agentOf(agentAndModel, config),
    model: model ? `${model.providerID}/${model.modelID}` : config.model ?? '',
    branch: needsBranch ? await branchOf(worktree) : '',
  }
}
