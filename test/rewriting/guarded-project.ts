/** A project with permissions in its config, which all stories share: each has its own files. */
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { CHECKOUT, type Project, sharedHost, writeInto } from '../harness/host.ts'

export const PARTLY_DENIED = ['kept/a.md', 'kept/b.md', 'kept/c.md']
// The name of the first ends in a blank, and so do the names of its backups.
export const ASK_FIRST = ['ask/new/rules.md ', 'ask/b.md'] as const
export const LEFT_OPEN = [
  'ask/open/a.md',
  'ask/open/b.md',
  'ask/open/c.md',
  'ask/open/d.md',
  'ask/open/e.md',
] as const
const PATHS = [
  ...PARTLY_DENIED,
  ...ASK_FIRST,
  ...LEFT_OPEN,
  'at-once/rules.md',
  'at-once/more.md',
  'child.md',
]
export const LARGE_FILES = Array.from({ length: 30 }, (_, index) => `rules/${10 + index}.md`)

const FILES = {
  ...Object.fromEntries(PATHS.map((path) => [path, 'old\n'])),
  ...Object.fromEntries(LARGE_FILES.map((path) => [path, `${path} `.padEnd(10_000, 'word ')])),
  [LEFT_OPEN[4]]: 'Be old!\n',
  'AGENTS.md': 'inside\n',
  '.env': 'TOKEN=1\n',
  'notes.md': 'some notes\n',
  'one/deep/one.md': 'one\n',
  'docs/two.md': 'two\n',
}

/** Returns a folder next to a project: one that the host asks the person about, or one that it denies. */
export const folderBeside = ({ directory }: Project, name: 'asked' | 'denied'): string =>
  `${directory}-${name}`

const makeProject = async (): Promise<Project> => {
  const project = (await sharedHost()).project({ files: FILES, git: true })
  const [asked, denied] = [folderBeside(project, 'asked'), folderBeside(project, 'denied')]
  for (const folder of [asked, denied]) {
    writeInto(folder, {
      'secret.md': 'the secret\n',
      'deep/secret.md': 'the deep secret\n',
      'loaded.md': 'the loaded words\n',
    })
  }
  for (
    const [name, target] of [
      ['asked', asked],
      ['denied', denied],
      ['secret-link.md', join(asked, 'secret.md')],
      ['link.md', join(asked, 'loaded.md')],
      ['linked.md', 'notes.md'],
      ['zero.md', '/dev/zero'],
    ] as const
  ) symlinkSync(target, project.path(name))
  const config = {
    plugin: [CHECKOUT],
    instructions: [...PATHS, join(denied, 'loaded.md'), join(asked, 'loaded.md')],
    permission: {
      // Not `*`, which would apply to the plan agent, too.
      edit: { 'ask/*': 'ask', 'kept/b.md': 'deny' },
      external_directory: { '*': 'allow', '*-asked*': 'ask', '*-denied*': 'deny' },
      read: { '*.env': 'deny', 'linked.md': 'deny' },
    },
  }
  project.write('opencode.json', JSON.stringify(config))
  return project
}

let shared: Promise<Project> | undefined

/** Returns the shared project. It asks before edits in `ask/`, and has links to two folders next to it. */
export const guardedProject = (): Promise<Project> => (shared ??= makeProject())
