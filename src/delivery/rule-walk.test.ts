/** A stranger may have made a project's links, so SAT follows only some links. */
import { expect, test } from 'bun:test'
import { linkSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { ruleProjects } from '../../test/harness/rule-projects.ts'

const rulesOf = ruleProjects()

const BROKEN = 'it is a link whose target does not exist or cannot be read'
const NOT_ALLOWED = 'a link may lead only to .md and .mdc files of the project that git does not ignore'

/** A target is relative to the parent folder of the project `w`. */
const LINKS: Array<[name: string, target: string, fault: string | null]> = [
  ['linked', 'w/elsewhere', null],
  ['again.md', 'w/.opencode/rules/a.md', null],
  ['loop', 'w/.opencode/rules', null],
  ['broken-folder', 'nowhere', BROKEN],
  ['broken.json', 'nowhere.json', BROKEN],
  ['broken.md', 'nowhere.md', BROKEN],
  ['dot.md', 'w/.env.md', NOT_ALLOWED],
  ['env.md', 'w/.env', NOT_ALLOWED],
  ['git.md', 'w/.git/config', NOT_ALLOWED],
  ['gitfolder', 'w/.git', NOT_ALLOWED],
  ['ignored-by-git.md', 'w/elsewhere/secret.md', NOT_ALLOWED],
  ['outside.md', 'notes.md', NOT_ALLOWED],
  ['outside-folder', '.', NOT_ALLOWED],
  ['picture.png', 'w/picture.png', null],
  ['to-itself.md', 'w/.opencode/rules/to-itself.md', BROKEN],
]

test('links of a project may lead only to its folders, and to its Markdown files that are neither hidden nor ignored', async () => {
  const { root, ruleFolder, write, texts, faults } = rulesOf({ 'outside.md': 'replaced' }, {
    'a.md': 'A',
    'w/picture.png': '',
    'w/elsewhere/shared.md': 'S',
    'w/elsewhere/secret.md': 'SECRET',
    'w/.gitignore': 'secret.md\n',
    'w/.env': 'SECRET',
    'w/.env.md': 'SECRET',
  })
  Bun.spawnSync(['git', 'init', '-q'], { cwd: join(root, 'w') })
  write('notes.md', 'SECRET')
  for (const [name, target] of LINKS) symlinkSync(join(root, target), join(ruleFolder, name))
  expect((await texts()).sort()).toEqual(['a: A', 'linked/shared: S'])
  const lineOf = (name: string, fault: string) => `…/.opencode/rules/${name}: ${fault}`
  const expected = LINKS.flatMap(([name, , fault]) => fault === null ? [] : lineOf(name, fault))
  expect(await faults()).toEqual([...expected, lineOf('linked/secret.md', NOT_ALLOWED)].toSorted())
})

test('a link that led to nothing is read as soon as it leads to a rule file or folder', async () => {
  const { ruleFolder, write, texts, faults } = rulesOf({}, { 'a.md': 'A' })
  symlinkSync('../../b.md', join(ruleFolder, 'b.md'))
  symlinkSync('../../shared', join(ruleFolder, 'shared'))
  // For 50 ms after a change, SAT rereads a folder in any case. After this time, only a change can cause a reread.
  await Bun.sleep(60)
  expect(await faults()).toEqual(['b.md', 'shared'].map((name) => `…/.opencode/rules/${name}: ${BROKEN}`))
  write('w/b.md', 'B')
  write('w/shared/c.md', 'C')
  expect([await texts(), await faults()]).toEqual([['a: A', 'b: B', 'shared/c: C'], []])
})

test('a rule folder that is a file or a broken link is reported, until it is a folder', async () => {
  for (const isLink of [false, true]) {
    const { ruleFolder, write, texts, faults } = rulesOf({}, { 'w/.opencode/rules': 'A' })
    if (isLink) {
      rmSync(ruleFolder)
      symlinkSync('../shared', ruleFolder)
    }
    expect(await faults()).toEqual(['…/.opencode/rules: it is neither a folder nor a link to a folder'])
    if (!isLink) rmSync(ruleFolder)
    write(isLink ? 'w/shared/a.md' : 'w/.opencode/rules/a.md', 'A')
    expect([await texts(), await faults()]).toEqual([['a: A'], []])
  }
})

test('a link to a folder with thousands of files is not followed', async () => {
  const { root, write, texts, faults } = rulesOf({}, { 'a.md': 'A', 'z/b.md': 'B' })
  // With the rule folder, `a.md`, `z` and the link, these 4,997 files are more than the limit of 5,000 entries.
  write('w/many/a.md', 'X')
  for (let index = 0; index < 4_996; index++) {
    linkSync(join(root, 'w/many/a.md'), join(root, `w/many/${index}.md`))
  }
  symlinkSync(join(root, 'w/many'), join(root, 'w/.opencode/rules/many'))
  expect(await texts()).toEqual(['a: A', 'z/b: B'])
  expect((await faults()).join()).toMatch(/rules\/many: a rule folder has at most 5000 entries$/)
})

test("the person's own rules may be links to anywhere, as dotfile managers create them", async () => {
  const { root, write, texts } = rulesOf({ 'a.md': 'A' }, {})
  write('store/x1-style', 'STYLE')
  write('store/more/b.md', 'B')
  symlinkSync(join(root, 'store/x1-style'), join(root, 'config/rules/style.md'))
  symlinkSync(join(root, 'store/more'), join(root, 'config/rules/more'))
  expect(await texts()).toEqual(['a: A', 'more/b: B', 'style: STYLE'])
})
