/** A session can be shared, so it stores no words of a person's own rules (rules outside the project). */
import { expect } from 'bun:test'
import { rulesBeforeSessionReader } from '../../src/delivery/rules-before-session.ts'
import { NO_RULES } from '../../src/host/panel-schema.ts'
import { activityIn } from '../../src/tui/activity.ts'
import { listEntries } from '../../src/tui/rules-lines.ts'
import { withDisk } from '../../src/tui/with-disk.ts'
import type { Session } from '../harness/host.ts'
import { textOf } from '../harness/model.ts'
import { story } from '../harness/story.ts'
import {
  hiddenMessages,
  panelRules,
  read,
  ruleFile,
  satWith,
  setSwitchedOff,
  startProject,
  startSession,
  waitUntil,
} from './session-rules.ts'

const OWN = {
  'offered.md': ruleFile('description: PRIVATE-description'),
  'word.md': ruleFile('keywords: [privateword, go]'),
  'branch.md': ruleFile('branches: PRIVATE-branch'),
  'agent.md': ruleFile('agents: build'),
  'glob.md': ruleFile('globs: ["*.ts", /PRIVATE/folder/**]'),
  // SAT reports a fault, because a pattern cannot contain a lookahead.
  'check.md': ruleFile("forbid: 'PRIVATE(?=x)'"),
  'broken.md': ruleFile('glob: PRIVATE/**'),
}

const rulesListOf = async (session: Session, onDisk = NO_RULES) => {
  const state = { ...activityIn([]), areRulesSent: true, isOff: false, isUnloaded: false, faults: [] }
  const entries = listEntries({ ...state, rules: withDisk(await panelRules(session), onDisk) })
  return entries.map(({ title, why, note }) => `${title} | ${why} | ${note}`).join('\n')
}

story("`/rules` shows the headers of a person's own rules, but the session does not store them", async () => {
  const ownFolder = await startProject({ files: OWN })
  const rulesOption = { directories: [ownFolder.directory] }
  const config = satWith({ rules: rulesOption })
  const { project: { directory }, session } = await startSession({ files: { 'a.ts': '1' }, config })
  await session.turn('go', read('a.ts'))
  await waitUntil(async () => (await panelRules(session)).inForce.length === 4)
  const stored = JSON.stringify(await hiddenMessages(session))
  const unwanted = ['PRIVATE', 'private', 'RULE-WORDS', ownFolder.directory]
  expect(unwanted.filter((words) => stored.includes(words))).toEqual([])
  const { inForce, offered, unmet, leftOut } = await panelRules(session)
  expect(inForce.map(({ name, file = 'always' }) => `${name} ${file}`))
    .toEqual(['agent always', 'check always', 'glob a.ts', 'word a word of yours'])
  expect([...offered, ...unmet].map(({ name }) => name)).toEqual(['offered', 'branch'])
  // The real reason of a fault may quote the header, so the session stores only `it has a fault`.
  expect(leftOut).toMatchObject(Array(2).fill({ line: 2, reason: 'it has a fault' }))
  expect(await rulesListOf(session)).not.toContain('undefined')
  const readRules = await rulesBeforeSessionReader({ directory, worktree: directory }, rulesOption, {})
  const shown = await rulesListOf(session, (await readRules('fresh')).rules)
  expect(shown).toContain('offered | PRIVATE-description | The model reads it')
  expect(shown).toContain('branch | branches: PRIVATE-branch | Sent only with')
  expect(shown).toContain('agent | always; agents: build | Always in force.')
  expect(shown).toMatch(/broken\.md:2 \| .*did you mean globs\?/)
})

story("a person's rule stays on if a project's rule with the same stored path is switched off", async () => {
  const ownFolder = await startProject({ files: { 'safety.md': 'OWN-SAFETY' } })
  // A session stores the path of the person's rule as `${name}/safety.md`.
  const name = ownFolder.directory.split('/').at(-1)!
  // The project has a folder of the same name, and a folder `~`, which looks like the home folder.
  const folders = [name, '~', `~/${name}`]
  const paths = folders.map((folder) => `${folder}/safety.md`)
  const directories = [ownFolder.directory, ...folders.map((folder) => `./${folder}`)]
  const { session } = await startSession({
    files: Object.fromEntries(paths.map((path) => [path, 'PROJECT-SAFETY'])),
    config: satWith({ rules: { directories } }),
  })
  await session.turn('go')
  await setSwitchedOff(session, ...paths)
  const { requests: [request] } = await session.turn('on')
  expect(request!.messages.map(textOf).join('\n').match(/\w+-SAFETY/g)).toEqual(['OWN-SAFETY'])
})
