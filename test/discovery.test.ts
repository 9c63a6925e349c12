import { expect } from 'bun:test'
import pMap from 'p-map'
import { startHost } from './host.ts'
import { drawLayouts, playLayout } from './layouts.ts'
import { story } from './story.ts'

story('discover-rules shows what the host loads, in its order, over 48 layouts', async () => {
  const host = await startHost({ env: { SAT_TEST_ENTRY: 'env.md' } })
  try {
    await Bun.write(`${host.home}/home.md`, 'home')
    await Bun.write(`${host.home}/homes/h1.md`, 'h1')
    await Bun.write(`${host.home}/homes/.h2.md`, 'h2')
    const layouts = drawLayouts(12)
    const played = await pMap(layouts, (layout) => playLayout(host, layout), { concurrency: 4 })
    for (const [index, comparisons] of played.entries()) {
      for (const [state, { loaded, found, answer }] of comparisons.entries()) {
        expect({ layout: layouts[index]!.config, state, files: found, answer }).toMatchObject({
          files: loaded,
        })
      }
    }
    expect(played.flat().filter(({ loaded }) => loaded.length > 1).length).toBeGreaterThan(24)
  } finally {
    await host.stop()
  }
})
