/**
 * Runs the demo: shows what SAT does in the real host, with throw-away projects and a model whose replies are in
 * `script.ts`. Everything else is real: the host, the plugin, the calls, their answers and the files.
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

// When this process exits, the harness ends the host and removes its folder. The line is cleared first: "^C" or the
// running seconds may be on it.
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
