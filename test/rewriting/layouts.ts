/** Layouts of instruction files, and a comparison of what the host loads with what discover-rules shows. */
import { expect } from 'bun:test'
import { realpathSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { CHECKOUT, type Host, type Session } from '../harness/host.ts'
import { callsIn, type ModelRequest, textOf } from '../harness/model.ts'
import { DISCOVER } from './writer-calls.ts'

// A line that contains `, ` is one name; elsewhere, blanks separate names.
const listOf = (words: string): Array<string> =>
  words.split('\n').flatMap((line) => line.includes(', ') ? [line.trim()] : line.split(' ').filter(Boolean))

const FILES = listOf(`
  AGENTS.md a/AGENTS.md a/b/AGENTS.md CLAUDE.md a/CLAUDE.md CONTEXT.md a/b/CONTEXT.md agents.md
  x.md a/x.md a/b/x.md X.MD rules/two.md rules/one.md rules/.hidden.md rules/deep/three.md
  a/rules/four.md .dots/five.md env.md
  it, too.md
  app/[id]/AGENTS.md`)

const LINKS = { 'a/link.md': '../x.md', linked: 'rules', 'nowhere.md': 'missing.md' }

// Without a repository, the host also looks in every folder above the project, up to the root of the disk, so these
// entries must match nothing there.
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

/** The folder of the session, in a repository or not, and the path and entries of its config; `<root>` is the project. */
type Layout = { git: boolean; directory: string; config?: string; entries: Array<string> }

// Files that braces or a folder wildcard match come in the disk's order, in the host too. Only the other entries, and
// those from `<root>` or `~`, are compared in order.
export const ORDERED = PLAIN_ENTRIES.filter((entry) => /^[<~]/.test(entry) || !/\*\*|\*\/|\{.*,/.test(entry))

export const LAYOUTS: Array<Layout> = [
  { git: true, directory: 'a/b', config: '.opencode/opencode.jsonc', entries: WIDE_ENTRIES },
  { git: true, directory: 'a', config: 'opencode.json', entries: [...PLAIN_ENTRIES, ...WIDE_ENTRIES] },
  { git: true, directory: '', config: 'opencode.jsonc', entries: ORDERED },
  { git: false, directory: '', config: '.opencode/opencode.json', entries: ORDERED },
  { git: true, directory: 'a/b', entries: [] },
]

// All files; without AGENTS.md; without AGENTS.md and CLAUDE.md.
const STATES = [/^/, /^(?!.*AGENTS)/, /^(?!.*(?:AGENTS|CLAUDE))/]
  .map((pattern) => [...FILES, ...Object.keys(LINKS)].filter((path) => pattern.test(path)))

const toConfig = (entries: Array<string>, isJsonc: boolean): string =>
  isJsonc
    ? `{ // what to load\n  "instructions": [${
      entries.map((entry) => `${JSON.stringify(entry)}, /* , */`).join('\n')
    }],\n}`
    : JSON.stringify({ instructions: entries })

/** The local files in the system prompt of a request, and the sections of discover-rules. */
type Comparison = { loaded: Array<string>; found: Array<string>; answer: string }

const firstOfEach = (paths: Array<string>): Array<string> => {
  const seenPaths = new Set<string>()
  return paths.filter((path) => {
    const real = realpathSync(path)
    return !seenPaths.has(real) && seenPaths.add(real)
  })
}

/** Compares a request with an answer of discover-rules; the disk was the same for both. */
const compare = (request: ModelRequest, answer: string): Comparison => {
  const prompt = request.messages.filter(({ role }) => role === 'system').map(textOf).join('\n')
  const sections = answer.split('\n\n---\n\n').filter((section) => section.startsWith('## '))
  return {
    // The host sends a file once per name; discover-rules shows it once.
    loaded: firstOfEach([...prompt.matchAll(/^Instructions from: (\/.*)$/gm)].map((match) => match[1]!)),
    found: sections.map((section) => section.slice(3, section.indexOf('\n'))),
    answer,
  }
}

export const discoverIn = async (session: Session): Promise<Comparison> => {
  const { requests, outputs } = await session.turn('Which rules are there?', DISCOVER)
  return compare(requests[0]!, outputs[0]!)
}

export const expectSame = ({ loaded, found, answer }: Comparison, label: unknown): void =>
  expect({ what: label, answer, found: found.toSorted() }).toEqual({
    what: label,
    answer,
    found: loaded.toSorted(),
  })

// A plugin file that loads SAT in every layout, whatever its config.
const PLUGIN_FILE = `export { default } from ${JSON.stringify(join(CHECKOUT, 'index.js'))}`

/** Plays a turn with a call for each state; the host reads the disk again for each request. */
export const playLayout = async (host: Host, { git, directory, config, entries }: Layout) => {
  const project = host.project({
    git,
    files: { 'a/b/code.ts': '', '.opencode/plugin/sat.js': PLUGIN_FILE },
    config: { plugin: [] },
  })
  if (config !== undefined) {
    project.write(config, toConfig(entries, config.endsWith('c')).replaceAll('<root>', project.directory))
    project.write(join(dirname(config), 'entry.txt'), 'a/x.md')
  }
  const session = await host.project({ directory: project.path(directory) }).session()
  const compared: Array<Comparison> = []
  const steps = [...STATES, undefined].map((state, index) => (request: ModelRequest) => {
    // Before the files change.
    if (index > 0) compared.push(compare(request, callsIn(request).at(-1)!.output))
    if (state === undefined) return 'Done.'
    for (const path of [...FILES, ...Object.keys(LINKS)]) rmSync(project.path(path), { force: true })
    for (const path of state.filter((path) => FILES.includes(path))) {
      project.write(path, `This is ${path}.\n`)
    }
    for (const [path, to] of Object.entries(LINKS)) symlinkSync(to, project.path(path))
    return DISCOVER
  })
  await session.turn('Which rules are there?', ...steps)
  return compared
}
