/** Project layouts for the host's instruction files: drawn from a fixed seed, so that each run sees the same. */
import { expect } from 'bun:test'
import fc from 'fast-check'
import { realpathSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { CHECKOUT, type Host, type Project, type Session } from '../harness/host.ts'
import { callsIn, type ModelRequest, textOf } from '../harness/model.ts'
import { DISCOVER } from './writer-calls.ts'

/** Which files stand in the project while one turn is played; the text of each, or what it is a link to. */
export type DiskState = Record<string, string | { link: string }>

export type Layout = {
  git: boolean
  /** Where the session is, relative to the project. */
  directory: string
  /** The config's path and its text; `<root>` in it stands for the project's directory. */
  config: { path: string; text: string } | null
  /** The `instructions` of that config. */
  entries: Array<string>
  states: Array<DiskState>
}

// Names with a blank stand on a line of their own.
const listOf = (words: string): Array<string> =>
  words.split('\n').flatMap((line) => line.includes(', ') ? [line.trim()] : line.split(' ').filter(Boolean))

const FILES = listOf(`
  AGENTS.md a/AGENTS.md a/b/AGENTS.md CLAUDE.md a/CLAUDE.md CONTEXT.md a/b/CONTEXT.md agents.md
  x.md a/x.md a/b/x.md X.MD rules/two.md rules/one.md rules/.hidden.md rules/deep/three.md
  a/rules/four.md .dots/five.md env.md
  it, too.md
  app/[id]/AGENTS.md`)

const LINKS: DiskState = {
  'a/link.md': { link: '../x.md' },
  'linked': { link: 'rules' },
  'nowhere.md': { link: 'missing.md' },
  'AGENTS.md': { link: 'x.md' },
}

// Without a repository the host looks in every folder up to the root of the disk: only names that are ours.
const PLAIN_ENTRIES = [
  ...listOf(`
  x.md ./x.md X.md a/link.md rules/one.md rules/*.md rules/{two,one}.md rules/../x.md rules/ rules linked
  .dots/*.md {env:HOME}/home.md {file:entry.txt} <root>/x.md <root>/rules/*.md <root>/*/x.md
  <root>/rules/**/*.md <root>/{rules,a}/one.md <root>/.dots/five.md <root>/linked/*.md
  ~/home.md ~/homes/*.md ~/*/h1.md ~ missing.md nowhere.md
  it, too.md
  app/[id]/AGENTS.md http://127.0.0.1:9/x.md`),
  '',
]

const WIDE_ENTRIES = listOf(
  '*.md **/*.md **/x.md rules/**/*.md {x,env}.md [x].md x.m? !(x).md @(x|env).md ../x.md */rules/*.md linked/*.md .*/*.md',
)

const CONFIGS = [
  'opencode.json',
  'opencode.jsonc',
  'a/opencode.json',
  '.opencode/opencode.json',
  '.opencode/opencode.jsonc',
]

const toConfig = (entries: Array<string>, isJsonc: boolean): string =>
  isJsonc
    ? `{ // what to load\n  "instructions": [${
      entries.map((entry) => `${JSON.stringify(entry)}, /* , */`).join('\n')
    }],\n}`
    : JSON.stringify({ instructions: entries })

const STATES = 3

const stateOf = fc.tuple(
  fc.subarray(FILES, { minLength: 9 }),
  fc.subarray(Object.keys(LINKS)),
  fc.nat(12),
).map(([files, links, empty]): DiskState => ({
  ...Object.fromEntries(files.map((path, index) => [path, index === empty ? '' : `This is ${path}.\n`])),
  ...Object.fromEntries(links.map((path) => [path, LINKS[path]!])),
}))

const layoutOf = fc.record({
  git: fc.integer({ min: 0, max: 3 }).map((draw) => draw > 0),
  directory: fc.constantFrom('', 'a', 'a/b'),
  path: fc.option(fc.constantFrom(...CONFIGS), { freq: 6 }),
  plain: fc.subarray(PLAIN_ENTRIES, { minLength: 4, maxLength: 12 }),
  wide: fc.oneof(fc.constant([]), fc.subarray(WIDE_ENTRIES, { maxLength: 4 })),
  isTwice: fc.boolean(),
  isJsonc: fc.boolean(),
  states: fc.array(stateOf, { minLength: STATES, maxLength: STATES }),
}).map(({ git, directory, path, plain, wide, isTwice, isJsonc, states }): Layout => {
  const entries = [...(git ? wide : []), ...plain, ...(isTwice ? plain.slice(0, 1) : [])]
  return {
    git,
    directory,
    config: path === null ? null : { path, text: toConfig(entries, isJsonc) },
    entries,
    states,
  }
})

/** As many layouts as asked for, each with its states of the disk. Of many seeds this one's first four hold the most. */
export const drawLayouts = (amount: number): Array<Layout> =>
  fc.sample(layoutOf, { numRuns: amount, seed: 4_660 })

/** What a request showed: the local files in the system prompt, the sections of discover-rules, its whole answer. */
export type Comparison = { loaded: Array<string>; found: Array<string>; answer: string }

const firstOfEach = (paths: Array<string>): Array<string> => {
  const seen = new Set<string>()
  return paths.filter((path) => {
    const real = realpathSync(path)
    return !seen.has(real) && seen.add(real)
  })
}

/** Compares what the host sent with a request to what discover-rules found while the disk was the same. */
const compare = (request: ModelRequest, answer: string): Comparison => {
  const prompt = request.messages.filter(({ role }) => role === 'system').map(textOf).join('\n')
  const sections = answer.split('\n\n---\n\n').filter((section) => section.startsWith('## '))
  const pathOf = (section: string): string => section.slice(3, section.indexOf('\n'))
  const isEmpty = (section: string): boolean => section.endsWith('(This file is empty.)')
  return {
    // The same file by two names is sent twice by the host, and is one file to an editor.
    loaded: firstOfEach([...prompt.matchAll(/^Instructions from: (\/.*)$/gm)].map((match) => match[1]!)),
    found: sections.filter((section) => !isEmpty(section)).map(pathOf),
    answer,
  }
}

export const discoverIn = async (session: Session): Promise<Comparison> => {
  const { requests, outputs } = await session.turn('Which rules are there?', DISCOVER)
  return compare(requests[0]!, outputs[0]!)
}

/** Expects the host and discover-rules to know the same files, in any order. */
export const expectSame = ({ loaded, found, answer }: Comparison, what: unknown): void => {
  expect({ what, answer, found: found.toSorted() }).toEqual({ what, answer, found: loaded.toSorted() })
}

const put = (project: Project, state: DiskState): void => {
  for (const path of [...FILES, ...Object.keys(LINKS)]) {
    rmSync(project.path(path), { force: true, recursive: true })
  }
  for (const [path, content] of Object.entries(state)) {
    if (typeof content === 'string') project.write(path, content)
    else symlinkSync(content.link, project.path(path))
  }
}

// Whichever of the configs is read, and whatever stands in it.
const LOADED = `export { default } from ${JSON.stringify(join(CHECKOUT, 'index.js'))}`

/** Plays a turn with a call for each of a layout's states; the host reads the disk again for each request. */
export const playLayout = async (host: Host, layout: Layout): Promise<Array<Comparison>> => {
  const { git, directory, config, states } = layout
  const project = host.project({
    git,
    files: { 'a/b/code.ts': '', '.opencode/plugin/sat.js': LOADED },
    config: { plugin: [] },
  })
  if (config !== null) {
    project.write(config.path, config.text.replaceAll('<root>', project.directory))
    project.write(join(dirname(config.path), 'entry.txt'), 'a/x.md')
  }
  const session = await host.project({ directory: project.path(directory) }).session()
  const compared: Array<Comparison> = []
  const steps = [...states, undefined].map((state, index) => (request: ModelRequest) => {
    // While the files are there of which both tell.
    if (index > 0) compared.push(compare(request, callsIn(request).at(-1)!.output))
    if (state === undefined) return 'Done.'
    put(project, state)
    return DISCOVER
  })
  await session.turn('Which rules are there?', ...steps)
  return compared
}
