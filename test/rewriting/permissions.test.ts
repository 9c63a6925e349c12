/** The tools read and write only what the host allows: after questions and denials, in child sessions, in parallel calls. */
import { expect } from 'bun:test'
import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { eventually } from '../harness/eventually.ts'
import { answerQuestions, questionsOf, reply, replyToNext } from '../harness/permissions.ts'
import { story } from '../harness/story.ts'
import { addTo, DISCOVER, discover, format, parse, replace, restore, rewrite, twice } from './calls.ts'
import {
  ASK_FIRST,
  folderBeside,
  guardedProject,
  LARGE_FILES,
  LEFT_OPEN,
  PARTLY_DENIED,
} from './guarded-project.ts'
import { textsOf } from './play.ts'

story('SAT asks for permission for a file outside the project by its real path', async () => {
  const project = await guardedProject()
  const outside = folderBeside(project, 'asked')
  const session = await project.session()
  const far = `${'../'.repeat(20)}${outside.slice(1)}`
  const reads = [
    `${far}/secret.md`,
    'secret-link.md',
    `${outside}/*.md`,
    'asked/*.md',
    `${outside}/missing.md`,
  ]
  const writes = [`${far}/loaded.md`, `../${basename(outside)}/loaded.md`, 'link.md', `${outside}/l*.md`]
  const calls = [...reads.map(discover), ...writes.map((path) => replace(path, '- the loaded words'))]
  const turn = session.turn('go', DISCOVER, calls)
  const questions = await questionsOf(session, calls.length)
  expect(questions).toMatchObject(
    calls.map(() => ({ permission: 'external_directory', patterns: [`${outside}/*`] })),
  )
  // One refusal applies to all open questions.
  await reply(session, questions[0]!, 'reject')
  const refused = await turn
  expect(refused.tools.slice(1).map(({ state }) => state.status)).toEqual(calls.map(() => 'error'))
  for (const output of refused.outputs) expect(output).not.toContain('the secret')
  expect(readFileSync(project.path('link.md'), 'utf8')).toBe('the loaded words\n')

  const files = `AGENTS.md, ${outside}/secret.md, ${outside}/deep/secret.md`
  const steps = [
    discover(files),
    discover(`${outside}/**/*.md`),
    replace('link.md', '- the loaded words'),
  ]
  const again = session.turn('again', ...steps)
  const { turn: { outputs: [several, all] }, questions: further } = await answerQuestions(
    session,
    ['reject', 'once', 'once'],
    again,
  )
  expect(further.map(({ permission }) => permission)).toEqual(steps.map(() => 'external_directory'))
  expect(several).toContain(`## ${project.path('AGENTS.md')}\n\ninside`)
  expect(several).toContain(`## ${outside}/secret.md\n\nError: could not read this file: permission`)
  expect(several).toContain('not asked for, because an earlier question was refused')
  for (const words of ['the secret', 'the deep secret', 'Outside the project']) expect(all).toContain(words)
  expect(readFileSync(join(outside, 'loaded.md'), 'utf8')).toBe('- the loaded words\n')
  expect(lstatSync(project.path('link.md')).isSymbolicLink()).toBe(true)
})

