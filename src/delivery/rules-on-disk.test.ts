import { afterAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { RuleWarnings } from './rule-warnings.ts'
import { RulesReader } from './rules-on-disk.ts'

const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'sat-rules-on-disk-')))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

/** Reads the rules of a project with these files; and what the person is told. */
const readerOf = (files: Record<string, string>, directories: Array<string> = []) => {
  const directory = mkdtempSync(join(scratch, 'project-'))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(directory, path, '..'), { recursive: true })
    writeFileSync(join(directory, path), text)
  }
  const told = { logged: [] as Array<string>, toasts: [] as Array<string>, debugged: [] as Array<string> }
  const plain = (words: string): string => words.replaceAll(directory, '…')
  let asked = 0
  const place = { directory, worktree: directory }
  const warnings = new RuleWarnings({
    place,
    log: (level, message) => told.logged.push(`${level} ${plain(message)}`),
    toast: (_, message) => told.toasts.push(plain(message)),
  })
  const reader = new RulesReader({
    place,
    warnings,
    directories,
    roots: [directory],
    debug: (line) => told.debugged.push(plain(line)),
    instructions: async () => {
      asked++
      return [join(directory, '.opencode/rules/sent.md')]
    },
  })
  return { reader, warnings, told, asked: () => asked }
}

test('what is wrong is told once: a rule file by its line, a folder that is not there', async () => {
  const { reader, told } = readerOf(
    { '.opencode/rules/a.md': '---\nx: 1\nglobs: [a\n---\nA', '.clinerules': 'one file' },
    ['docs/rules', '.clinerules'],
  )
  await reader.read(true)
  await reader.read(true)
  await reader.read(false)
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
  const { reader, told, asked } = readerOf({
    '.opencode/rules/sent.md': 'SENT',
    '.opencode/rules/own.md': 'OWN',
    '.claude/rules/x.md': 'X',
    '.cursor/rules': 'a file, and no folder of rules',
    '.clinerules/y.md': 'Y',
  }, ['.clinerules'])
  const onDisk = await reader.read(true)
  expect(onDisk.rules.map(({ name }) => name)).toEqual(['own', 'y'])
  expect([...onDisk.sentByHost]).toEqual([expect.stringMatching(/sent\.md$/)])
  expect(onDisk.folders).toEqual([expect.stringMatching(/\.claude\/rules$/)])
  await Bun.sleep(60)
  await reader.read(false)
  expect(await reader.read(false)).toBe(await reader.read(false))
  expect(asked()).toBeLessThan(3)
  expect(told.debugged).toEqual([
    'Discovered project rule: own.md',
    'Discovered project rule: sent.md',
    'Discovered project rule: y.md',
    'Not read, for rules.directories does not name it: …/.claude/rules',
  ])
})
