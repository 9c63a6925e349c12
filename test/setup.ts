import { afterAll, setDefaultTimeout } from 'bun:test'
import { stopSharedHost } from './host.ts'

// A turn of the real host takes a second or more, and its first start several.
setDefaultTimeout(90_000)

afterAll(stopSharedHost)
