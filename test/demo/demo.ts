/** Runs the demo of SAT in the real host, in temporary projects. Only the model is scripted. */
import { CHECKOUT, startHost } from '../harness/host.ts'
import { playScenes } from './scenes.ts'
import { clearLine, dim, say, waitFor } from './screen.ts'

// When this process exits, `host-watcher.ts` ends the host and removes its folder.
for (const [signal, status] of [['SIGINT', 130], ['SIGTERM', 143]] as const) {
  process.once(signal, () => {
    clearLine()
    console.log('Stopped.')
    process.exit(status)
  })
}

try {
  say('SAT in the real OpenCode host')
  const host = await waitFor('Starting the host', startHost({ plugin: [] }))
  await playScenes(host).finally(() => host.stop())
  say('\nThe model was scripted; host, plugin, calls and files were real.', dim)
  console.log(`\nIn a project of your own: opencode plugin ${CHECKOUT}`)
  process.exit(0)
} catch (thrown) {
  clearLine()
  console.error(`\nThe demo failed: ${thrown instanceof Error ? thrown.message : String(thrown)}`)
  process.exit(1)
}
