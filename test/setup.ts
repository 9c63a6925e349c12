import { afterAll } from 'bun:test'
import { stopSharedHost } from './host.ts'

afterAll(stopSharedHost)
