import { afterAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { RuleLooks } from './rule-looks.ts'

const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'sat-looks-')))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

/** Looks at a project with these files, and what the person is told. */
const looksAt = (files: Record<string, string>, directories: Array<string> = []) => {
  const directory = mkdtempSync(join(scratch, 'project-'))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(directory, path, '..'), { recursive: true })
    writeFileSync(join(directory, path), text)
  }
  const told = { logged: [] as Array<string>, toasts: [] as Array<string>, debugged: [] as Array<string> }
  const plain = (words: string): string => words.replaceAll(directory, '…')
  let asked = 0
  const looks = new RuleLooks({
    place: { directory, worktree: directory },
    directories,
    roots: [directory],
    log: (level, message) => told.logged.push(`${level} ${plain(message)}`),
    toast: (_, message) => told.toasts.push(plain(message)),
    debug: (line) => told.debugged.push(plain(line)),
    instructions: async () => {
      asked++
      return [join(directory, '.opencode/rules/sent.md')]
    },
  })
  return { looks, told, asked: () => asked }
}

test('what is wrong is told once: a rule file by its line, a folder that is not there', async () => {
  const { looks, told } = looksAt(
    { '.opencode/rules/a.md': '---\nx: 1\nglobs: [a\n---\nA', '.clinerules': 'one file' },
    ['docs/rules', '.clinerules'],
  )
  await looks.look(true)
  await looks.look(true)
  await looks.look(false)
  expect(told.toasts).toEqual([
    expect.stringMatching(/^Left out the rule file \.opencode\/rules\/a\.md:3: ./),
    'rules.directories: there is no folder docs/rules',
    'rules.directories: there is no folder .clinerules',
  ])
  expect(told.logged).toEqual([
    expect.stringMatching(/^warn Left out the rule file …\/\.opencode\/rules\/a\.md:3: ./),
    'warn rules.directories: there is no folder docs/rules (looked for in …)',
    'warn rules.directories: there is no folder .clinerules (looked for in …)',
  ])
})

test("what the host sends is left to it; another tool's folder that nobody named is mentioned once", async () => {
  const { looks, told, asked } = looksAt({
    '.opencode/rules/sent.md': 'SENT',
    '.opencode/rules/own.md': 'OWN',
    '.claude/rules/x.md': 'X',
    '.cursor/rules': 'a file, and no folder of rules',
    '.clinerules/y.md': 'Y',
  }, ['.clinerules'])
  const look = await looks.look(true)
  expect(look.rules.map(({ name }) => name)).toEqual(['own', 'y'])
  expect([...look.sentByHost]).toEqual([expect.stringMatching(/sent\.md$/)])
  expect(look.folders).toEqual([expect.stringMatching(/\.claude\/rules$/)])
  await Bun.sleep(60)
  await looks.look(false)
  expect(await looks.look(false)).toBe(await looks.look(false))
  expect(asked()).toBeLessThan(3)
  expect(told.debugged).toEqual([
    'Discovered project rule: own.md',
    'Discovered project rule: sent.md',
    'Discovered project rule: y.md',
    'Not read, for rules.directories does not name it: …/.claude/rules',
  ])
})

test('rules that a session cannot take any more are told once', async () => {
  const { looks, told } = looksAt({})
  looks.warnTooMany(['/a', '/b'])
  looks.warnTooMany(['/a', '/b'])
  expect(told.toasts).toEqual([expect.stringMatching(/^2 rule files are left out: .*500 rules/)])
  expect(told.logged).toEqual([expect.stringMatching(/Left out: \/a, \/b$/)])
})
