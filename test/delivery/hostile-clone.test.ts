/** The rule files of a hostile repository delay no session, and displace no harmless rule. */
import { expect } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { type Project, sharedHost } from '../harness/host.ts'
import { HOSTILE_RULES } from '../harness/hostile-rules.ts'
import { logLines, waitForLog } from '../harness/log.ts'
import { story } from '../harness/story.ts'
import { countOf, hiddenMessages, panelRules, read, ruleFile, startProject } from './session-rules.ts'

const firstTurn = async (project: Project) => {
  const start = performance.now()
  const session = await project.session()
  const { requests: [request] } = await session.turn('go')
  return { session, request: request!, ms: performance.now() - start }
}

const filesOf = (count: number, nameOf: (index: number) => string, textOf: (index: number) => string) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`.opencode/rules/${nameOf(index)}`, textOf(index)]),
  )

story('500 hostile rule files delay no message, and a harmless rule next to them is sent', async () => {
  const texts = Object.values(HOSTILE_RULES)
  const hostileFiles = filesOf(500, (index) => `r${index}.md`, (index) => texts[index % texts.length]!)
  const harmlessFile = { '.opencode/rules/a.md': 'GOOD-RULE\n' }
  const harmless = await startProject({ files: harmlessFile })
  const hostile = await startProject({ files: { ...hostileFiles, ...harmlessFile } })
  const { ms: usualMs } = await firstTurn(harmless)
  const { session, request, ms } = await firstTurn(hostile)
  expect(countOf('GOOD-RULE', request)).toBe(1)
  // The aim is half a second, but other stories run in the same host, on a machine that may be slow.
  expect(ms - usualMs).toBeLessThan(10_000)
  expect(JSON.stringify(await hiddenMessages(session)).length).toBeLessThan(600_000)
})

story('of 4,000 files with a wrong extension, ten are shown and logged, the others are counted', async () => {
  const host = await sharedHost()
  const files = filesOf(4_000, (index) => `note${1_000 + index}.txt`, () => 'x')
  const project = host.project({ files: { ...files, '.opencode/rules/a.md': 'GOOD-RULE\n' } })
  const { session, request } = await firstTurn(project)
  expect(countOf('GOOD-RULE', request)).toBe(1)
  const { leftOut } = await panelRules(session)
  expect(leftOut.map(({ reason }) => reason).slice(9)).toEqual([
    'a rule file ends in .md or .mdc; did you mean note1009.md?',
    'and 3990 more faults',
  ])
  expect(JSON.stringify(await hiddenMessages(session)).length).toBeLessThan(10_000)
  await waitForLog(host, project.directory, 'and 3990 more faults')
  expect(logLines(host, project.directory, 'Left out the rule file')).toHaveLength(11)
})

story('endless pipes named package.json, Makefile and pipe.md delay no turn', async () => {
  const files = {
    'AGENTS.md': 'Be nice; run `npm run x`.\n',
    '.opencode/rules/a.md': ruleFile('globs: "*.json"'),
  }
  const project = await startProject({ files, git: true })
  for (const name of ['package.json', 'Makefile', '.opencode/rules/pipe.md']) {
    expect(spawnSync('mkfifo', [project.path(name)]).status).toBe(0)
  }
  const session = await project.session()
  const start = performance.now()
  const discover = { tool: 'discover-rules' }
  const { outputs } = await session.turn('see package.json', discover, read('AGENTS.md'), 'the end')
  expect(outputs[0]).toContain('Be nice')
  expect(performance.now() - start).toBeLessThan(10_000)
})
