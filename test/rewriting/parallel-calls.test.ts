import { expect } from 'bun:test'
import { readdirSync } from 'node:fs'
import { eventually } from '../harness/eventually.ts'
import type { Session, Turn } from '../harness/host.ts'
import { answerQuestions, questionsOf, reply, replyToNext } from '../harness/permissions.ts'
import { story } from '../harness/story.ts'
import { addTo, DISCOVER, discover, format, parse, replace } from './calls.ts'
import { rewrite, ruleStory, sourced, textsOf, twice } from './calls.ts'
import { guardedProject, LEFT_OPEN, SOURCE_FILE } from './guarded-project.ts'

const abortAndWait = async ({ project, id }: Session, turn: Promise<Turn>) => {
  await project.http('POST', `/session/${id}/abort`)
  await turn
  await Bun.sleep(200) // time for a late write, which would be a fault
}

const [A, B] = ['in/a.md', 'in/b.md'] as const
const NUMBERS = [1, 2, 3, 4, 5, 6]
// SAT asks for confirmation if a file's words would be lost, so this rule contains the file's only word, `old`.
const OLD = '- all that is old'

ruleStory(
  'each parallel addition is written once, and a parallel rewrite does not remove it',
  {
    [A]: ['old\n', `old\n\n${NUMBERS.map((number) => `rule ${number}\n`).join('\n')}`],
    [B]: ['old\n', '- all that is old\n- one\n- two\n'],
  },
  [DISCOVER, NUMBERS.map((number) => addTo(A, `- rule ${number}`))],
  [[replace(B, OLD), addTo(B, '- one'), replace(B, OLD, '- one'), addTo(B, '- two')]],
  ['', '', 'another call wrote it after this call started'],
  [({ path }) => expect(readdirSync(path('in')).sort()).toEqual(['a.md', 'b.md'])],
)

story('if a child session writes a file its parent discovered, the parent must rediscover it', async () => {
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

story('an open question blocks no other call, and an abort closes the question without a write', async () => {
  const project = await guardedProject()
  const [a, b] = LEFT_OPEN
  const [asking, other] = [await project.session(), await project.session()]
  const turn = asking.turn('write', DISCOVER, [addTo(a, '- 1'), addTo(b, '- 2'), addTo(a, '- 3')])
  const [, aboutB] = await questionsOf(asking, 3)
  // The questions about `a` stay open.
  const otherTurn = other.turn('write', DISCOVER, addTo(a, '- other'))
  await replyToNext(other, 'once')
  expect((await otherTurn).outputs[1]).toContain('Added 1')
  expect(await project.read(a)).toBe('old\n\nother\n')
  await reply(asking, aboutB!, 'once')
  await eventually(() => project.read(b), (text) => text !== 'old\n', 'Nothing is written')
  await abortAndWait(asking, turn)
  expect(textsOf(project, a, b)).toEqual(['old\n\nother\n', 'old\n\n2\n'])
})

story('if a call asks about two files and is aborted, only the permitted file is written', async () => {
  const project = await guardedProject()
  const [, , permitted, aborted] = LEFT_OPEN
  const session = await project.session()
  const turn = session.turn('go', DISCOVER, ...twice(replace(`${permitted}, ${aborted}`, '- later')))
  const [question] = await questionsOf(session, 1)
  await reply(session, question!, 'once')
  await questionsOf(session, 1, [question!])
  await abortAndWait(session, turn)
  expect(textsOf(project, permitted, aborted)).toEqual(['- later\n', 'old\n'])
})

story('if format-rules refuses rules while a rewrite asks the person, that rewrite succeeds', async () => {
  const project = await guardedProject()
  const session = await project.session()
  const parsing = parse(sourced('obligatory, be, old', 'Be old!'))
  // While the first rewrite asks the person, the second rewrite and the cut-off list `[` are refused.
  const parallel = [rewrite(), rewrite(), format('[')]
  const turn = session.turn('go', DISCOVER, parsing, format(['Rule: be old']), parallel)
  const lastOutput = async () =>
    (await session.messages()).flatMap(({ parts }) => parts).at(-1)?.state?.output ?? ''
  await eventually(lastOutput, (output) => output.includes('cut off'), 'format-rules has not answered')
  const { turn: { outputs: [, , , rewritten, second] } } = await answerQuestions(session, ['once'], turn)
  expect(rewritten).toMatch(/^\| source\.md +\| Success/m)
  expect(second).toContain('another call is already writing these rules')
  expect(await project.read(SOURCE_FILE)).toBe('be old\n')
})
