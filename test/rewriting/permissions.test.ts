import { expect } from 'bun:test'
import { lstatSync, readFileSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Call } from '../harness/model.ts'
import { answerQuestions, questionsOf, reply } from '../harness/permissions.ts'
import { story } from '../harness/story.ts'
import { addTo, DISCOVER, discover, replace, restore, textsOf, twice, writeTo } from './calls.ts'
import { ASKED_ABOUT, folderBeside, guardedProject, LARGE_FILES, PARTLY_DENIED } from './guarded-project.ts'

story('for files outside the project, a call asks about their real folder and obeys a refusal', async () => {
  const project = await guardedProject()
  const outside = folderBeside(project, 'asked')
  const session = await project.session()
  // All these paths lead into `outside`.
  const [viaRoot, viaParent] = [`${'../'.repeat(20)}${outside.slice(1)}`, `../${basename(outside)}`]
  const toRead = [`${viaRoot}/secret.md`, 'secret-link.md', `${outside}/*.md`, 'asked/*.md']
  const toReplace = [`${viaRoot}/loaded.md`, `${viaParent}/loaded.md`, 'loaded-link.md', `${outside}/l*.md`]
  const replaceLoaded = (path: string) => replace(path, '- the loaded words')
  const calls = [...toRead, `${outside}/missing.md`].map(discover).concat(toReplace.map(replaceLoaded))
  const turn = session.turn('go', DISCOVER, calls)
  const questions = await questionsOf(session, calls.length)
  const question = { permission: 'external_directory', patterns: [`${outside}/*`] }
  expect(questions).toMatchObject(calls.map(() => question))
  // If the person refuses a question, the host refuses all open questions.
  await reply(session, questions[0]!, 'reject')
  const { tools: [, ...refusedTools], outputs } = await turn
  expect(refusedTools.map(({ state }) => state.status)).toEqual(calls.map(() => 'error'))
  for (const output of outputs) expect(output).not.toContain('the secret')
  expect(readFileSync(project.path('loaded-link.md'), 'utf8')).toBe('the loaded words\n')

  const partly = discover(`AGENTS.md, ${outside}/secret.md, ${outside}/deep/secret.md`)
  const again = session.turn('go', partly, discover(`${outside}/**/*.md`), replaceLoaded('loaded-link.md'))
  const answered = await answerQuestions(session, ['reject', 'once', 'once'], again)
  expect(answered.questions.map(({ permission }) => permission)).toEqual(Array(3).fill('external_directory'))
  const [partlyRefused, permitted] = answered.turn.outputs
  expect(partlyRefused).toContain(`## ${project.path('AGENTS.md')}\n\ninside`)
  expect(partlyRefused).toContain(`## ${outside}/secret.md\n\nError: could not read this file: permission`)
  expect(partlyRefused).toContain('not asked for, because an earlier question was refused')
  expect(permitted).toMatch(/the deep secret[^]*the secret[^]*Outside the project/)
  expect(readFileSync(join(outside, 'loaded.md'), 'utf8')).toBe('- the loaded words\n')
  expect(lstatSync(project.path('loaded-link.md')).isSymbolicLink()).toBe(true)
})

type Case = [call: Call, answer: { has?: string | RegExp; lacks?: RegExp }]

story('a denied file is not read or written through patterns, links or `..`', async () => {
  const project = await guardedProject()
  const denied = folderBeside(project, 'denied') // in the project, the link `denied` leads to it
  const [loaded, secret] = [join(denied, 'loaded.md'), /secret\.md|the secret/]
  const reading: Array<Case> = [
    [discover('rules/*.md'), { has: `- ${project.path(LARGE_FILES[29]!)} (10 KB)` }],
    // The host loads this file as an instruction file, so it is shown although its folder is denied.
    [DISCOVER, { has: 'the loaded words' }],
    [DISCOVER, { has: `asked before they are written:\n- ${loaded}` }],
    [discover(loaded), { has: 'the loaded words' }],
    [discover(`${denied}/deep/secret.md`), { lacks: /the deep secret/ }],
    [discover([`{../${basename(denied)},x}/*.md`]), { lacks: secret }],
    [discover(['de*/*.md']), { lacks: secret }],
    [discover(['{denied,docs}/**']), { lacks: secret }],
    [discover('{one/deep,docs}/*.md'), { has: /^## .*two\.md\n\ntwo\n[^]*one\.md\n\none\n$/, lacks: secret }],
    [discover('.env'), { lacks: /TOKEN/ }],
    [discover('notes.md, .env'), { has: /some notes[^]*permission refused/, lacks: /TOKEN/ }],
    // The config denies this link, but not `notes.md` itself.
    [discover('notes-link.md'), { lacks: /some notes/ }],
    [discover('zero.md'), { has: 'it is a device' }],
  ]
  const writing: Array<Case> = [
    [replace(`${denied}/deep/*.md`, '- x'), { lacks: /deep\/secret\.md/ }],
    [replace('.env', '- x'), { lacks: /TOKEN/ }],
    [replace('denied/none.md', '- x'), { has: 'discover-rules has not shown it' }],
  ]
  const messages = [reading, writing].map((cases) => cases.map(([call]) => call))
  const { outputs, tools } = await (await project.session()).turn('go', ...messages)
  for (const [index, [call, { has = '', lacks = /^$/ }]] of [...reading, ...writing].entries()) {
    expect(outputs[index], JSON.stringify(call)).toMatch(has)
    expect(outputs[index], JSON.stringify(call)).not.toMatch(lacks)
  }
  expect(tools[0]!.state.metadata).toMatchObject({ truncated: false })
})

story('a file is not written if the config or the agent denies its edit', async () => {
  const project = await guardedProject()
  const session = await project.session()
  const replacing = replace(PARTLY_DENIED.join(), '- new')
  const { outputs: [, , confirmed] } = await session.turn('write', DISCOVER, ...twice(replacing))
  expect(confirmed).toMatch(/^\| b\.md +\| Refused/m)
  expect(confirmed?.match(/\| Success/g)).toHaveLength(2)
  // The agent `plan` denies all edits.
  const writers = [replace('kept/a.md', '- new, too'), addTo('kept/a.md', '- x'), restore('kept/a.md')]
  const { tools } = await session.turnAs({ agent: 'plan' }, 'write', writers)
  const denied = { status: 'error', error: expect.stringMatching(/rule|permission/i) }
  expect(tools.map(({ state }) => state)).toMatchObject(writers.map(() => denied))
  expect(textsOf(project, ...PARTLY_DENIED)).toEqual(['- new\n', 'old\n', '- new\n'])
})

story('a question shows the diff of an edit, and each edit and restore obeys the answer', async () => {
  const project = await guardedProject()
  const [first, second] = ASKED_ABOUT
  const path = project.path(first)
  const session = await project.session()
  const toBoth = writeTo([first, second], ['- new'])
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
  expect(textsOf(project, first, second)).toEqual(['- new\n', 'old\n\nmore\n'])

  rmSync(project.path('ask/new'), { recursive: true })
  const otherSession = await project.session()
  const restoreWith = async (answer: 'once' | 'reject') =>
    (await answerQuestions(otherSession, [answer], otherSession.turn('restore', restore([first])))).turn
  expect((await restoreWith('reject')).tools[0]?.state.status).toBe('error')
  expect(await Bun.file(path).exists()).toBe(false)
  expect((await restoreWith('once')).outputs[0]).toStartWith(`Restored ${path} from `)
  expect(await project.read(first)).toBe('old\n')
})
