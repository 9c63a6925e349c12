/**
 * Layouts: projects of instruction files, whose configs name these files in many ways. In each, the files that the host
 * (OpenCode) loads are compared with those that the tool discover-rules shows. See `discovery.test.ts`.
 */
import { expect } from 'bun:test'
import { realpathSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { CHECKOUT, type Host, type Session } from '../harness/host.ts'
import { textOf } from '../harness/model.ts'
import { DISCOVER } from './calls.ts'

/** Splits a text at its blanks and line breaks. */
const wordsOf = (text: string): Array<string> => text.trim().split(/\s+/)

// The files of every layout.
const FILES = [
  ...wordsOf(`AGENTS.md a/AGENTS.md a/b/AGENTS.md CLAUDE.md a/CLAUDE.md CONTEXT.md a/b/CONTEXT.md agents.md
    x.md a/x.md a/b/x.md X.MD rules/two.md rules/one.md rules/.hidden.md rules/deep/three.md a/rules/four.md
    .dots/five.md env.md app/[id]/AGENTS.md`),
  'it, too.md',
]

const LINKS = { 'a/link.md': '../x.md', linked: 'rules', 'nowhere.md': 'missing.md' }

// Entries of "instructions"; `<root>` stands for the project. Without a repository, the host looks for an entry also in
// every folder above the project, up to the root of the disk. These entries match nothing there.
const PLAIN_ENTRIES = [
  ...wordsOf(`x.md ./x.md X.md a/link.md rules/one.md rules/*.md rules/{two,one}.md rules/../x.md rules/ rules
    linked .dots/*.md {env:HOME}/home.md {file:entry.txt} <root>/x.md <root>/rules/*.md <root>/*/x.md
    <root>/rules/**/*.md <root>/{rules,a}/one.md <root>/.dots/five.md <root>/linked/*.md
    ~/home.md ~/homes/*.md ~/*/h1.md ~ missing.md nowhere.md app/[id]/AGENTS.md`),
  ...['it, too.md', 'http://127.0.0.1:9/x.md', ''],
]

// These entries might match files above the project, so they are only used in a repository.
const WIDE_ENTRIES = wordsOf(`*.md **/*.md **/x.md rules/**/*.md {x,env}.md [x].md x.m? !(x).md @(x|env).md
  ../x.md */rules/*.md linked/*.md .*/*.md`)

/** Whether the host always loads the files of an entry in the same order. */
const hasFixedOrder = (entry: string): boolean => {
  // The files of `{a,b}.md`, `**/x.md` and `*/x.md` come in the order in which the disk lists them.
  const comesInDiskOrder = /\*\*|\*\/|\{.*,/.test(entry)
  // In an absolute entry, the host expands only the last part: the other parts are names.
  const isAbsolute = /^(?:<root>|~)/.test(entry)
  return isAbsolute || !comesInDiskOrder
}
export const ORDERED_ENTRIES = PLAIN_ENTRIES.filter(hasFixedOrder)

type Layout = {
  git: boolean
  /** The folder of the session, in the project. */
  directory: string
  /** The path of the config, whose "instructions" are `entries`; default: no config. */
  config?: string
  entries: Array<string>
}

export const LAYOUTS: Array<Layout> = [
  { git: true, directory: 'a/b', config: '.opencode/opencode.jsonc', entries: WIDE_ENTRIES },
  { git: true, directory: 'a', config: 'opencode.json', entries: [...PLAIN_ENTRIES, ...WIDE_ENTRIES] },
  { git: true, directory: '', config: 'opencode.jsonc', entries: ORDERED_ENTRIES },
  { git: false, directory: '', config: '.opencode/opencode.json', entries: ORDERED_ENTRIES },
  { git: true, directory: 'a/b', entries: [] },
]

/** The local files that the host loads into the system prompt, and those that discover-rules shows in its answer. */
type Comparison = { loaded: Array<string>; found: Array<string>; answer: string }

/** Calls discover-rules in a session; returns what the host loads and what the answer shows. */
export const discoverIn = async (session: Session): Promise<Comparison> => {
  const { requests: [request], outputs: [answer = ''] } = await session.turn('Which rules?', DISCOVER)
  const prompt = request!.messages.filter(({ role }) => role === 'system').map(textOf).join('\n')
  const loaded = [...prompt.matchAll(/^Instructions from: (\/.*)$/gm)].map(([, path = '']) => path)
  const sections = answer.split('\n\n---\n\n').filter((section) => section.startsWith('## '))
  // The host sends a linked file under each of its names; discover-rules shows it once, under the first name.
  const firstName = (path: string) => loaded.find((other) => realpathSync(other) === realpathSync(path))
  return {
    loaded: loaded.filter((path) => path === firstName(path)),
    found: sections.map((section) => section.slice(3, section.indexOf('\n'))),
    answer,
  }
}

/** Expects both lists to have the same files, in any order. A failure shows `label` and the answer. */
export const expectSame = ({ loaded, found, answer }: Comparison, label: unknown): void =>
  expect({ label, answer, found: found.toSorted() }).toEqual({ label, answer, found: loaded.toSorted() })

// A plugin file that loads SAT in every layout, whatever its config.
const PLUGIN_FILE = `export { default } from ${JSON.stringify(join(CHECKOUT, 'index.js'))}`

// What is removed before each comparison: nothing, each AGENTS.md, each CLAUDE.md. Of each project, the host loads only
// the files of one name: AGENTS.md, else CLAUDE.md, else CONTEXT.md.
const REMOVALS = [/^$/, /AGENTS/, /CLAUDE/]

/** Creates the project of a layout; compares the files after each removal. The host reads the disk for each request. */
export const playLayout = async (host: Host, { git, directory, config, entries }: Layout) => {
  const project = host.project({
    git,
    files: {
      ...Object.fromEntries(FILES.map((path) => [path, `This is ${path}.\n`])),
      '.opencode/plugin/sat.js': PLUGIN_FILE,
    },
    config: { plugin: [] },
  })
  for (const [path, target] of Object.entries(LINKS)) symlinkSync(target, project.path(path))
  if (config !== undefined) {
    const text = JSON.stringify({ instructions: entries })
    project.write(config, text.replaceAll('<root>', project.directory))
    project.write(join(dirname(config), 'entry.txt'), 'a/x.md')
  }
  const session = await host.project({ directory: project.path(directory) }).session()
  const comparisons: Array<Comparison> = []
  for (const removal of REMOVALS) {
    for (const path of FILES.filter((path) => removal.test(path))) rmSync(project.path(path))
    comparisons.push(await discoverIn(session))
  }
  return comparisons
}
