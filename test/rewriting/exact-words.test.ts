/** Exact words in the real host: each case of the table, and plays of real files to the byte. */
import { expect } from 'bun:test'
import { plays } from '../corpora/corpus.ts'
import { CASES } from '../corpora/rewrite-cases.ts'
import { type Project, type Session, sharedHost } from '../harness/host.ts'
import { story } from '../harness/story.ts'
import { DISCOVER, format, parse, write } from './writer-calls.ts'

const start = async (): Promise<{ project: Project; session: Session }> => {
  const project = (await sharedHost()).project({ files: { 'AGENTS.md': 'x\n' } })
  return { project, session: await project.session() }
}

/** Rewrites the project's file as a model would; texts that were doubted are sent again. */
const rewrite = async (
  { project, session }: Awaited<ReturnType<typeof start>>,
  before: string,
  rules: Array<object>,
  texts: Array<string>,
  mode?: string,
): Promise<{ after: string; outputs: Array<string> }> => {
  project.write('AGENTS.md', before)
  const formatting = format(texts, mode)
  const { outputs } = await session.turn('go', DISCOVER, parse(...rules), formatting, formatting, write())
  return { after: await project.read('AGENTS.md'), outputs }
}

story('each sentence on exact words holds in a session', async () => {
  const session = await start()
  for (const { name, before, rules, after, mode } of CASES) {
    const parsed = rules.map(({ sources: [first, ...others] }) => ({
      strength: 'obligatory',
      action: 'use',
      target: 'it',
      source: others.length === 0 ? first : [first, ...others],
    }))
    const rewritten = await rewrite(session, before, parsed, rules.map(({ text }) => text), mode)
    expect({ name, ...rewritten }).toEqual({ name, after, outputs: rewritten.outputs })
  }
})

story('plays of real files give these to the byte', async () => {
  const session = await start()
  for (const { name, before, after, parsed, texts } of plays()) {
    const rewritten = await rewrite(session, before, parsed, texts)
    expect({ name, ...rewritten }).toEqual({ name, after, outputs: rewritten.outputs })
  }
})
