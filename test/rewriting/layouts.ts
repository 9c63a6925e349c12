/** Layouts for `discovery.test.ts`: projects whose configs name instruction files in many ways. */
import { expect } from 'bun:test'
import { realpathSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { CHECKOUT, type Host, type Session } from '../harness/host.ts'
import { textOf } from '../harness/model.ts'
import { DISCOVER } from './calls.ts'

const wordsOf = (text: string): Array<string> => text.trim().split(/\s+/)

const FILES = [
  ...wordsOf(`AGENTS.md a/AGENTS.md a/b/AGENTS.md CLAUDE.md a/CLAUDE.md CONTEXT.md a/b/CONTEXT.md agents.md
    x.md a/x.md a/b/x.md X.MD rules/two.md rules/one.md rules/.hidden.md rules/deep/three.md a/rules/four.md
    .dots/five.md env.md app/[id]/AGENTS.md`),
  'it, too.md',
]

const LINKS = { 'a/link.md': '../x.md', linked: 'rules', 'nowhere.md': 'missing.md' }

// Entries of "instructions", where `<root>` stands for the project's folder.
const PLAIN_ENTRIES = [
  ...wordsOf(`x.md ./x.md X.md a/link.md rules/one.md rules/*.md rules/{two,one}.md rules/../x.md rules/ rules
    linked .dots/*.md {env:HOME}/home.md {file:entry.txt} <root>/x.md <root>/rules/*.md <root>/*/x.md
    <root>/rules/**/*.md <root>/{rules,a}/one.md <root>/.dots/five.md <root>/linked/*.md
    ~/home.md ~/homes/*.md ~/*/h1.md ~ missing.md nowhere.md app/[id]/AGENTS.md`),
  ...['it, too.md', 'http://127.0.0.1:9/x.md', ''],
]

// Without a repository, the host also looks above the project, so only layouts with a repository use these.
const WIDE_ENTRIES = wordsOf(`*.md **/*.md **/x.md rules/**/*.md {x,env}.md [x].md x.m? !(x).md @(x|env).md
  ../x.md */rules/*.md linked/*.md .*/*.md`)

// Leaves out the entry whose files the host loads in the order in which the disk lists them.
export const ORDERED_ENTRIES = PLAIN_ENTRIES.filter((entry) => entry !== 'rules/{two,one}.md')

export const LAYOUTS = [
  { git: true, directory: 'a/b', config: '.opencode/opencode.jsonc', entries: WIDE_ENTRIES },
  { git: true, directory: 'a', config: 'opencode.json', entries: [...PLAIN_ENTRIES, ...WIDE_ENTRIES] },
  { git: true, directory: '', config: 'opencode.jsonc', entries: ORDERED_ENTRIES },
  { git: false, directory: '', config: '.opencode/opencode.json', entries: ORDERED_ENTRIES },
  { git: true, directory: 'a/b', config: null, entries: [] },
]

/** Returns which files the host loads, and which files discover-rules shows. */
export const discoverIn = async (session: Session) => {
  const { requests: [request], outputs: [answer = ''] } = await session.turn('Which rules?', DISCOVER)
  const prompt = request!.messages.filter(({ role }) => role === 'system').map(textOf).join('\n')
  const loaded = [...prompt.matchAll(/^Instructions from: (\/.*)$/gm)].map(([, path = '']) => path)
  const sections = answer.split('\n\n---\n\n').filter((section) => section.startsWith('## '))
  // The host sends a linked file under each of its names.
  const firstName = (path: string) => loaded.find((other) => realpathSync(other) === realpathSync(path))
  return {
    loaded: loaded.filter((path) => path === firstName(path)),
    found: sections.map((section) => section.slice(3, section.indexOf('\n'))),
    answer,
  }
}

type Comparison = Awaited<ReturnType<typeof discoverIn>>

export const expectSame = ({ loaded, found, answer }: Comparison, label: string): void =>
  expect(found.toSorted(), `${label}\n${answer}`).toEqual(loaded.toSorted())

const PLUGIN_FILE = `export { default } from ${JSON.stringify(join(CHECKOUT, 'index.js'))}`

// The host loads the files of only one name: AGENTS.md, else CLAUDE.md, else CONTEXT.md.
const REMOVALS = [/^$/, /AGENTS/, /CLAUDE/]

/** Returns the loaded and the shown files of a layout after each removal. */
export const playLayout = async (host: Host, layout: (typeof LAYOUTS)[number]) => {
  const { git, directory, config, entries } = layout
  const texts = Object.fromEntries(FILES.map((path) => [path, `This is ${path}.\n`]))
  const files = { ...texts, '.opencode/plugin/sat.js': PLUGIN_FILE }
  const project = host.project({ git, files, config: { plugin: [] } })
  for (const [path, target] of Object.entries(LINKS)) symlinkSync(target, project.path(path))
  if (config !== null) {
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
