/** A project with permissions, shared by `permissions.test.ts` and `parallel-calls.test.ts`. */
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { CHECKOUT, type Project, sharedHost, writeInto } from '../harness/host.ts'

// Each file in these lists is used by only one story.
export const PARTLY_DENIED = ['kept/a.md', 'kept/b.md', 'kept/c.md']
// The first name ends in a space.
export const ASKED_ABOUT = ['ask/new/rules.md ', 'ask/b.md'] as const
export const LEFT_OPEN = ['ask/open/a.md', 'ask/open/b.md', 'ask/open/c.md', 'ask/open/d.md'] as const
export const SOURCE_FILE = 'ask/open/source.md'
export const LARGE_FILES = Array.from({ length: 30 }, (_, index) => `rules/${10 + index}.md`)

const EDITED = [...PARTLY_DENIED, ...ASKED_ABOUT, ...LEFT_OPEN, 'child.md']

const FILES = {
  ...Object.fromEntries(EDITED.map((path) => [path, 'old\n'])),
  ...Object.fromEntries(LARGE_FILES.map((path) => [path, `${path} `.padEnd(10_000, 'word ')])),
  [SOURCE_FILE]: 'Be old!\n',
  'AGENTS.md': 'inside\n',
  '.env': 'TOKEN=1\n',
  'notes.md': 'some notes\n',
  'one/deep/one.md': 'one\n',
  'docs/two.md': 'two\n',
}

const SECRETS = { 'secret.md': 'the secret\n', 'deep/secret.md': 'the deep secret\n' }

export const folderBeside = ({ directory }: Project, name: string): string => `${directory}-${name}`

const makeProject = async (): Promise<Project> => {
  const project = (await sharedHost()).project({ files: FILES, git: true })
  const [asked, denied] = [folderBeside(project, 'asked'), folderBeside(project, 'denied')]
  for (const folder of [asked, denied]) writeInto(folder, { ...SECRETS, 'loaded.md': 'the loaded words\n' })
  const links = {
    asked,
    denied,
    'secret-link.md': join(asked, 'secret.md'),
    'loaded-link.md': join(asked, 'loaded.md'),
    'notes-link.md': 'notes.md',
    'zero.md': '/dev/zero',
  }
  for (const [path, target] of Object.entries(links)) symlinkSync(target, project.path(path))
  const config = {
    plugin: [CHECKOUT],
    instructions: [...EDITED, SOURCE_FILE, join(denied, 'loaded.md'), join(asked, 'loaded.md')],
    permission: {
      // A `*` here would override the plan agent's rule, which denies all edits.
      edit: { 'ask/*': 'ask', 'kept/b.md': 'deny' },
      external_directory: { '*': 'allow', '*-asked*': 'ask', '*-denied*': 'deny' },
      read: { '*.env': 'deny', 'notes-link.md': 'deny' },
    },
  }
  project.write('opencode.json', JSON.stringify(config))
  return project
}

let shared: Promise<Project> | undefined

export const guardedProject = (): Promise<Project> => (shared ??= makeProject())
