/** Rules that apply by a keyword, a model or a branch. */
import { expect } from 'bun:test'
import { sharedHost } from '../harness/host.ts'
import { story } from '../harness/story.ts'
import { compact, expectCounts, panelRules, read } from './session-rules.ts'

const FILES = {
  '.opencode/rules/words.md': '---\nkeyword: refactor\n---\nBY-WORD\n',
  '.opencode/rules/either.md': '---\nglobs: "*.py"\nkeywords: Schema\n---\nBY-EITHER\n',
  '.opencode/rules/model.md': '---\nmodels: fake/gpt-*\n---\nBY-MODEL\n',
  '.opencode/rules/branch.md': '---\nbranch: [main, "feature/*"]\n---\nBY-BRANCH\n',
  'a.py': 'x\n',
}

story('a rule applies by a keyword in a message, and by the model and branch of each request', async () => {
  const project = (await sharedHost()).project({ files: FILES, git: true })
  const session = await project.session()
  project.write('.git/HEAD', 'ref: refs/heads/release/main\n')
  const first = await session.turn('unrefactored schematics', read('a.py'))
  expectCounts(first.requests, {
    'BY-WORD': [0, 0],
    'BY-EITHER': [1, 1],
    'BY-MODEL': [0, 0],
    'BY-BRANCH': [0, 0],
  })
  const shown = await panelRules(session)
  expect(shown.unmet.map(({ name, unmet }) => `${name} ${unmet}`)).toEqual([
    'branch branches: main, feature/*',
    'model models: fake/gpt-*',
  ])
  expect(shown.inForce.map(({ name, file }) => `${name} ${file}`)).toEqual(['either Schema'])

  project.write('.git/HEAD', 'ref: refs/heads/feature/tea\n')
  const { requests } = await session.turnAs({ model: 'gpt-5.2' }, 'Refactoring, please.')
  const because = "because of the person's word `refactor`. Follow them."
  expectCounts(requests, { 'BY-WORD': [1], [because]: [1], 'BY-MODEL': [1], 'BY-BRANCH': [1] })
  expect((await panelRules(session)).unmet).toEqual([])
  await compact(session)
  const { requests: [after] } = await session.turn('go on')
  expectCounts([after!], { 'BY-WORD': [1], 'BY-MODEL': [0], 'BY-BRANCH': [1] })
})

story("a keyword in the text of SAT's own commands adds no rule", async () => {
  const files = {
    '.opencode/rules/step.md': '---\nkeywords: contrary\nglobs: .opencode/**\n---\nBY-STEP\n',
  }
  const session = await (await sharedHost()).project({ files }).session()
  const body = { command: 'add-rule', arguments: 'be kind', agent: 'build', model: 'fake/m' }
  await session.project.http('POST', `/session/${session.id}/command`, body)
  expectCounts(session.requests(), { 'if the contrary': [1], 'BY-STEP': [0] })
})
