/** Answers the permission questions of the host (OpenCode), as a person would. */
import { eventually } from './eventually.ts'
import type { Session, Turn } from './host.ts'

type Question = {
  id: string
  sessionID: string
  permission: string
  patterns: Array<string>
  metadata: { filepath?: string; diff?: string }
}

type Answer = 'once' | 'reject'

const openQuestions = async ({ id, project }: Session, answered: Array<Question>): Promise<Array<Question>> =>
  (await project.http<Array<Question>>('GET', '/permission'))
    .filter((question) => question.sessionID === id && !answered.some((each) => each.id === question.id))

/** Waits for at least `count` open questions that are not in `answered`. */
export const questionsOf = (session: Session, count: number, answered: Array<Question> = []) => {
  const look = () => openQuestions(session, answered)
  return eventually(look, ({ length }) => length >= count, `Not ${count} questions`)
}

export const reply = ({ project }: Session, { id }: Question, answer: Answer): Promise<unknown> =>
  project.http('POST', `/permission/${id}/reply`, { reply: answer })

export const replyToNext = async (session: Session, answer: Answer) => {
  const [question] = await questionsOf(session, 1)
  await reply(session, question!, answer)
}

/** Answers the questions of a turn in order. Rejects a question if no answer is left. */
export const answerQuestions = async (session: Session, answers: Array<Answer>, turn: Promise<Turn>) => {
  const questions: Array<Question> = []
  let hasEnded = false
  const ended = turn.finally(() => (hasEnded = true))
  while (!hasEnded) {
    for (const question of await openQuestions(session, questions)) {
      await reply(session, question, answers[questions.length] ?? 'reject')
      questions.push(question)
    }
    await Promise.race([ended, Bun.sleep(100)])
  }
  return { turn: await ended, questions }
}
