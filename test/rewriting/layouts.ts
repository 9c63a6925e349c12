/** Layouts of instruction files, and comparisons of what the host loads with what discover-rules shows. */
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

// Entries of "instructions"; `<root>` is the project. Without a repository, the host also looks for them in every
// folder above the project, up to the root of the disk. These entries match nothing there.
const PLAIN_ENTRIES = [
  ...wordsOf(`x.md ./x.md X.md a/link.md rules/one.md rules/*.md rules/{two,one}.md rules/../x.md rules/ rules
    linked .dots/*.md {env:HOME}/home.md {file:entry.txt} <root>/x.md <root>/rules/*.md <root>/*/x.md
    <root>/rules/**/*.md <root>/{rules,a}/one.md <root>/.dots/five.md <root>/linked/*.md
    ~/home.md ~/homes/*.md ~/*/h1.md ~ missing.md nowhere.md app/[id]/AGENTS.md`),
  ...['it, too.md', 'http://127.0.0.1:9/x.md', ''],
]

// Entries that might match files above the project, so they are only used in a repository.
const WIDE_ENTRIES = wordsOf(`*.md **/*.md **/x.md rules/**/*.md {x,env}.md [x].md x.m? !(x).md @(x|env).md
  ../x.md */rules/*.md linked/*.md .*/*.md`)

/** Whether the project is a repository, the folder of the session, the path of the config, and its "instructions". */
type Layout = { git: boolean; directory: string; config?: string; entries: Array<string> }

// The entries whose files have a fixed order. Files that braces or a folder wildcard match come in the disk's order, in
// the host too, except in entries from `<root>` or `~`: only the last part of these is expanded.
export const ORDERED = PLAIN_ENTRIES.filter((entry) => /^[<~]/.test(entry) || !/\*\*|\*\/|\{.*,/.test(entry))

export const LAYOUTS: Array<Layout> = [
  { git: true, directory: 'a/b', config: '.opencode/opencode.jsonc', entries: WIDE_ENTRIES },
  { git: true, directory: 'a', config: 'opencode.json', entries: [...PLAIN_ENTRIES, ...WIDE_ENTRIES] },
  { git: true, directory: '', config: 'opencode.jsonc', entries: ORDERED },
  { git: false, directory: '', config: '.opencode/opencode.json', entries: ORDERED },
  { git: true, directory: 'a/b', entries: [] },
]

/** The local files in the system prompt of a request (`loaded`), and those that discover-rules shows (`found`). */
type Comparison = { loaded: Array<string>; found: Array<string>; answer: string }

/** Calls discover-rules in a session; returns what its answer shows, and what the request before it contains. */
export const discoverIn = async (session: Session): Promise<Comparison> => {
  const { requests: [request], outputs: [answer = ''] } = await session.turn('Which rules?', DISCOVER)
  const prompt = request!.messages.filter(({ role }) => role === 'system').map(textOf).join('\n')
  const loaded = [...prompt.matchAll(/^Instructions from: (\/.*)$/gm)].map(([, path = '']) => path)
  const sections = answer.split('\n\n---\n\n').filter((section) => section.startsWith('## '))
  // The host sends a file under each of its names; discover-rules shows it once, under the first.
  const firstNames = new Map(loaded.toReversed().map((path) => [realpathSync(path), path]))
  return {
    loaded: loaded.filter((path) => firstNames.get(realpathSync(path)) === path),
    found: sections.map((section) => section.slice(3, section.indexOf('\n'))),
    answer,
  }
}

/** Expects that the files are the same, in any order. `label` is shown if they are not. */
export const expectSame = ({ loaded, found, answer }: Comparison, label: unknown): void =>
  expect({ label, answer, found: found.toSorted() }).toEqual({ label, answer, found: loaded.toSorted() })

// A plugin file that loads SAT in every layout, whatever its config.
const PLUGIN_FILE = `export { default } from ${JSON.stringify(join(CHECKOUT, 'index.js'))}`

// The files are compared when all are there, then without each AGENTS.md, then also without each CLAUDE.md.
const REMOVED = [/^$/, /AGENTS/, /CLAUDE/]

/** Plays a turn after each removal of files. The host reads the disk again for each request. */
export const playLayout = async (host: Host, { git, directory, config, entries }: Layout) => {
  const project = host.project({
    git,
    files: {
      ...Object.fromEntries(FILES.map((path) => [path, `This is ${path}.\n`])),
      'a/b/code.ts': '',
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
  for (const removed of REMOVED) {
    for (const path of FILES.filter((path) => removed.test(path))) rmSync(project.path(path))
    comparisons.push(await discoverIn(session))
  }
  return comparisons
}
