/** Checks the parts, examples, links and options of the documents. */
import { expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { OptionsSchema } from '../../src/host/options.ts'
import { readOptions } from '../../src/host/read-options.ts'
import { ModeSchema } from '../../src/rule-schema.ts'
import { DESCRIPTIONS } from '../../src/tools/descriptions.ts'
import { DRAFT, RULE } from '../demo/script.ts'
import { CHECKOUT, sharedHost } from '../harness/host.ts'
import { inProcess } from '../harness/in-process.ts'
import { scratchFolder, writeFileAt } from '../harness/scratch.ts'
import { story } from '../harness/story.ts'

// A call, such as `discover-rules {"files": "a.md"}`, and its answer.
const EXAMPLE = /^```\n([a-z]+-[a-z]+) (\{.*\})\n([\s\S]*?)\n```$/gm

const toPattern = (text: string): RegExp =>
  new RegExp(`^${text.split('…').map((part) => RegExp.escape(part)).join('[\\s\\S]*?')}$`)

const read = (name: string) => readFileSync(join(CHECKOUT, name), 'utf8')

story('docs/tools.md has a section for each tool, and an example with the real answer', async () => {
  const text = read('docs/tools.md')
  const examples = [...text.matchAll(EXAMPLE)]
  const calls = examples.map(([, tool = '', args = '']) => ({ tool, args: JSON.parse(args) as unknown }))
  const sections = [...text.matchAll(/^## ([a-z]+-[a-z]+)$/gm)].map(([, name = '']) => name)
  expect(sections).toEqual(Object.keys(DESCRIPTIONS))
  expect(calls.map(({ tool }) => tool)).toEqual(sections)
  const files = { 'AGENTS.md': read('examples/messy-project/AGENTS.md') }
  const project = (await inProcess()).project({ files })
  const { outputs } = await (await project.session()).turn('go', ...calls)
  examples.forEach(([, , , answer = ''], at) => expect(outputs[at]?.trimEnd()).toMatch(toPattern(answer)))
})

const OPENING = /^# SAT\n+SAT is [^]*\n!\[.*\]\(docs\/panel\.svg\)\n[^]*\n- \*\*Rules stay[^]*\n## Install\n/
const FIRST_RULE =
  /\necho .* > \.opencode\/rules\/[^]*\nforbid: [^]*\nWhat was just written[^]*\nNothing is refused[^]*\n## Commands\n/
const SECTIONS =
  'sat, install, your-first-rule, commands, your-formatter, what-sat-never-does, update-and-uninstall, try-it'

test('README.md has at most 800 words, and its parts are in order', () => {
  const text = read('README.md')
  expect(text.split(/\s+/).filter(Boolean).length).toBeLessThanOrEqual(800)
  expect(text).toMatch(OPENING)
  expect(text).toMatch(FIRST_RULE)
  expect(headingsOf(join(CHECKOUT, 'README.md')).join(', ')).toBe(SECTIONS)
})

const [, ANSWER = ''] = /^```\n(Wrote [\s\S]*?)^```$/m.exec(read('README.md')) ?? []

test('docs/panel.svg (drawn by test/demo/picture.ts) and README.md show the same answer to a call', () => {
  // The picture names the file `cart.ts` instead of `draft.ts`.
  const drawn = read('docs/panel.svg').replace(/<[^>]+>|\s/g, '')
  const shown = [...ANSWER.replace('draft.ts', 'cart.ts').split('\n'), '! exports src/cart.ts:1']
  expect(shown.filter((line) => !drawn.includes(line.replace(/\s/g, '')))).toEqual([])
})

story('a call that breaks the first rule in README.md gets the answer that README.md shows', async () => {
  const [, rule = ''] = /^```markdown\n(---\n[\s\S]*?)^```$/m.exec(read('README.md')) ?? []
  expect(rule).toBe(RULE)
  const files = { '.opencode/rules/exports.md': rule, 'src/limits.ts': '\n' }
  const project = (await sharedHost()).project({ files })
  const { outputs } = await (await project.session()).turn(
    'go',
    { tool: 'read', args: { filePath: project.path('src/limits.ts') } },
    { tool: 'write', args: { filePath: project.path('src/draft.ts'), content: DRAFT } },
    'Done.',
  )
  expect(outputs[1]?.trimEnd()).toBe(ANSWER.trimEnd())
})

test('docs/tools.md names each mode, and docs/options.md names each option and its keys', () => {
  for (const mode of ModeSchema.options) expect(read('docs/tools.md')).toContain(`\`${mode}\``)
  const innerKeys = ['command', 'ok', 'when', 'directories', 'before_write', 'checks']
  for (const key of [...Object.keys(OptionsSchema.shape), ...innerKeys]) {
    expect(read('docs/options.md')).toContain(`\`${key}\``)
  }
})

const headingsOf = (path: string): Array<string> =>
  [...readFileSync(path, 'utf8').matchAll(/^#+ (.*)$/gm)]
    .map(([, words = '']) => words.toLowerCase().replace(/[^\p{L}\p{N}_ -]/gu, '').replaceAll(' ', '-'))

const LINK = /\]\((?!https?:)([^)#]*)#?([^)]*)\)/g

const PAGES = ['README.md', 'CONTRIBUTING.md', ...new Bun.Glob('docs/*.md').scanSync(CHECKOUT)]

test.each(PAGES)('%s: each link has a target', (name) => {
  const broken = [...read(name).matchAll(LINK)].filter(([, path = '', heading = '']) => {
    const target = path === '' ? join(CHECKOUT, name) : join(CHECKOUT, dirname(name), path)
    return !existsSync(target) || heading !== '' && !headingsOf(target).includes(heading)
  })
  expect(broken.map(([link]) => link)).toEqual([])
})

const [, STORY = ''] = /^```ts\n([^`]*^story\('[^]*?)^```$/m.exec(read('CONTRIBUTING.md'))!

// Importing this copy of the story in CONTRIBUTING.md runs the story as a test.
const pasted = join(scratchFolder(), 'pasted.ts')
writeFileAt(pasted, STORY.replaceAll("from '../", `from '${join(CHECKOUT, 'test')}/`))
await import(pasted)

/** A JSON block contains only SAT's options, or a config with SAT's options. */
const optionsIn = (text: string): Array<unknown> =>
  [...text.matchAll(/^```json\n([\s\S]*?)^```$/gm)].map(([, json = '']) => {
    const parsed = JSON.parse(json) as { plugin?: [entry: [path: string, options: unknown]] }
    return parsed.plugin ? parsed.plugin[0][1] : parsed
  })

test('the options in docs/options.md and docs/format-on-save.md are valid', () => {
  const shown = ['docs/options.md', 'docs/format-on-save.md'].flatMap((name) => optionsIn(read(name)))
  expect(shown.length).toBeGreaterThanOrEqual(6)
  for (const options of shown) expect(readOptions(options).faults).toEqual([])
})

test('test/timings.json names each test file', () => {
  const paths = ['test/*.test.ts', 'test/*/*.test.ts'].flatMap((
    glob,
  ) => [...new Bun.Glob(glob).scanSync(CHECKOUT)])
  const { files } = JSON.parse(read('test/timings.json')) as { files: Record<string, number> }
  expect(Object.keys(files).toSorted()).toEqual(paths.toSorted())
})
