/** Draws the same generated cases in each run: `bun run test` preloads it, while `bun test FILE` draws others each time. */
import fc from 'fast-check'

fc.configureGlobal({ seed: 20_261_122 })
