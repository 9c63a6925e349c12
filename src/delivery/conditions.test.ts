import { expect, test } from 'bun:test'
import { conditionsOf } from './conditions.ts'

const CLAUDE = 'openrouter/anthropic/claude-3:free'

test.each<[models: Array<string>, model: string, isFor: boolean]>([
  [['openrouter/*'], CLAUDE, true],
  [['*/claude*'], CLAUDE, true],
  [['claude-*'], CLAUDE, true],
  [['anthropic/*'], CLAUDE, false],
  [['openrouter/openai/*'], CLAUDE, false],
  [['*', '!*:free'], CLAUDE, false],
])('models: %j and %s', async (models, model, isFor) => {
  const conditions = (await conditionsOf({ models })).data!
  expect(conditions.map(({ holds }) => holds({ agent: '', model, branch: '' }))).toEqual([isFor])
})
