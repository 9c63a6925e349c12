/** Stories of format on save after a compaction, an undo or a restart, in a fork, and without SAT. */
import { expect } from 'bun:test'
import { join } from 'node:path'
import { forkSession } from '../delivery/session-rules.ts'
import { eventually } from '../harness/eventually.ts'
import { opencodeRun } from '../harness/host-process.ts'
import { fillProject, type Session, sharedHost, toTurn } from '../harness/host.ts'
import type { Step } from '../harness/model.ts'
import { story } from '../harness/story.ts'
import { discoverIn, expectSame } from '../rewriting/layouts.ts'
import { abort, bash, edit, startProject, undo, waitForFile, write } from './session.ts'
import { FORMAT, withFormatOnSave } from './settings.ts'
import { formattedNote, newTextOf, notesAtStart, shownTexts, storedArgs } from './shown.ts'

const SLOW = { when: 'turn', command: `sleep 1; ${FORMAT}` }

const COMMANDS = withFormatOnSave({ 'slow.js': SLOW, 'fails.js': 'echo the reason; exit 2', '*.js': FORMAT })

story('after a compaction, a recent call is corrected, and a failure note repeats the output', async () => {
  const config = { ...COMMANDS, compaction: { preserve_recent_tokens: 100 } }
  const { project, session } = await startProject(config)
  await session.turn('go', write(project, 'fails.js', 'a=1\n'))
  await session.turn('go '.repeat(500))
  // After 199,000 tokens, the host compacts the session, and keeps only this recent write.
  const turn = await session.turn('go', { ...write(project, 'x.js', 'a=1\n'), tokens: 199_000 })
  // After the summary, the host asks the model to continue.
  expect(turn.requests[1]!.messages.at(-1)!.content).toContain('Continue')
  expect(shownTexts(turn)).toEqual(['a = 1\n'])
  const later = await session.turn('go', edit(project, 'fails.js', 'a=1', 'a=2'))
  expect(later.outputs[0]).toContain('failed (status 2):\nthe reason')
})

story('after an undo, or in a fork after a restart, the note on a formatted file comes again', async () => {
  const { project, session } = await startProject(COMMANDS)
  await session.turn('go', write(project, 'slow.js', 'a=1\n'))
  await waitForFile(project, 'slow.js', 'a = 1\n')
  const fork = await forkSession(session)
  const nextNotesIn = async (asked: Session) => notesAtStart(await asked.turn('go'))
  const note = formattedNote('slow.js', '@@ -1,1 +1,1 @@\n-a=1\n+a = 1')
  expect(await nextNotesIn(session)).toEqual([note])
  // The undo also removes the message with the note.
  await undo(session)
  expect(await nextNotesIn(session)).toEqual([note])
  expect(await nextNotesIn(session)).toEqual([''])
  await project.http('POST', '/instance/dispose')
  expect(await nextNotesIn(fork)).toEqual([note])
})

/** Plays a turn in `opencode run`, with the config in `home` and no config of the project. */
const runIn = ({ project, id, ...session }: Session, home: string, lastStep: Step): Session['turn'] => {
  const env = {
    HOME: home,
    OPENCODE_CONFIG: join(home, 'more.json'),
    OPENCODE_CONFIG_DIR: join(home, '.opencode'),
    OPENCODE_DISABLE_PROJECT_CONFIG: '1',
    OPENCODE_DISABLE_CLAUDE_CODE_PROMPT: 'yes',
  }
  return async (prompt, ...steps) => {
    const host = await sharedHost()
    const [requestsBefore, messagesBefore] = [session.requests().length, (await session.messages()).length]
    host.model.script(id, [...steps, lastStep])
    await opencodeRun(project.directory, { ...host.env, ...env }, prompt, ['--session', id])
    host.model.throwStepError(id)
    return toTurn((await session.messages()).slice(messagesBefore), session.requests().slice(requestsBefore))
  }
}

story('calls stay corrected in a fork, without SAT, and in `opencode run`', async () => {
  const files = { 'keep.js': 'k = 1\n', 'CLAUDE.md': 'c', 'x.md': 'x' }
  const { project, session } = await startProject(COMMANDS, { files })
  await session.turn('go', [write(project, 'x.js', 'a=1\n'), edit(project, 'keep.js', 'k = 1', 'k=2')])
  const waits = bash('until [ -s ended.js ]; do sleep 0.1; done; touch waits; sleep 30')
  const running = session.turn('go', [write(project, 'ended.js', 'e=1\n'), waits])
  await waitForFile(project, 'waits')
  await abort(session, running)
  // The call of `bash` has no text.
  const corrected = ['a = 1\n', 'k = 2', 'e = 1\n', undefined]
  // SAT corrects an aborted step at once, because the person may continue the session without SAT.
  const storedTexts = async () => (await storedArgs(session)).map(newTextOf)
  await eventually(storedTexts, (texts) => Bun.deepEquals(texts, corrected), 'Not all is corrected')
  expect(shownTexts(await (await forkSession(session)).turn('go on'))).toEqual(corrected)

  project.write('opencode.json', '{"instructions": ["x.md"]}')
  await project.http('POST', '/instance/dispose')
  const turn = await session.turn('go on')
  expect(JSON.stringify(turn.requests[0]!.tools)).not.toContain('discover-rules')
  expect(shownTexts(turn)).toEqual(corrected)

  const home = project.path('home')
  const config = JSON.stringify({ instructions: ['y.md'], ...COMMANDS })
  fillProject(home, { files: { 'more.json': config, '.opencode/y.md': 'y', '.claude/CLAUDE.md': 'c' } })
  const run = runIn(session, home, write(project, 'slow.js', 'a=1\n'))
  const comparison = await discoverIn({ ...session, turn: run })
  expectSame(comparison, 'no project config')
  expect(comparison.found).toEqual([join(home, '.opencode/y.md')])
  // The call of `discover-rules` has no text. `slow.js` is formatted after the last request.
  expect(shownTexts({ requests: session.requests() })).toEqual([...corrected, undefined, 'a=1\n'])
  expect(await project.read('slow.js')).toBe('a = 1\n')
})
