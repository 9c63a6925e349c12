/** SAT refuses, once, a call that would create a file whose rules the model has not seen yet. */
import { expect } from 'bun:test'
import { existsSync } from 'node:fs'
import { edit, patch, undo, write } from '../formatting/session.ts'
import { PATCH_MODEL, sharedHost } from '../harness/host.ts'
import { textOf } from '../harness/model.ts'
import { story } from '../harness/story.ts'
import { toastsOf } from '../harness/toasts.ts'
import { expectCounts, expectPrefixes, ruleFile, sessionStarter, setSwitchedOff } from './session-rules.ts'

const FILES = {
  '.opencode/rules/api.md': ruleFile('globs: src/api/**', 'API-RULE'),
  '.opencode/rules/ts.md': ruleFile('globs: "**/*.ts"', 'TS-RULE'),
  '.opencode/rules/offered.md': ruleFile('description: all files', 'OFFERED-BODY'),
  '.opencode/rules/plan.md': ruleFile('globs: "**"\nagent: plan', 'PLAN-RULE'),
  '.opencode/command/fix.md': 'Mend this file: $ARGUMENTS\n',
  'src/a.ts': 'export const a = 1\n',
  'src/b.txt': 'b\n',
}

const startShared = sessionStarter({ files: FILES })

const areRefused = (outputs: Array<string>): Array<boolean> =>
  outputs.map((output) => /^Rules come first: `.*` (?:is|are) not written yet.*\. The rules? /.test(output))

story('a new file is refused until a request has the rules for it, and again after an undo', async () => {
  const { project, session } = await startShared()
  const toasts = await toastsOf(project, (await sharedHost()).url)
  const writes = ['src/api/users.ts', 'src/api/posts.ts'].map((path) => write(project, path, 'x\n'))
  const { requests, outputs } = await session.turn('go', writes, () => {
    expect(existsSync(project.path('src/api/users.ts'))).toBe(false)
    return [...writes, write(project, 'notes.txt', 'x\n')]
  })
  expect(areRefused(outputs)).toEqual([true, true, false, false, false])
  expect(outputs[0]).toBe(
    'Rules come first: `src/api/users.ts` is not written yet. The rules `api`, `ts` apply to this file and were not shown yet. Their texts follow. Obey them and call write again.',
  )
  expectCounts(requests, { 'API-RULE': [0, 1, 1], 'TS-RULE': [0, 1, 1] })
  expect(await project.read('src/api/users.ts')).toBe('x\n')
  expect(await project.read('notes.txt')).toBe('x\n')
  // On the screen, the reason for a refused call appears only after a click, so a toast says it.
  await toasts.waitFor(/the\s+agent\s+reads\s+api,\s+ts,\s+then\s+writes\s+src\/api\/users\.ts/)
  await toasts.stop()
  expectPrefixes(requests)

  await undo(session)
  const create = edit(project, 'src/api/edited.txt', '', 'x\n')
  const afterUndo = await session.turn('go on', create, create)
  expect(areRefused(afterUndo.outputs)).toEqual([true, false])
  expectCounts(afterUndo.requests, { 'API-RULE': [0, 1, 1] })
  expect(await project.read('src/api/edited.txt')).toBe('x\n')
})

story('a patch is refused once if it adds or moves a file, but not if it only changes a file', async () => {
  const { project, session } = await startShared()
  const move = patch('*** Update File: src/b.txt\n*** Move to: src/api/b.txt\n@@\n-b\n+c')
  const change = patch('*** Update File: src/a.ts\n@@\n-export const a = 1\n+export const a = 2')
  const secondChange = '*** Update File: src/a.ts\n@@\n-export const a = 2\n+export const a = 3'
  const addition = '*** Add File: src/api/new.txt\n+x'
  const [add, both] = [patch(addition), patch(secondChange, addition)]
  const steps = [[change, add, both, move], [both, move]]
  const { outputs, requests } = await session.turnAs({ model: PATCH_MODEL }, 'go', ...steps)
  expect(areRefused(outputs)).toEqual([false, true, true, true, false, false])
  expect(outputs[1]).toContain('`src/api/new.txt` is not written yet. The rule `api` applies to this file')
  expect(outputs[2]).toContain('written yet, and neither is the rest of this patch. The rule `api` applies')
  expect(await project.read('src/a.ts')).toBe('export const a = 3\n')
  expect(await project.read('src/api/b.txt')).toBe('c\n')
  expectCounts(requests, { 'API-RULE': [0, 1, 1] })
})

story('the first request has the rules for a file that the message or command names', async () => {
  const { project, session } = await startShared()
  const writeNamed = write(project, 'src/api/named.ts', 'x\n')
  const { requests, outputs } = await session.turn('Add `src/api/named.ts`, please.', writeNamed)
  expectCounts(requests, { 'API-RULE': [1, 1], 'PLAN-RULE': [0, 0] })
  expect(textOf(requests[0]!.messages.at(-1)!)).toBe('Add `src/api/named.ts`, please.')
  expect(areRefused(outputs)).toEqual([false])
  const planned = await project.session()
  const body = { command: 'fix', arguments: 'src/api/fixed.ts', agent: 'plan', model: 'fake/m' }
  await project.http('POST', `/session/${planned.id}/command`, body)
  expectCounts(planned.requests(), { 'API-RULE': [1], 'PLAN-RULE': [1] })
})

story(
  'SAT does not refuse a call that the host denies, or a call whose only rule is switched off',
  async () => {
    const { project, session } = await startShared()
    const create = write(project, 'src/api/x.txt', 'x\n')
    const { outputs: denied } = await session.turnAs({ agent: 'plan' }, 'go', create)
    expect(existsSync(project.path('src/api/x.txt'))).toBe(false)
    await setSwitchedOff(session, '.opencode/rules/api.md')
    const { requests, outputs: written } = await session.turn('go on', create)
    expect(areRefused([...denied, ...written])).toEqual([false, false])
    // The host answers that the agent `plan` may not edit.
    expect(denied[0]).toMatch(/edit|permission|rule/i)
    expectCounts(requests, { 'API-RULE': [0, 0] })
  },
)
