/** `windows.test.ts` runs this file with the `node:path` of Windows. */
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import type { Message, MessagePart } from '../../../src/delivery/history.ts'
import { dialectOf } from '../../../src/delivery/rule-dialects.ts'
import { ruleFolders } from '../../../src/delivery/rule-folders.ts'
import { matcherOfGlobs } from '../../../src/delivery/rule-globs.ts'
import { triggersIn } from '../../../src/delivery/touched-files.ts'
import { readCommands } from '../../../src/format-on-save/run/format-command.ts'
import { foldersToSkip, parseGlob } from '../../../src/instructions/glob.ts'
import { contains, foldersUpTo, pathPattern, projectRoot, resolvePath } from '../../../src/paths/boundary.ts'
import { expandFiles } from '../../../src/resolve.ts'
import { backupFolder } from '../../../src/writing/backup.ts'

const WORKSPACE = { directory: 'C:\\p\\sub', worktree: 'C:\\p' }
const PLACES = { original: WORKSPACE, real: WORKSPACE }

/** Lists the files that a message part names, followed by the text of the part, if it has text. */
const triggersOf = (part: object): Array<string> =>
  triggersIn({ info: { role: 'user' }, parts: [part as MessagePart] } as Message, PLACES)
const filesNamedIn = (text: string) => triggersOf({ type: 'text', text }).slice(0, -1)
const filesTouchedBy = (tool: string, input: object, output = '') =>
  triggersOf({ type: 'tool', tool, state: { status: 'completed', input, output, metadata: {} } })
const commandOf = readCommands({ '*.ts': 'one', 'src\\**\\*.js': 'two' }, WORKSPACE)
const isInP = (path: string) => contains('C:\\p', path)
const matches = (glob: string) => matcherOfGlobs([glob]).data!('src/a.ts')
const startsOf = async (glob: string) =>
  (await parseGlob(glob, { directory: 'C:\\p', dot: true })).data!.folders

test.each<[name: string, value: unknown, expected: unknown]>([
  ['paths in C:\\p', ['c:\\P', 'C:/p/x', 'D:\\p', 'C:\\p-evil'].map(isInP), [true, true, false, false]],
  ['the folders up to a worktree called c:/p', foldersUpTo('C:\\p\\a', 'c:/p'), ['C:\\p\\a', 'C:\\p']],
  ['the folders up to the root of the drive', foldersUpTo('C:\\p', '/'), ['C:\\p', 'C:\\']],
  ['the project root outside a repository', projectRoot({ directory: 'C:\\p', worktree: 'C:\\' }), 'C:\\p'],
  ['the pattern for the permission to edit a file', pathPattern(WORKSPACE, 'C:\\p\\x\\y.ts'), 'x/y.ts'],
  ['a path on another drive', resolvePath('C:\\p', 'D:\\x').data, 'D:\\x'],
  ['the folder of backups', backupFolder('C:\\s', 'C:\\p\\con').slice(0, 21), 'C:\\s\\backups\\C-p-con-'],
  ['a path in a message', filesNamedIn('see src\\a.ts:12'), ['sub/src/a.ts', 'src/a.ts']],
  ['the path of a call', filesTouchedBy('read', { filePath: 'c:\\P\\src\\a.ts' }), ['src/a.ts']],
  ['the path of a call outside the project', filesTouchedBy('read', { filePath: 'D:\\a.ts' }), ['D:\\a.ts']],
  ['a path that grep found', filesTouchedBy('grep', {}, 'Found 1 matches\nC:\\p\\a.ts:\n'), ['a.ts']],
  ['globs that match src/a.ts', ['src\\**\\*.ts', '.\\src\\*.ts', 'src/**'].map(matches), [true, true, true]],
  [
    'the rule folders of a project, after the global folder',
    ruleFolders(WORKSPACE, ['docs\\rules'], {}).folders.slice(1).map(({ path }) => path),
    ['.opencode', 'sub\\.opencode', 'docs', 'sub\\docs'].map((folder) => `C:\\p\\${folder}\\rules`),
  ],
  ['the rule folder of another tool', dialectOf('C:\\p\\.cursor\\rules').folder, '.cursor/rules'],
  ['the format command of a file', commandOf('C:\\p\\sub\\src\\x.js')?.text, 'two'],
  ['the format command of a file outside of the directory', commandOf('C:\\p\\a.ts')?.text, 'one'],
  ['the format command of a file outside of the project', commandOf('D:\\a.ts')?.text, undefined],
  ['the folder in which a relative glob starts', await startsOf('docs/**/*.md'), ['C:\\p\\docs']],
  ['the folder in which an absolute glob starts', await startsOf('C:/x/*.md'), ['C:\\x']],
])('on Windows: %s', (_, value, expected) => expect(value).toEqual(expected))

test('before the tools expand a glob, they ask to list the folder in which the glob starts', async () => {
  const listed: Array<string> = []
  await expandFiles('C:\\p', ['docs\\**\\*.md', 'C:\\p\\docs\\*.md'], async (folder) => {
    listed.push(folder)
    return 'not listed'
  })
  expect(listed).toEqual(['C:\\p\\docs', 'C:\\p\\docs'])
})

test('folders that git ignores have no slash at their end', async () => {
  const skipped = await foldersToSkip(process.cwd())
  expect(skipped).toContain(join(process.cwd(), 'node_modules'))
  expect(skipped.filter((path) => /[\\/]$/.test(path))).toEqual([])
})
