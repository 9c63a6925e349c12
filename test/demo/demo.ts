/**
 * Runs the demo: shows in temporary projects what SAT does in the real host. Only the model is scripted; the host, the
 * plugin, the calls, their answers and the files are real.
 */
import { CHECKOUT, startHost } from '../harness/host.ts'
import { playScenes } from './scenes.ts'
import { clearLine, say, waitFor } from './screen.ts'

const run = async (): Promise<void> => {
  say('SAT in the real OpenCode host')
  const host = await waitFor('Starting the host', startHost({ plugin: [] }))
  try {
    await playScenes(host)
  } finally {
    await host.stop()
  }
  console.log(`\nIn a project of your own: opencode plugin ${CHECKOUT}`)
}

// When this process exits, `host-watcher.ts` ends the host and removes its folder. The line of the cursor is cleared
// before: it may show "^C" or the seconds of a wait.
for (const [signal, status] of [['SIGINT', 130], ['SIGTERM', 143]] as const) {
  process.once(signal, () => {
    clearLine()
    console.log('Stopped.')
    process.exit(status)
  })
}

try {
  await run()
  process.exit(0)
} catch (thrown) {
  clearLine()
  console.error(`\nThe demo failed: ${thrown instanceof Error ? thrown.message : String(thrown)}`)
  process.exit(1)
}
