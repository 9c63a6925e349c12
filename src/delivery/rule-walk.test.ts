/** Tests which links in a rule folder are followed: in a project's, only some, because a stranger may have made it. */
import { expect, test } from 'bun:test'
import { linkSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { ruleProjects } from '../../test/harness/rule-projects.ts'

const rulesOf = ruleProjects()

const NOT_ALLOWED = 'a link may lead only to .md and .mdc files of the project that git does not ignore'

/** The links in a project's rule folder. A target is relative to `root`, the folder that contains the project, `w`. */
const LINKS: Array<[name: string, target: string, fault: string | null]> = [
  // Followed.
  ['linked', 'w/elsewhere', null],
  // Allowed, but what they lead to is in the rule folder, so it is read anyway.
  ['again.md', 'w/.opencode/rules/a.md', null],
  ['loop', 'w/.opencode/rules', null],
  ['dangling.md', 'nowhere.md', 'no such file'],
  // No visible Markdown file, or in `.git`.
  ['dot.md', 'w/.env.md', NOT_ALLOWED],
  ['env.md', 'w/.env', NOT_ALLOWED],
  ['git.md', 'w/.git/config', NOT_ALLOWED],
  ['gitfolder', 'w/.git', NOT_ALLOWED],
  // Ignored by git.
  ['ignored.md', 'w/elsewhere/secret.md', NOT_ALLOWED],
  // Outside the project.
  ['notes.md', 'notes.md', NOT_ALLOWED],
  ['root', '.', NOT_ALLOWED],
]

test("a project's links may lead only to its folders and its visible, not ignored Markdown", async () => {
  const { root, ruleFolder, write, names, faults } = rulesOf({}, {
    'a.md': 'A',
    'w/elsewhere/shared.md': 'S',
    'w/elsewhere/secret.md': 'SECRET',
    'w/.gitignore': 'secret.md\n',
    'w/.env': 'SECRET',
    'w/.env.md': 'SECRET',
  })
  Bun.spawnSync(['git', 'init', '-q'], { cwd: join(root, 'w') })
  write('notes.md', 'SECRET')
  for (const [name, target] of LINKS) symlinkSync(join(root, target), join(ruleFolder, name))
  expect((await names()).sort()).toEqual(['a: A', 'linked/shared: S'])
  // The link to the folder is followed, but the ignored file in the folder is left out.
  const faulty = [...LINKS.filter(([, , fault]) => fault !== null), ['linked/secret.md', '', NOT_ALLOWED]]
  const expected = faulty.map(([name, , fault]) => `…/.opencode/rules/${name}: ${fault}`)
  expect(await faults()).toEqual(expected.toSorted())
})

test('a link to a folder with thousands of files is not followed; other rules are read', async () => {
  const { root, write, names, faults } = rulesOf({}, { 'a.md': 'A', 'z/b.md': 'B' })
  write('w/many/a.md', 'X')
  for (let index = 0; index < 4_998; index++) {
    linkSync(join(root, 'w/many/a.md'), join(root, `w/many/${index}.md`))
  }
  symlinkSync(join(root, 'w/many'), join(root, 'w/.opencode/rules/many'))
  expect(await names()).toEqual(['a: A', 'z/b: B'])
  expect((await faults()).join()).toMatch(/rules\/many: a rule folder has at most 5000 entries$/)
})

test("the person's own rules may be links to anywhere, as dotfile managers create them", async () => {
  const { root, write, names } = rulesOf({ 'a.md': 'A' }, {})
  write('store/x1-style', 'STYLE')
  write('store/more/b.md', 'B')
  symlinkSync(join(root, 'store/x1-style'), join(root, 'config/rules/style.md'))
  symlinkSync(join(root, 'store/more'), join(root, 'config/rules/more'))
  expect(await names()).toEqual(['a: A', 'more/b: B', 'style: STYLE'])
})
