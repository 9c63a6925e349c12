/** Next to other plugins that change the messages of a request, before SAT in the list or after it. */
import { expect } from 'bun:test'
import { join } from 'node:path'
import { write } from '../formatting/session.ts'
import { CHECKOUT, sharedHost } from '../harness/host.ts'
import { textOf } from '../harness/model.ts'
import { story } from '../harness/story.ts'
import { expectCounts, read, shownOf, times, until } from './delivered.ts'

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

const FILES = {
  'reminds.mjs': REMINDS,
  'a.ts': '1',
  '.opencode/rules/all.md': "---\nforbid: 'any'\n---\nRULE-ALL",
}

/** Plays two turns next to other plugins; gives the requests of the second. */
const playNextTo = async (plugin: Array<string>) => {
  const project = (await sharedHost()).project({ config: { plugin }, files: FILES })
  const session = await project.session()
  await session.turn('go')
  return (await session.turn('on', read(project.path('a.ts')))).requests
}

for (const plugin of [['./reminds.mjs', CHECKOUT], [CHECKOUT, './reminds.mjs']]) {
  story(`next to a plugin that adds words to each message: ${plugin.join(', ')}`, async () => {
    const requests = await playNextTo(plugin)
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

/** What a plugin does with the messages of a request, and whether what SAT adds to a call reaches the model. */
const DOES: Record<string, string> = {
  'assigns texts': `for (const part of parts) {
    if (part.type === 'text') part.text += ''
    if (part.state?.output) part.state.output += ''
  }`,
  'clones parts': 'for (const one of messages) one.parts = structuredClone(one.parts)',
  'copies parts': 'for (const one of messages) one.parts = one.parts.map((part) => ({ ...part }))',
  'copies messages': `messages.splice(0, messages.length, ...structuredClone(messages))`,
  'marks parts': 'for (const part of parts) part.seen = true',
  'adds a message': `messages.push(structuredClone(messages.findLast(({ info }) => info.role === 'user')))`,
  'leaves out what is empty': `messages.splice(0, messages.length,
    ...messages.filter(({ parts }) => parts.some(({ text }) => text)))`,
  'replaces the list': 'output.messages = structuredClone(messages)',
  'deletes the metadata of calls': 'for (const part of parts) if (part.state) delete part.state.metadata',
  'deletes the states of calls':
    `for (const part of parts) if (part.type === 'tool') part.state = { ...part.state, metadata: null, input: null }`,
  'removes calls': `for (const one of messages) one.parts = one.parts.filter(({ type }) => type !== 'tool')`,
}

const pluginThat = (does: string): string =>
  `export default async () => ({
    'experimental.chat.messages.transform': async (_, output) => {
      const { messages } = output
      const parts = messages.flatMap(({ parts }) => parts)
      ${does}
    },
  })`

const DCP = join(CHECKOUT, 'test', 'node_modules', '@tarquinen', 'opencode-dcp')

/** Plays two turns with a call that breaks a rule; gives how often the rule is in each request. */
const countsNextTo = async (plugin: Array<string>, files: Record<string, string>) => {
  const project = (await sharedHost()).project({ config: { plugin }, files: { ...FILES, ...files } })
  const session = await project.session()
  const { requests } = await session.turn('go', write(project, 'b.ts', 'let x: any\n'), 'the end')
  const next = await session.turn('on', read(project.path('a.ts')), 'the last word')
  expect(next.text).toBe('the last word')
  const isLoaded = requests[0]!.tools.some(({ function: { name } }) => name === 'compress')
  expect(isLoaded).toBe(plugin.includes(DCP))
  return [...requests, ...next.requests].map((request) =>
    times('RULE-ALL', request) - times('all: RULE-ALL', request)
  )
}

for (const [does, code] of Object.entries(DOES)) {
  const files = { 'other.mjs': pluginThat(code) }
  story(`after SAT in the list, a plugin that ${does} takes no rule away`, async () => {
    expect(await countsNextTo([CHECKOUT, './other.mjs'], files)).toEqual([1, 1, 1, 1])
  })
  story(`before SAT in the list, a plugin that ${does} takes no rule away`, async () => {
    // OpenCode sends its own list, whatever a plugin assigns.
    const isLost = does === 'replaces the list'
    expect(await countsNextTo(['./other.mjs', CHECKOUT], files)).toEqual(Array(4).fill(isLost ? 0 : 1))
  })
}

story(
  'a rule joins for a file that was read, although another plugin removes the metadata of calls',
  async () => {
    const other = pluginThat(DOES['deletes the metadata of calls']!)
    const files = {
      ...FILES,
      'other.mjs': other,
      '.opencode/rules/ts.md': '---\nglobs: "*.ts"\n---\nRULE-TS',
    }
    const project = (await sharedHost()).project({ config: { plugin: ['./other.mjs', CHECKOUT] }, files })
    const session = await project.session()
    const { requests } = await session.turn('go', read(project.path('a.ts')), 'the end')
    expectCounts(requests, { 'RULE-ALL': [1, 1], 'RULE-TS': [0, 1] })
  },
)

story(
  'a plugin that freezes the list of a request keeps the rules out of it, and `/rules` says so',
  async () => {
    const freezes = `const freeze = (value) => Object.values(Object.freeze(value)).forEach(
    (one) => Object(one) === one && freeze(one))
  freeze(messages)`
    const files = { ...FILES, 'other.mjs': pluginThat(freezes) }
    const project = (await sharedHost()).project({ config: { plugin: ['./other.mjs', CHECKOUT] }, files })
    const session = await project.session()
    expectCounts((await session.turn('go')).requests, { 'RULE-ALL': [0] })
    await until(async () => (await shownOf(session)).faults.some(({ feature }) => feature === 'rules'))
    expect((await shownOf(session)).faults[0]).toEqual({
      feature: 'rules',
      reason: expect.stringMatching(/^not in the last request: \w/),
    })
  },
)

for (const plugin of [[CHECKOUT, DCP], [DCP, CHECKOUT]]) {
  story(`next to Dynamic Context Pruning, ${plugin[0] === DCP ? 'after' : 'before'} it`, async () => {
    expect(await countsNextTo(plugin, {})).toEqual([1, 1, 1, 1])
  })
}

const THROWS = "globalThis.calls = (globalThis.calls ?? 0) + 1\nif (calls === 1) throw new Error('It fails')"

for (const plugin of [[CHECKOUT, './other.mjs'], ['./other.mjs', CHECKOUT]]) {
  story(
    `a plugin that throws ends a request, as without SAT; the next one has the rules: ${plugin.join(', ')}`,
    async () => {
      const files = {
        ...FILES,
        'other.mjs': pluginThat(THROWS.replaceAll('calls', `calls${plugin.indexOf(CHECKOUT)}`)),
      }
      const session = await (await sharedHost()).project({ config: { plugin }, files }).session()
      await expect(session.turn('go')).rejects.toThrow('answered 500')
      expectCounts((await session.turn('on')).requests, { 'RULE-ALL': [1] })
    },
  )
}
