/** What the paths of Windows mean, in a process that has these; `windows.test.ts` runs it. */
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import type { Entry, EntryPart } from '../../../src/delivery/history.ts'
import { ruleFolders } from '../../../src/delivery/rule-folders.ts'
import { matcherOfAll } from '../../../src/delivery/rule-globs.ts'
import { dialectOf } from '../../../src/delivery/rules-of-other-tools.ts'
import { reasonsIn } from '../../../src/delivery/touched-files.ts'
import { readCommands } from '../../../src/format-on-save/run/choose-command.ts'
import { foldersToSkip, openGlob } from '../../../src/instructions/glob.ts'
import { contains, foldersUpTo, pathPattern, projectRoot, resolvePath } from '../../../src/paths/boundary.ts'
import { expandFiles } from '../../../src/resolve.ts'
import { readCall } from '../../../src/steps/call.ts'
import { backupFolder } from '../../../src/writing/backup.ts'

const PLACE = { directory: 'C:\\p\\sub', worktree: 'C:\\p' }
const PLACES = { given: PLACE, real: PLACE }

const touched = (part: object): Array<string> =>
  reasonsIn({ info: { role: 'user' }, parts: [part as EntryPart] } as Entry, PLACES)
// The last of what words bring rules in with is the words themselves.
const said = (text: string) => touched({ type: 'text', text }).slice(0, -1)
const answered = (tool: string, input: object, output = '') =>
  touched({ type: 'tool', tool, state: { status: 'completed', input, output, metadata: {} } })
const commandOf = readCommands({ '*.ts': 'one', 'src\\**\\*.js': 'two' }, PLACE)
const applies = (glob: string) => matcherOfAll([glob]).data!('src/a.ts')

test.each<[what: string, given: unknown, wanted: unknown]>([
  ['a folder contains, in any case', contains('C:\\p', 'c:\\P\\x'), true],
  ['with either slash', contains('C:\\p', 'C:/p/x'), true],
  ['not what is on another drive', contains('C:\\p', 'D:\\p\\x'), false],
  ['or beside it', contains('C:\\p', 'C:\\p-evil'), false],
  ['the folders up to the worktree, as git writes it', foldersUpTo('C:\\p\\a', 'c:/p'), [
    'C:\\p\\a',
    'C:\\p',
  ]],
  ['to the root of the drive', foldersUpTo('C:\\p', '/'), ['C:\\p', 'C:\\']],
  ['no repository', projectRoot({ directory: 'C:\\p', worktree: 'C:\\' }), 'C:\\p'],
  ['a pattern of permission', pathPattern(PLACE, 'C:\\p\\x\\y.ts'), 'x/y.ts'],
  ['a path as it is named', resolvePath('C:\\p', 'src/a.ts').data, 'C:\\p\\src\\a.ts'],
  ['on another drive', resolvePath('C:\\p', 'D:\\x').data, 'D:\\x'],
  ['a backup', backupFolder('C:\\s', 'C:\\p\\con').startsWith('C:\\s\\backups\\C-p-con-'), true],
  ["a person's words", said('see src\\a.ts:12'), ['sub/src/a.ts', 'src/a.ts']],
  ['a call', answered('read', { filePath: 'c:\\P\\src\\a.ts' }), ['src/a.ts']],
  ['outside of the project', answered('read', { filePath: 'D:\\a.ts' }), []],
  ['what grep found', answered('grep', {}, 'Found 1 matches\nC:\\p\\a.ts:\n  Line 1: x'), ['a.ts']],
  ["a rule's pattern", ['src\\**\\*.ts', '.\\src\\*.ts', 'src/**'].map(applies), [true, true, true]],
  [
    'its folders',
    ruleFolders(PLACE, ['docs\\rules'], {}).folders.slice(1).map(({ path }) => path),
    ['.opencode', 'sub\\.opencode', 'docs', 'sub\\docs'].map((folder) => `C:\\p\\${folder}\\rules`),
  ],
  ["another tool's", dialectOf('C:\\p\\.cursor\\rules').folder, '.cursor/rules'],
  [
    'the command of a file',
    ['C:\\p\\sub\\src\\x.js', 'C:\\p\\a.ts', 'D:\\a.ts'].map((path) => commandOf(path)?.words),
    ['two', 'one', undefined],
  ],
  [
    'the file of an edit',
    readCall('edit', { filePath: 'src/a.ts', oldString: 'a', newString: 'b' }, 'C:\\p')[0]!.path,
    'C:\\p\\src\\a.ts',
  ],
])('%s', (_, given, wanted) => expect(given).toEqual(wanted))

test.each([['docs/**/*.md', 'C:\\p\\docs'], ['C:/x/*.md', 'C:\\x']])(
  'the pattern %s',
  async (glob, folder) => {
    expect((await openGlob(glob, { directory: 'C:\\p', dot: true })).data!.folders).toEqual([folder])
  },
)

test.each(['docs\\**\\*.md', 'C:\\p\\docs\\*.md'])(
  'the pattern %s of a call looks into its folder',
  async (pattern) => {
    const listed: Array<string> = []
    await expandFiles('C:\\p', [pattern], async (folder) => {
      listed.push(folder)
      return 'not listed'
    })
    expect(listed).toEqual(['C:\\p\\docs'])
  },
)

test('the folders that git ignores are named without a slash at their end', async () => {
  // The checkout: git runs in its folder, whatever its path looks like.
  const skipped = await foldersToSkip(process.cwd())
  expect(skipped).toContain(join(process.cwd(), 'node_modules'))
  expect(skipped.filter((path) => /[\\/]$/.test(path))).toEqual([])
})
