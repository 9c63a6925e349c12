/** Next to other plugins that change the messages of a request, before SAT in the list or after it. */
import { expect } from 'bun:test'
import { CHECKOUT, sharedHost } from '../harness/host.ts'
import { textOf } from '../harness/model.ts'
import { story } from '../harness/story.ts'
import { toastsOf } from '../harness/toasts.ts'
import { expectCounts, read } from './delivered.ts'

/** Another plugin, which adds words to each message of the person, as some do. */
const REMINDS = `export default async () => ({
  'experimental.chat.messages.transform': async (_, { messages }) => {
    for (const { info: { role, id, sessionID }, parts } of messages) {
      const ids = { id: parts[0].id + 'x', sessionID, messageID: id }
      if (role === 'user') parts.push({ ...ids, type: 'text', text: 'REMINDED', synthetic: true })
    }
  },
})`

/** Cuts off what a request holds of calls and of attachments, as a store that was damaged. */
const CUTS = `export default async () => ({
  'experimental.chat.messages.transform': async (_, { messages }) => {
    for (const part of messages.flatMap(({ parts }) => parts)) {
      if (part.tool === 'read') delete part.state.input
      if (part.tool === 'glob') delete part.state.metadata
      if (part.type === 'file') delete part.url
    }
  },
})`

story('a message that the store cut off takes away no rule, and no other call', async () => {
  const config = {
    plugin: ['./cuts.mjs', [CHECKOUT, { format_on_save: { '*.js': "sed -i 's/=/ = /' {path}" } }]],
  }
  const files = { 'cuts.mjs': CUTS, 'a.ts': '1', '.opencode/rules/js.md': '---\nglobs: "*.js"\n---\nRULE-JS' }
  const project = (await sharedHost()).project({ config, files })
  const session = await project.session()
  const write = { tool: 'write', args: { filePath: project.path('b.js'), content: 'b=1\n' } }
  const url = `file://${project.path('a.ts')}`
  const file = { type: 'file', mime: 'text/plain', filename: 'a.ts', url }
  const glob = { tool: 'glob', args: { pattern: '*' } }
  const steps = [read(project.path('a.ts')), glob, write, write]
  const { requests } = await session.turnAs({ parts: [file] }, 'go', ...steps)
  expectCounts(requests, { 'RULE-JS': [0, 0, 0, 1, 1] })
  expect(await project.read('b.js')).toBe('b = 1\n')
})

const REPLACES = `export default async () => ({
  'experimental.chat.messages.transform': async (_, output) => {
    output.messages = structuredClone(output.messages)
  },
})`

const FILES = {
  'reminds.mjs': REMINDS,
  'replaces.mjs': REPLACES,
  'a.ts': '1',
  '.opencode/rules/all.md': 'RULE-ALL',
}

/** Plays two turns next to other plugins; gives the requests of the second, and the toasts of both. */
const playNextTo = async (plugin: Array<string>, told: number) => {
  const host = await sharedHost()
  const project = host.project({ config: { plugin }, files: FILES })
  const toasts = await toastsOf(project, host.url)
  const session = await project.session()
  await session.turn('go')
  const { requests } = await session.turn('on', read(project.path('a.ts')))
  if (told > 0) await toasts.when(/Name SAT before it/)
  await toasts.stop()
  expect(toasts.shown).toHaveLength(told)
  return requests
}

for (const plugin of [['./reminds.mjs', CHECKOUT, './replaces.mjs'], [CHECKOUT, './reminds.mjs']]) {
  story(`next to a plugin that adds words to each message: ${plugin.join(', ')}`, async () => {
    const requests = await playNextTo(plugin, 0)
    expectCounts(requests, { 'RULE-ALL': [1, 1] })
    const said = requests[1]!.messages.filter(({ role }) => role === 'user').map(textOf)
    expect(said.filter((text) => !/RULE-ALL|^go|^on/.test(text))).toEqual([])
    expect(said.filter((text) => text.includes('REMINDED')).length).toBeGreaterThanOrEqual(2)
  })
}

const TRIMS = `export default async () => ({
  'experimental.chat.messages.transform': async (_, { messages }) => void messages.splice(0, messages.length - 4),
})`

story('a rule stays for a file of a message that another plugin has removed', async () => {
  const rule = '---\nglobs: "*.ts"\n---\nRULE-TS'
  const files = { ...FILES, 'trims.mjs': TRIMS, 'b.js': '1', '.opencode/rules/ts.md': rule }
  const project = (await sharedHost()).project({ config: { plugin: ['./trims.mjs', CHECKOUT] }, files })
  const session = await project.session()
  await session.turn('go', read(project.path('a.ts')))
  const { requests } = await session.turn('on', read(project.path('b.js')), read(project.path('b.js')))
  expectCounts(requests, { 'RULE-ALL': [1, 1, 1], 'RULE-TS': [1, 1, 1] })
})

story('after a plugin that replaces the messages no rule is sent: the person is told, once', async () => {
  expectCounts(await playNextTo(['./replaces.mjs', CHECKOUT], 1), { 'RULE-ALL': [0, 0] })
})
