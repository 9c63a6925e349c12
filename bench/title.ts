/**
 * Whether the host makes a session's title from the person's words alone.
 *
 * The title is made beside the first request, from the very list of messages that SAT puts the rules into, and the
 * host has no event that tells when it has taken its part. It forks that work before the hook that SAT inserts in, and
 * the first step of the fork copies the messages; SAT's task, queued later, runs later. Here it is counted.
 */
import { errandsOf, times } from '../test/delivered.ts'
import { startHost } from '../test/host.ts'
import { type Row, toRatio } from './measure.ts'

const SESSIONS = 200
const AT_ONCE = 5

export default async (): Promise<Array<Row>> => {
  const host = await startHost()
  try {
    const project = host.project({ files: { '.opencode/rules/a.md': 'ALWAYS-A', 'a.ts': 'x' } })
    let clean = 0
    const one = async (number: number): Promise<void> => {
      const session = await project.session()
      const { requests } = await session.turn(`words ${number}`, 'hi')
      for (let tries = 0; tries < 100 && errandsOf(host, session).length === 0; tries++) await Bun.sleep(20)
      const titles = errandsOf(host, session)
      const isClean = titles.length === 1 && times('ALWAYS-A', titles[0]!) === 0
        && times(`words ${number}`, titles[0]!) === 1 && times('ALWAYS-A', requests[0]!) === 1
      if (isClean) clean++
    }
    for (let at = 0; at < SESSIONS; at += AT_ONCE) {
      await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => one(at + index)))
    }
    return [{
      what: 'titles without rules',
      size: `${SESSIONS} sessions`,
      figure: `${clean}`,
      against: `all ${SESSIONS}`,
      ratio: toRatio(clean, SESSIONS),
    }]
  } finally {
    await host.stop()
  }
}
