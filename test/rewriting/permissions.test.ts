/** Tests that the tools read and write only what the host allows. They share the project of `guarded-project.ts`. */
import { expect } from 'bun:test'
import { lstatSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { eventually } from '../harness/eventually.ts'
import type { Call } from '../harness/model.ts'
import { answerQuestions, questionsOf, reply, replyToNext } from '../harness/permissions.ts'
import { story } from '../harness/story.ts'
import { addTo, DISCOVER, discover, format, parse, replace, restore, rewrite, twice } from './calls.ts'
import {
  ASKED_ABOUT,
  AT_ONCE,
  folderBeside,
  guardedProject,
  LARGE_FILES,
  LEFT_OPEN,
  PARTLY_DENIED,
  SOURCE_FILE,
} from './guarded-project.ts'
import { textsOf } from './play.ts'

story('outside the project, a question names the real folder, and a refusal is obeyed', async () => {
  const project = await guardedProject()
  const outside = folderBeside(project, 'asked')
  const session = await project.session()
  const viaRoot = `${'../'.repeat(20)}${outside.slice(1)}`
  // Reads and rewrites. All paths lead into `outside`: up to the root and down again, through links, or as patterns.
  const calls = [
    ...[`${viaRoot}/secret.md`, 'secret-link.md', `${outside}/*.md`, 'asked/*.md', `${outside}/missing.md`]
      .map(discover),
    ...[`${viaRoot}/loaded.md`, `../${basename(outside)}/loaded.md`, 'loaded-link.md', `${outside}/l*.md`]
      .map((path) => replace(path, '- the loaded words')),
  ]
  const turn = session.turn('go', DISCOVER, calls)
  const questions = await questionsOf(session, calls.length)
  const question = { permission: 'external_directory', patterns: [`${outside}/*`] }
  expect(questions).toMatchObject(calls.map(() => question))
  // If the person refuses one question, the host refuses all open ones.
  await reply(session, questions[0]!, 'reject')
  const refused = await turn
  expect(refused.tools.slice(1).map(({ state }) => state.status)).toEqual(calls.map(() => 'error'))
  for (const output of refused.outputs) expect(output).not.toContain('the secret')
  expect(readFileSync(project.path('loaded-link.md'), 'utf8')).toBe('the loaded words\n')

  // After the refusal for one file, the first call does not ask for the other file. The next calls ask again.
  const again = session.turn(
    'again',
    discover(`AGENTS.md, ${outside}/secret.md, ${outside}/deep/secret.md`),
    discover(`${outside}/**/*.md`),
    replace('loaded-link.md', '- the loaded words'),
  )
  const answered = await answerQuestions(session, ['reject', 'once', 'once'], again)
  expect(answered.questions.map(({ permission }) => permission)).toEqual(Array(3).fill('external_directory'))
  const [partly, all] = answered.turn.outputs
  expect(partly).toContain(`## ${project.path('AGENTS.md')}\n\ninside`)
  expect(partly).toContain(`## ${outside}/secret.md\n\nError: could not read this file: permission`)
  expect(partly).toContain('not asked for, because an earlier question was refused')
  for (const words of ['the secret', 'the deep secret', 'Outside the project']) expect(all).toContain(words)
  expect(readFileSync(join(outside, 'loaded.md'), 'utf8')).toBe('- the loaded words\n')
  expect(lstatSync(project.path('loaded-link.md')).isSymbolicLink()).toBe(true)
})

story('a denied file is not read or written through patterns, links or dots', async () => {
  const project = await guardedProject()
  const outside = folderBeside(project, 'denied')
  const [loaded, secret] = [join(outside, 'loaded.md'), /secret\.md|the secret/]
  type Case = [call: Call, answer: { has?: string | RegExp; lacks?: RegExp }]
  const reading: Array<Case> = [
    // The host loads this file from the denied folder, so the config's denial does not concern it.
    [DISCOVER, { has: 'the loaded words' }],
    [DISCOVER, { has: `asked before they are written:\n- ${loaded}` }],
    [discover('rules/*.md'), { has: `- ${project.path(LARGE_FILES[29]!)} (10 KB)` }],
    [discover(loaded), { has: 'the loaded words' }],
    [discover(`${outside}/deep/secret.md`), { lacks: /the deep secret/ }],
    [discover('.env'), { lacks: /TOKEN/ }],
    // The config denies this link to `notes.md`, but not `notes.md` itself.
    [discover('notes-link.md'), { lacks: /some notes/ }],
    [discover('notes.md, .env'), { has: /some notes[^]*permission refused/, lacks: /TOKEN/ }],
    [discover('zero.md'), { has: 'it is a device' }],
    [discover('{one/deep,docs}/*.md'), { has: /^## .*two\.md\n\ntwo\n[^]*one\.md\n\none\n$/, lacks: secret }],
    [discover([`{../${basename(outside)},x}/*.md`]), { lacks: secret }],
    // The link `denied` leads to the denied folder.
    [discover(['de*/*.md']), { lacks: secret }],
    [discover(['{denied,docs}/**']), { lacks: secret }],
  ]
  const writing: Array<Case> = [
    [replace(`${outside}/deep/*.md`, '- x'), { lacks: /deep\/secret\.md/ }],
    [replace('.env', '- x'), { lacks: /TOKEN/ }],
    [replace('denied/none.md', '- x'), { has: 'discover-rules has not shown it' }],
  ]
  const messages = [reading, writing].map((cases) => cases.map(([call]) => call))
  const { outputs, tools } = await (await project.session()).turn('go', ...messages)
  for (const [index, [call, { has, lacks }]] of [...reading, ...writing].entries()) {
    if (has !== undefined) expect(outputs[index], JSON.stringify(call)).toMatch(has)
    if (lacks !== undefined) expect(outputs[index], JSON.stringify(call)).not.toMatch(lacks)
  }
  // The host has not cut the answer to the third call, which lists large files.
  expect(tools[2]!.state.metadata).toMatchObject({ truncated: false })
})

story('a file whose edit the config or the agent denies is not written', async () => {
  const project = await guardedProject()
  const session = await project.session()
  const replacing = replace(PARTLY_DENIED.join(), '- new')
  // The first call of `twice` is answered with a request to confirm it. `outputs[2]` is the answer to the second one.
  const { outputs } = await session.turn('write', DISCOVER, ...twice(replacing))
  expect(outputs[2]).toMatch(/^\| b\.md +\| Refused/m)
  expect(outputs[2]?.match(/\| Success/g)).toHaveLength(2)
  const writers = [replace('kept/a.md', '- new, too'), addTo('kept/a.md', '- x'), restore('kept/a.md')]
  const { tools } = await session.turnAs({ agent: 'plan' }, 'write', writers)
  const denied = { status: 'error', error: expect.stringMatching(/rule|permission/i) }
  expect(tools.map(({ state }) => state)).toMatchObject(writers.map(() => denied))
  expect(await textsOf(project, ...PARTLY_DENIED)).toEqual(['- new\n', 'old\n', '- new\n'])
})

story('a question about an edit shows its diff, and edits and restores obey the answer', async () => {
  const project = await guardedProject()
  const [first, second] = ASKED_ABOUT
  const path = project.path(first)
  const session = await project.session()
  const toBoth = rewrite({ rules: ['- new'], files: [first, second] })
  const writing = session.turn('write', DISCOVER, ...twice(toBoth), addTo(second, '- more'))
  const { turn, questions } = await answerQuestions(session, ['once', 'reject', 'once'], writing)
  expect(questions.flatMap(({ permission, patterns }) => [permission, ...patterns]))
    .toEqual(['edit', first, 'edit', second, 'edit', second])
  const diff = `--- ${first}\n+++ ${first}\n@@ -1,1 +1,1 @@\n-old\n+- new\n`
  expect(questions[0]?.metadata).toEqual({ filepath: path, diff })
  expect(questions[2]?.metadata.diff).toBe(`--- ${second}\n+++ ${second}\n@@ -1,0 +2,2 @@\n+\n+more\n`)
  const [, , rewritten, added] = turn.outputs
  expect(rewritten).toMatch(/^\| b\.md +\| Refused +\|/m)
  expect(rewritten).toContain(`Not written: ${project.path(second)}: permission refused`)
  expect(added).toStartWith(`Added 1 rule(s) to ${project.path(second)}\n`)
  expect(await textsOf(project, first, second)).toEqual(['- new\n', 'old\n\nmore\n'])

  // A restore creates the deleted file again, but only if it is permitted.
  rmSync(project.path('ask/new'), { recursive: true })
  const otherSession = await project.session()
  const restoreWith = async (answer: 'once' | 'reject') =>
    (await answerQuestions(otherSession, [answer], otherSession.turn('restore', restore([first])))).turn
  expect((await restoreWith('reject')).tools[0]?.state.status).toBe('error')
  expect(await Bun.file(path).exists()).toBe(false)
  expect((await restoreWith('once')).outputs[0]).toStartWith(`Restored ${path} from `)
  expect(await project.read(first)).toBe('old\n')
})

story('parallel additions are each written once, and a parallel rewrite removes none', async () => {
  const project = await guardedProject()
  const [rulesFile, moreFile] = AT_ONCE
  const numbers = [1, 2, 3, 4, 5, 6]
  const { outputs } = await (await project.session()).turn('add', DISCOVER, [
    ...numbers.map((number) => addTo(rulesFile, `- rule ${number}`)),
    // The rule has the only word of the file, so the rewrite needs no confirmation.
    replace(moreFile, '- all that is old'),
    addTo(moreFile, '- one'),
    // This rewrite fails: it started before `- one` was added.
    replace(moreFile, '- all that is old', '- one'),
    addTo(moreFile, '- two'),
  ])
  const text = await project.read(rulesFile)
  expect(text).toStartWith('old\n\nrule ')
  for (const number of numbers) expect(text.split(`rule ${number}\n`)).toHaveLength(2)
  expect(readdirSync(project.path('at-once')).sort()).toEqual(['more.md', 'rules.md'])
  expect(await project.read(moreFile)).toBe('- all that is old\n- one\n- two\n')
  expect(outputs[9]).toContain('another call wrote it after this call started')
})

story('a child session may change what its parent was shown; its parent must discover it again', async () => {
  const project = await guardedProject()
  const parent = await project.session()
  let added: string | undefined
  const { outputs } = await parent.turn('write', discover('child.md'), async () => {
    const child = await project.session({ parentID: parent.id })
    const calls = [replace('child.md', '- old child'), addTo(undefined, '- more')]
    added = (await child.turn('write', calls)).outputs[1]
    return replace('child.md', '- old child', '- more')
  })
  expect(added).toStartWith(`Added 1 rule(s) to ${project.path('child.md')}\n`)
  expect(outputs[1]).toContain('changed since')
  expect(await project.read('child.md')).toBe('- old child\n- more\n')
})

story('an open question blocks no other call, and an abort ends it without a write', async () => {
  const project = await guardedProject()
  const [a, b, c, d] = LEFT_OPEN
  const [asking, other] = [await project.session(), await project.session()]
  const turn = asking.turn('write', DISCOVER, [addTo(a, '- 1'), addTo(b, '- 2'), addTo(a, '- 3')])
  const questions = await questionsOf(asking, 3)
  // While the questions about `a` are open, another session writes `a`, and the other call writes `b`.
  const otherTurn = other.turn('write', DISCOVER, addTo(a, '- other'))
  await replyToNext(other, 'once')
  expect((await otherTurn).outputs[1]).toContain('Added 1')
  expect(await project.read(a)).toBe('old\n\nother\n')
  await reply(asking, questions[1]!, 'once')
  await eventually(() => project.read(b), (text) => text !== 'old\n', 'Nothing is written')
  await project.http('POST', `/session/${asking.id}/abort`)
  await turn

  // One call asks about two files: `c` is permitted, and the question about `d` is aborted.
  const stopped = asking.turn('again', ...twice(replace(`${c}, ${d}`, '- later')))
  const [aboutC] = await questionsOf(asking, 1, questions)
  await reply(asking, aboutC!, 'once')
  await questionsOf(asking, 1, [...questions, aboutC!])
  await project.http('POST', `/session/${asking.id}/abort`)
  await stopped
  // Time for a late write of `d`, which would be a fault.
  await Bun.sleep(200)
  expect(await textsOf(project, a, b, c, d)).toEqual(['old\n\nother\n', 'old\n\n2\n', '- later\n', 'old\n'])
})

story('rules in an open question are written even if format-rules then refuses others', async () => {
  const project = await guardedProject()
  const session = await project.session()
  const parsed = { strength: 'obligatory', action: 'be', target: 'old', source: 'Be old!' }
  // The first rewrite asks the person, the second one finds it open, and format-rules refuses the cut-off list `[`.
  const parallel = [rewrite(), rewrite(), format('[')]
  const turn = session.turn('go', DISCOVER, parse(parsed), format(['Rule: be old']), parallel)
  await eventually(
    async () => (await session.messages()).flatMap(({ parts }) => parts).at(-1)?.state?.output ?? '',
    (output) => output.includes('cut off'),
    'format-rules has not answered',
  )
  const { turn: { outputs: [, , , rewritten, second] } } = await answerQuestions(session, ['once'], turn)
  expect(rewritten).toMatch(/^\| source\.md +\| Success/m)
  expect(second).toContain('another one is writing these rules already')
  expect(await project.read(SOURCE_FILE)).toBe('be old\n')
})
