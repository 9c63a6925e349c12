/** Plays the examples `rules/`, `formatter/` and `rewrite/`; checks their README, the version and the changelog. */
import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ParsedRule } from '../../src/rule-schema.ts'
import { expectCounts, read, startSession } from '../delivery/session-rules.ts'
import { write } from '../formatting/session.ts'
import { CHECKOUT } from '../harness/host.ts'
import { story } from '../harness/story.ts'
import { DISCOVER, format, parse, rewrite, ruleStory } from './calls.ts'

const folder = (name: string): string => join(CHECKOUT, 'examples', name)
const textOf = (name: string): string => readFileSync(folder(name), 'utf8')

const filesOf = (name: string): Record<string, string> => {
  const paths = [...new Bun.Glob('**').scanSync({ cwd: folder(name), dot: true })]
  return Object.fromEntries(paths.map((path) => [path, textOf(join(name, path))]))
}

story('the rules of rules/ apply, and the formatter of formatter/ runs', async () => {
  const { plugin: [[, options]] } = JSON.parse(textOf('formatter/opencode.json'))
  const { project, session } = await startSession({
    files: { ...filesOf('rules'), 'trim.mjs': textOf('formatter/trim.mjs') },
    config: { plugin: [[CHECKOUT, options]] },
  })
  const calls = [read(project.path('src/api/health.ts')), write(project, 'a.txt', 'a  \nb\n')]
  const { requests } = await session.turn('go', calls)
  // The counts of these words in the first and the second request.
  expectCounts(requests, {
    'Answer in the language of the question.': [1, 1],
    'Validate every input': [0, 1],
    'how a release is made': [1, 1],
    'Tag the commit': [0, 0],
    'End a plan with its risks.': [0, 0],
  })
  expect(await project.read('a.txt')).toBe('a\nb\n')
  const planned = await session.turnAs({ agent: 'plan' }, 'plan', 'ok')
  expectCounts(planned.requests, { 'End a plan with its risks.': [1] })
})

const RULES: Array<{ parsed: ParsedRule; sentence: string }> = JSON.parse(textOf('rewrite/rules.json'))
const formatting = format(RULES.map(({ sentence }) => sentence))

ruleStory(
  'in the example rewrite/, the tools turn before.md into after.md',
  { 'AGENTS.md': [textOf('rewrite/before.md'), textOf('rewrite/after.md')] },
  [DISCOVER, parse(...RULES.map(({ parsed }) => parsed)), formatting, rewrite()],
)

test('every example is described in examples/README.md', () => {
  const items = readdirSync(folder('.'), { withFileTypes: true }).filter((item) => item.isDirectory())
  for (const { name } of items) expect(textOf('README.md')).toContain(`\`${name}/\``)
})

test('the version, its tag and the changelog agree', () => {
  const { version } = JSON.parse(readFileSync(join(CHECKOUT, 'package.json'), 'utf8')) as { version: string }
  const changelog = readFileSync(join(CHECKOUT, 'CHANGELOG.md'), 'utf8')
  expect(/^## (\d+\.\d+\.\d+)$/m.exec(changelog)?.[1]).toBe(version)
  expect(changelog).toContain('the tag of a version is `v` and its number')
  const { stdout } = Bun.spawnSync(['git', 'tag', '--points-at', 'HEAD'], { cwd: CHECKOUT })
  const tags = stdout.toString().trim()
  if (/^v\d/.test(tags)) expect(tags.split('\n')).toContain(`v${version}`)
})
