import type { PluginInput } from '@opencode-ai/plugin'
import { expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import SAT from '../../sat.ts'
import { readOptions } from '../../src/host/options.ts'
import { ModeSchema } from '../../src/rule-schema.ts'
import { CHECKOUT } from '../harness/host.ts'
import { inProcess } from '../harness/in-process.ts'
import type { Call } from '../harness/model.ts'
import { scratchFolder, writeFileAt } from '../harness/scratch.ts'
import { story } from '../harness/story.ts'
import { TOOL_NAMES } from '../harness/tool-names.ts'

type Example = { call: Call; says: string }

/** The blocks of a document that start with a tool's name and its arguments; the rest is what it answers. */
const examplesIn = (text: string): Array<Example> =>
  [...text.matchAll(/^```\n([a-z]+-[a-z]+) (\{.*\})\n([\s\S]*?)^```$/gm)].map((
    [, tool = '', args = '', says = ''],
  ) => ({ call: { tool, args: JSON.parse(args) as unknown }, says: says.trimEnd() }))

/** `…` stands for anything. */
const toPattern = (says: string): RegExp =>
  new RegExp(`^${says.split('…').map((part) => RegExp.escape(part)).join('[\\s\\S]*?')}$`)

const file = (name: string) => readFileSync(join(CHECKOUT, name), 'utf8')

story('docs/tools.md: each tool answers as its example says', async () => {
  const examples = examplesIn(file('docs/tools.md'))
  expect(examples.map(({ call }) => call.tool)).toEqual(TOOL_NAMES)
  const project = (await inProcess()).project({
    files: { 'AGENTS.md': file('examples/messy-project/AGENTS.md') },
  })
  const { outputs } = await (await project.session()).turn('go', ...examples.map(({ call }) => call))
  examples.forEach(({ says }, index) => expect(outputs[index]?.trimEnd()).toMatch(toPattern(says)))
})

test('a tool that is offered has its name, its section and its example', async () => {
  const client = {} as PluginInput['client']
  const { tool } = await SAT({ client, directory: CHECKOUT, worktree: CHECKOUT } as PluginInput)
  const docs = file('docs/tools.md')
  const named = {
    'test/harness/tool-names.ts': TOOL_NAMES,
    'sections of docs/tools.md': [...docs.matchAll(/^## ([a-z]+-[a-z]+)$/gm)].map(([, name]) => name),
  }
  for (const [place, names] of Object.entries(named)) {
    expect([place, ...names.toSorted()]).toEqual([place, ...Object.keys(tool ?? {}).toSorted()])
  }
})

test('README.md names each tool and each mode', () => {
  const names = [...TOOL_NAMES, ...ModeSchema.options].filter((name) =>
    !file('README.md').includes(`\`${name}\``)
  )
  expect(names).toEqual([])
})

const linksIn = (text: string): Array<string> =>
  [...text.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, path = '']) => path)

test.each(['README.md', 'CONTRIBUTING.md', ...new Bun.Glob('docs/*.md').scanSync(CHECKOUT)])(
  '%s: what it links to is there',
  (name) => {
    const folder = dirname(join(CHECKOUT, name))
    expect(linksIn(file(name)).filter((path) => !existsSync(join(folder, path)))).toEqual([])
  },
)

const [, STORY = ''] = /^```ts\n([\s\S]*?)^```$/m.exec(file('CONTRIBUTING.md')) ?? []

// Runs with the stories of this file, as if it stood in a folder of test/.
const pasted = join(scratchFolder(), 'pasted.ts')
writeFileAt(pasted, STORY.replaceAll("from '../", `from '${join(CHECKOUT, 'test')}/`))
await import(pasted)

test('CONTRIBUTING.md has a story', () => expect(STORY).toMatch(/^story\('/m))

const optionsIn = (text: string): Array<unknown> =>
  [...text.matchAll(/^```json\n([\s\S]*?)^```$/gm)].map(([, json = '']) => {
    const parsed = JSON.parse(json) as { plugin?: [string | [string, unknown]] }
    return parsed.plugin ? [parsed.plugin[0]].flat()[1] : parsed
  })

test('the options that are shown are right', () => {
  const shown = [...optionsIn(file('README.md')), ...optionsIn(file('docs/format-on-save.md'))]
  expect(shown.length).toBeGreaterThanOrEqual(2)
  for (const options of shown) expect(readOptions(options).faults).toEqual([])
})

test('test/timings.json names each file of tests: one that it lacks would start before the slowest', () => {
  const paths = ['test/*.test.ts', 'test/*/*.test.ts']
    .flatMap((pattern) => [...new Bun.Glob(pattern).scanSync(CHECKOUT)])
  const { files } = JSON.parse(file('test/timings.json')) as { files: Record<string, number> }
  expect(Object.keys(files).toSorted()).toEqual(paths.toSorted())
})