story('no braces, links or dots open a denied folder; files in it that the host loads are read', async () => {
  const project = await guardedProject()
  const outside = folderBeside(project, 'denied')
  const name = basename(outside)
  const loaded = join(outside, 'loaded.md')
  const patterns = [`{../${name},x}/*.md`, 'de*/*.md', '{denied,docs}/**']
  const reading = {
    all: DISCOVER,
    large: discover('rules/*.md'),
    loaded: discover(loaded),
    deep: discover(`${outside}/deep/secret.md`),
    env: discover('.env'),
    linked: discover('linked.md'),
    notes: discover('notes.md, .env'),
    braces: discover('{one/deep,docs}/*.md'),
    device: discover('zero.md'),
  }
  const writing = {
    writtenDeep: replace(`${outside}/deep/*.md`, '- x'),
    writtenEnv: replace('.env', '- x'),
    writtenMissing: replace('denied/none.md', '- x'),
  }
  const calls = { ...reading, ...writing }
  const { outputs, tools } = await (await project.session()).turn(
    'go',
    Object.values(reading),
    Object.values(writing),
    patterns.map((pattern) => discover([pattern])),
  )
  const indexOf = (name: keyof typeof calls): number => Object.keys(calls).indexOf(name)
  const outputOf = (name: keyof typeof calls): string => outputs[indexOf(name)]!
  expect(outputOf('all')).toContain('the loaded words')
  expect(outputOf('all')).toContain(`asked before they are written:\n- ${loaded}`)
  expect(outputOf('large')).toContain(`- ${project.path(LARGE_FILES[29]!)} (10 KB)`)
  expect(tools[indexOf('large')]!.state.metadata).toMatchObject({ truncated: false })
  expect(outputOf('loaded')).toContain('the loaded words')
  expect(outputOf('deep')).not.toContain('the deep secret')
  expect(outputOf('writtenDeep')).not.toContain('deep/secret.md')
  expect(outputOf('writtenMissing')).toContain('discover-rules has not shown it')
  for (const name of ['env', 'writtenEnv', 'notes'] as const) expect(outputOf(name)).not.toContain('TOKEN')
  expect(outputOf('linked')).not.toContain('some notes')
  expect(outputOf('notes')).toContain('some notes')
  expect(outputOf('notes')).toContain('permission refused')
  expect(outputOf('braces').split('\n\n---\n\n')).toHaveLength(2)
  expect(outputOf('device')).toContain('it is a device')
  const ofPatterns = outputs.slice(Object.keys(calls).length)
  expect(ofPatterns).toHaveLength(patterns.length)
  for (const output of ofPatterns) expect(output).not.toMatch(/secret\.md|the secret/)
})

story('if the config or the agent denies edits, nothing is written and the model reads why', async () => {
  const project = await guardedProject()
  const session = await project.session()
  const { outputs } = await session.turn('write', DISCOVER, ...twice(replace(PARTLY_DENIED.join(), '- new')))
  expect(outputs[2]).toMatch(/^\| b\.md +\| Refused/m)
  expect(outputs[2]?.match(/\| Success/g)).toHaveLength(2)
  const writers = [replace('kept/a.md', '- new, too'), addTo('kept/a.md', '- x'), restore('kept/a.md')]
  const { tools } = await session.turnAs({ agent: 'plan' }, 'write', writers)
  for (const { state } of tools) {
    expect(state).toMatchObject({ status: 'error', error: expect.stringMatching(/rule|permission/i) })
  }
  expect(tools).toHaveLength(writers.length)
  expect(await textsOf(project, ...PARTLY_DENIED)).toEqual(['- new\n', 'old\n', '- new\n'])
})

story('a question for an edit shows the diff, and the answer is obeyed', async () => {
  const project = await guardedProject()
  const [first, second] = ASK_FIRST
  const path = project.path(first)
  const session = await project.session()
  const both = rewrite({ rules: ['- new'], files: [...ASK_FIRST] })
  const writing = session.turn('write', DISCOVER, ...twice(both), addTo(second, '- more'))
  const { turn: { outputs: [, , ...outputs] }, questions } = await answerQuestions(
    session,
    ['once', 'reject', 'once'],
    writing,
  )
  expect(questions.flatMap(({ permission, patterns }) => [permission, ...patterns]))
    .toEqual(['edit', first, 'edit', second, 'edit', second])
  expect(questions[0]?.metadata).toEqual({
    filepath: path,
    diff: `--- ${first}\n+++ ${first}\n@@ -1,1 +1,1 @@\n-old\n+- new\n`,
  })
  // The diff of an addition has only the new lines.
  expect(questions[2]?.metadata.diff).toBe(`--- ${second}\n+++ ${second}\n@@ -1,0 +2,2 @@\n+\n+more\n`)
  expect(outputs[0]).toMatch(/^\| b\.md +\| Refused +\|/m)
  expect(outputs[0]).toContain(`Not written: ${project.path(second)}: permission refused`)
  expect(outputs[1]).toStartWith(`Added 1 rule(s) to ${project.path(second)}\n`)
  expect(await textsOf(project, ...ASK_FIRST)).toEqual(['- new\n', 'old\n\nmore\n'])

  Bun.spawnSync(['rm', '-r', project.path('ask/new')])
  const otherSession = await project.session()
  const restoring = restore([first])
  const refused = await answerQuestions(otherSession, ['reject'], otherSession.turn('restore', restoring))
  expect(refused.turn.tools[0]?.state.status).toBe('error')
  expect(await Bun.file(path).exists()).toBe(false)
  const restored = await answerQuestions(otherSession, ['once'], otherSession.turn('restore', restoring))
  expect(restored.turn.outputs[0]).toStartWith(`Restored ${path} from `)
  expect(await project.read(first)).toBe('old\n')
})

