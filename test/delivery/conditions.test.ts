/** Rules whose headers limit them to messages with a keyword, to a model, or to a branch of git. */
import { expect } from 'bun:test'
import { story } from '../harness/story.ts'
import { compact, expectCounts, panelRules, read, ruleFile, startSession } from './session-rules.ts'

const FILES = {
  '.opencode/rules/words.md': ruleFile('keyword: refactor', 'BY-WORD'),
  '.opencode/rules/either.md': ruleFile('globs: "*.py"\nkeywords: Schema', 'BY-EITHER'),
  '.opencode/rules/model.md': ruleFile('models: fake/gpt-*', 'BY-MODEL'),
  '.opencode/rules/branch.md': ruleFile('branch: [main, "feature/*"]', 'BY-BRANCH'),
  'a.py': 'x\n',
}

story('a keyword needs to match only once, but a model or a branch must match in each request', async () => {
  const { project, session } = await startSession({ files: FILES, git: true })
  project.write('.git/HEAD', 'ref: refs/heads/release/main\n')
  // A keyword matches only the start of a word, so `refactor` does not match `unrefactored`.
  const { requests: before } = await session.turn('unrefactored schematics', read('a.py'))
  expectCounts(before, { 'BY-WORD': [0, 0], 'BY-EITHER': [1, 1], 'BY-MODEL': [0, 0], 'BY-BRANCH': [0, 0] })
  const shown = await panelRules(session)
  expect(shown.unmet.map(({ name, unmet }) => `${name} ${unmet}`))
    .toEqual(['branch branches: main, feature/*', 'model models: fake/gpt-*'])
  expect(shown.inForce.map(({ name, file }) => `${name} ${file}`)).toEqual(['either Schema'])

  project.write('.git/HEAD', 'ref: refs/heads/feature/tea\n')
  const { requests } = await session.turnAs({ model: 'gpt-5.2' }, 'Refactoring, please.')
  const reason = "because of the person's word `refactor`. Follow them."
  expectCounts(requests, { 'BY-WORD': [1], [reason]: [1], 'BY-MODEL': [1], 'BY-BRANCH': [1] })
  expect((await panelRules(session)).unmet).toEqual([])
  await compact(session)
  const { requests: [after] } = await session.turn('go on')
  expectCounts([after!], { 'BY-WORD': [1], 'BY-MODEL': [0], 'BY-BRANCH': [1] })
})

story("keywords and globs are not matched against the prompt of SAT's command `/add-rule`", async () => {
  const rule = ruleFile('keywords: contrary\nglobs: .opencode/**', 'BY-PROMPT')
  const { project, session } = await startSession({ files: { '.opencode/rules/prompt.md': rule } })
  const body = { command: 'add-rule', arguments: 'be kind', agent: 'build', model: 'fake/m' }
  await project.http('POST', `/session/${session.id}/command`, body)
  expectCounts(session.requests(), { 'says the contrary': [1], 'BY-PROMPT': [0] })
})
