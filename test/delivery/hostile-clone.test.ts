/** The rule files of a hostile repository delay no session, and displace no harmless rule. */
import { expect } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { sharedHost } from '../harness/host.ts'
import { HOSTILE_RULES } from '../harness/hostile-rules.ts'
import { logLines, waitForLog } from '../harness/log.ts'
import { story } from '../harness/story.ts'
import { countOf, hiddenMessages, panelRules, read, ruleFile, startProject } from './session-rules.ts'

/** Plays a turn in a project with a harmless rule file and `count` other rule files. */
const firstTurn = async (count: number, fileAt: (index: number) => [name: string, text: string]) => {
  const others = Array.from({ length: count }, (_, index) => fileAt(index))
  const files = [['a.md', 'GOOD-RULE\n'], ...others].map(([name, text]) => [`.opencode/rules/${name}`, text])
  const project = await startProject({ files: Object.fromEntries(files) })
  const start = performance.now()
  const session = await project.session()
  const { requests: [request] } = await session.turn('go')
  const ms = performance.now() - start
  expect(countOf('GOOD-RULE', request!)).toBe(1)
  return { session, ms }
}

story('500 hostile rule files delay no message, and a harmless rule next to them is sent', async () => {
  const texts = Object.values(HOSTILE_RULES)
  const fileAt = (index: number): [string, string] => [`r${index}.md`, texts[index % texts.length]!]
  const { ms: usualMs } = await firstTurn(0, fileAt)
  const { session, ms } = await firstTurn(500, fileAt)
  // The aim is half a second, but other stories run in the same host, on a machine that may be slow.
  expect(ms - usualMs).toBeLessThan(10_000)
  expect(JSON.stringify(await hiddenMessages(session)).length).toBeLessThan(600_000)
})

story('of 4,000 files with a wrong extension, ten are shown and logged, the others are counted', async () => {
  const { session } = await firstTurn(4_000, (index) => [`note${1_000 + index}.txt`, 'x'])
  const { leftOut } = await panelRules(session)
  expect(leftOut.map(({ reason }) => reason).slice(9)).toEqual([
    'a rule file ends in .md or .mdc; did you mean note1009.md?',
    'and 3990 more faults',
  ])
  expect(JSON.stringify(await hiddenMessages(session)).length).toBeLessThan(10_000)
  const [host, { directory }] = [await sharedHost(), session.project]
  await waitForLog(host, directory, 'and 3990 more faults')
  expect(logLines(host, directory, 'Left out the rule file')).toHaveLength(11)
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
  const steps = [{ tool: 'discover-rules' }, read('AGENTS.md')]
  const { outputs } = await session.turn('see package.json', ...steps)
  expect(outputs[0]).toContain('Be nice')
  expect(performance.now() - start).toBeLessThan(10_000)
})