story('parallel additions are each written once, and no parallel rewrite removes one', async () => {
  const project = await guardedProject()
  const [rules, more] = ['at-once/rules.md', 'at-once/more.md']
  const numbers = [1, 2, 3, 4, 5, 6]
  const { outputs } = await (await project.session()).turn('add', DISCOVER, [
    ...numbers.map((number) => addTo(rules, `- rule ${number}`)),
    replace(more, '- all that is old'),
    addTo(more, '- one'),
    replace(more, '- all that is old', '- one'),
    addTo(more, '- two'),
  ])
  const text = await project.read(rules)
  expect(text).toStartWith('old\n\nrule ')
  for (const number of numbers) expect(text.split(`rule ${number}\n`)).toHaveLength(2)
  expect(readdirSync(project.path('at-once')).sort()).toEqual(['more.md', 'rules.md'])
  expect(await project.read(more)).toBe('- all that is old\n- one\n- two\n')
  expect(outputs[9]).toContain('another call wrote it after this call started')
})

story('a child session may change files that its parent was shown', async () => {
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
  // The parent has not seen what the child wrote.
  expect(outputs[1]).toContain('changed since')
  expect(await project.read('child.md')).toBe('- old child\n- more\n')
})

story('a question that stays open, or whose turn was aborted, blocks no other writer', async () => {
  const project = await guardedProject()
  const [a, b, c, d] = LEFT_OPEN
  const [asking, writing] = [await project.session(), await project.session()]
  // Three calls in one message ask three questions at once.
  const calls = [addTo(a, '- 1'), addTo(b, '- 2'), addTo(a, '- 3')]
  const turn = asking.turn('write', DISCOVER, calls)
  const questions = await questionsOf(asking, 3)
  const otherTurn = writing.turn('write', DISCOVER, addTo(a, '- other'))
  await replyToNext(writing, 'once')
  expect((await otherTurn).outputs[1]).toContain('Added 1')
  expect(await project.read(a)).toBe('old\n\nother\n')
  await reply(asking, questions[1]!, 'once')
  await eventually(() => project.read(b), (text) => text !== 'old\n', 'Nothing is written')
  await project.http('POST', `/session/${asking.id}/abort`)
  await turn

  // If format-rules refuses other texts while a question is open, a yes still writes the texts that the question was
  // about, and the answer says so. No second call asks for the same rules.
  const old = { strength: 'obligatory', action: 'be', target: 'old', source: 'Be old!' }
  const late = writing.turn('late', parse(old), format(['Rule: be old']), [rewrite(), rewrite(), format('[')])
  await eventually(
    async () => (await writing.messages()).flatMap(({ parts }) => parts).at(-1)?.state?.output ?? '',
    (output) => output.includes('cut off'),
    'format-rules has not answered',
  )
  const { turn: { outputs } } = await answerQuestions(writing, ['once'], late)
  expect(outputs[2]).toMatch(/^\| e\.md +\| Success/m)
  expect(outputs[3]).toContain('another one is writing these rules already')

  // An aborted call leaves each file completely old or completely new.
  const stopped = asking.turn('again', ...twice(replace(`${c}, ${d}`, '- later')))
  const first = await questionsOf(asking, 1, questions)
  await reply(asking, first[0]!, 'once')
  await questionsOf(asking, 1, [...questions, ...first])
  await project.http('POST', `/session/${asking.id}/abort`)
  await stopped
  await Bun.sleep(200)
  expect(await textsOf(project, ...LEFT_OPEN)).toEqual([
    'old\n\nother\n',
    'old\n\n2\n',
    '- later\n',
    'old\n',
    'be old\n',
  ])
})
