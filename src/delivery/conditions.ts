/** Compiles the conditions of rules, and finds the facts that they test: the agent, the model and the git branch. */
import { join, resolve } from 'node:path'
import { type Budget, sessionBudget } from '../checks/budget.ts'
import type { HostConfig } from '../host/config.ts'
import { askGit } from '../paths/git.ts'
import { fail, ok, type Result } from '../safe.ts'
import { excerpt, firstLines } from '../text/quoted-name.ts'
import { readText } from '../text/read.ts'
import { type AgentAndModel, agentOf } from './history.ts'
import type { PathMatcher } from './rule-globs.ts'

/** `branch` is empty if no branch is checked out, or if no rule has a condition on it. */
export type Facts = { agent: string; model: string; branch: string }

export type Condition = { key: string; label: string; holds: (facts: Facts) => boolean }

type CreateMatcher = (values: Array<string>, budget: Budget) => Promise<Result<PathMatcher>>

const createNameMatcher: CreateMatcher = async (names) => {
  const pattern = names.find((name) => /^!|\*/.test(name))
  if (pattern !== undefined) return fail(`agents takes names, but ${excerpt(pattern)} is a pattern`)
  return ok((fact) => names.some((name) => name.toLowerCase() === fact?.toLowerCase()))
}

const globMatcherCreator = (
  pattern: RegExp,
  replacement: string,
  matchesContents: boolean,
): CreateMatcher =>
async (globs, budget) => {
  const { matcherOfGlobs } = await import('./rule-globs.ts')
  // Compiles the original globs first, so that an error quotes the glob as the person wrote it.
  const asWritten = matcherOfGlobs(globs, budget)
  if (asWritten.error !== null) return asWritten
  return matcherOfGlobs(globs.map((glob) => glob.replace(pattern, replacement)), budget, matchesContents)
}

const CONDITIONS = [
  { key: 'agents', fact: 'agent', createMatcher: createNameMatcher },
  // The name of a model may have slashes, so `openrouter/*` is read as `openrouter/**/*`.
  { key: 'models', fact: 'model', createMatcher: globMatcherCreator(/(^!?|\/)\*+/g, '$1**/*', true) },
  // Without `./`, `main` would also match `release/main`, because a glob without a slash matches in any folder.
  { key: 'branches', fact: 'branch', createMatcher: globMatcherCreator(/^!?/, '$&./', false) },
] as const

export const CONDITION_KEYS = CONDITIONS.map(({ key }) => key)

/** Compiles the conditions of a header, or fails if a value is invalid or the budget is spent. */
export const conditionsOf = async (
  keys: { [key in (typeof CONDITIONS)[number]['key']]?: Array<string> },
  budget = sessionBudget(),
): Promise<Result<Array<Condition>, { key: (typeof CONDITION_KEYS)[number]; reason: string }>> => {
  const conditions: Array<Condition> = []
  for (const { key, fact, createMatcher } of CONDITIONS) {
    const values = keys[key] ?? []
    if (values.length === 0) continue
    const { data: matches, error } = await createMatcher(values, budget)
    if (error !== null) return fail({ key, reason: error })
    conditions.push({
      key,
      label: `${key}: ${firstLines(values).map(excerpt).join(', ')}`,
      holds: (facts) => matches(facts[fact]),
    })
  }
  return ok(conditions)
}

// If git uses its reftable format, the file HEAD always names this branch, and only git knows the actual branch.
const REFTABLE_BRANCH = '.invalid'

const branchOf = async (worktree: string): Promise<string> => {
  const read = async (path: string) => (await readText(path, { maxBytes: 4_096 })).data?.text ?? ''
  // In a linked worktree, `.git` is a file that names the actual git folder.
  const [, folder = '.git'] = /^gitdir: (.+)/.exec(await read(join(worktree, '.git'))) ?? []
  const head = await read(resolve(worktree, folder.trim(), 'HEAD'))
  const branch = /^ref: refs\/heads\/(.+)/.exec(head)?.[1]?.trim() ?? ''
  if (branch !== REFTABLE_BRANCH) return branch
  const { text } = await askGit(worktree, ['symbolic-ref', '--short', '-q', 'HEAD'])
  return text.trim()
}

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
