import { expect, test } from 'bun:test'
import { expectNoHang, filled } from '../../test/harness/processor-time.ts'
import type { History, Message, MessagePart } from './history.ts'
import type { Rule } from './rule-files.ts'
import { matcherOfGlobs } from './rule-globs.ts'
import { TouchedFiles, triggersIn } from './touched-files.ts'

const workspace = { directory: '/w/sub', worktree: '/w' }
const places = { original: workspace, real: workspace }
const ids = { id: 'prt_1', sessionID: 'ses_1', messageID: 'msg_1' }

const DONE = { status: 'completed', output: '', title: '', metadata: {}, time: { start: 0, end: 0 } }

const call = (name: string, input: object, more: object = {}): MessagePart =>
  ({ ...ids, type: 'tool', callID: 'call_1', tool: name, state: { ...DONE, input, ...more } }) as MessagePart

const attached = (more: object): MessagePart =>
  ({ ...ids, type: 'file', mime: 'text/plain', url: 'data:,x', ...more }) as MessagePart

const typed = (text: string): MessagePart => ({ ...ids, type: 'text', text })

/** A trigger that begins with `\0` is the person's text, not a file. */
const filesOf = (part: MessagePart, sessionPlaces = places): Array<string> =>
  triggersIn({ info: { role: 'user' }, parts: [part] } as Message, sessionPlaces)
    .filter((trigger) => !trigger.startsWith('\0'))

const patchText = `*** Begin Patch
*** Add File: a.ts
+*** Update File: not.ts
*** Update File: a b.ts
*** Move to: c.ts
@@
-x
+y
*** Delete File: d.ts\r
*** End Patch`

const globResult = (output: string): MessagePart => call('glob', { pattern: '**' }, { output })
const globCallFinding = (names: Array<string>): MessagePart =>
  globResult(names.map((name) => `/w/${name}`).join('\n'))
const TWENTY_FILES = Array.from({ length: 20 }, (_, index) => String(index))
const TRUNCATED =
  '(Results are truncated: showing first 100 results. Consider using a more specific path or pattern.)'
// Only `a.ts` and `b.ts` are files with matches. The other names are part of the matched lines.
const GREPPED =
  'Found 3 matches\n/w/a.ts:\n  Line 1: /w/z.ts:\r/w/y.ts:\n  Line 2: y\n\n/w/b.ts:\n  Line 7: c:'

const LISTED = { metadata: { display: { type: 'directory' } } }
const PATCHED_FILES = { metadata: { files: [{ filePath: '/w/a.ts', movePath: '/w/b.ts' }, {}] } }

test.each<[name: string, part: MessagePart, files: Array<string>]>([
  ['a call with dots in its path', call('write', { filePath: './../b/a.ts', content: '' }), ['b/a.ts']],
  ['a call with a path that begins like the worktree', call('read', { filePath: '/w-b/a.ts' }), [
    '/w-b/a.ts',
  ]],
  ['a call of glob', globResult(`/w/a.ts\n/w/sub/b c.ts\n\n${TRUNCATED}`), ['a.ts', 'sub/b c.ts']],
  ['a call of grep', call('grep', {}, { output: GREPPED }), ['a.ts', 'b.ts']],
  ['a call of glob that finds 20 files', globCallFinding(TWENTY_FILES), TWENTY_FILES],
  ['a call of glob that finds more than 20 files', globCallFinding([...TWENTY_FILES, '20']), []],
  ['a shell command', call('bash', { filePath: '/w/a.ts' }, { output: '/w/a.ts' }), []],
  ["a call of SAT's own tool", call('rewrite-rules', {}, { metadata: { files: ['/w/a.md'] } }), ['a.md']],
  ["a call of another plugin's tool", call('rewrite', {}, { metadata: { files: ['/w/a.md'] } }), []],
  ['a call that reads a folder', call('read', { filePath: '/w/src' }, LISTED), []],
  ['a call whose path is a number', call('read', { filePath: 7 }), []],
  ['a patch', call('apply_patch', { patchText }), ['sub/a.ts', 'sub/a b.ts', 'sub/c.ts', 'sub/d.ts']],
  ['a patch with metadata', call('apply_patch', { patchText }, PATCHED_FILES), ['a.ts', 'b.ts']],
  ['an attachment with a URL', attached({ url: 'file:///w/a%20b.ts?start=1&end=2' }), ['a b.ts']],
  ['an attachment with only a name', attached({ mime: 'image/png', filename: 'img/a.png' }), ['img/a.png']],
  ['an attachment with a source', attached({ source: { type: 'file', path: 'a.ts', text: {} } }), ['a.ts']],
  ['an attached folder', attached({ mime: 'application/x-directory', url: 'file:///w/src' }), []],
  ['an attachment with a broken URL', attached({ url: 'file://%' }), []],
  ['a text that the host adds', { ...typed('a.ts'), synthetic: true } as MessagePart, []],
])('%s touches the files %j', (_, part, files) => expect(filesOf(part)).toEqual(files))

/** A relative path in a person's text may be relative to the session's folder or to the worktree. */
const inBoth = (path: string): Array<string> => [`sub/${path}`, path]

test.each<[text: string, files: Array<string>]>([
  ['Add `/w/a.ts`, sub/b.ts and (c/d.tsx:12)', ['a.ts', ...inBoth('sub/b.ts'), ...inBoth('c/d.tsx')]],
  ['To src/api/users. [Why](docs/x.md)!', ['src/api/users', 'docs/x.md'].flatMap(inBoth)],
  ['see @e/f.go', ['@e/f.go', 'e/f.go'].flatMap(inBoth)],
  ['in ((app)/p.tsx), (app)/(b)/q.tsx', ['(app)/p.tsx', '(app)/(b)/q.tsx'].flatMap(inBoth)],
  ['`.env`, "語.md", é.ts and e\u0301.ts', ['.env', '語.md', 'é.ts', 'e\u0301.ts'].flatMap(inBoth)],
  ['`a.c`, "[slug].tsx" and (`x.h:12`)', ['a.c', '[slug].tsx', 'x.h'].flatMap(inBoth)],
  ["In '/w/my file.md' see", ['my', ...inBoth('file.md'), 'my file.md']],
  ["Don't touch the users' /w/a.ts, it's the others'", ['a.ts']],
  ['In **/w/a.ts:** („/w/b.ts“—/w/c.ts), /w/d.ts(12,3): see', ['a.ts', 'b.ts', 'c.ts', 'd.ts']],
  ['see《/w/größe.ts》、/w/文档.ts…', ['größe.ts', '文档.ts']],
  ['In "/w/x y.ts" see', ['x', ...inBoth('y.ts'), 'x y.ts']],
  // Korean, Chinese and Thai letters next to a path may belong to the path or to the sentence around it.
  ['/w/a.ts를 修改/w/b.ts的', ['a.ts', 'a.ts를', 'b.ts', ...inBoth('修改/w/b.ts的')]],
  ['แก้/w/a.ts', ['a.ts', ...inBoth('แก้/w/a.ts')]],
  ['a.c, e.g., "https://a.b/c.h", `arr[0]`, "see .NET" and `*.c`', []],
  ['Done 1/2, 24/7, on 3/4/2025', []],
  ['See https://a.b/c.ts, --out-dir/x, **/*.ts, ~/a.md, .NET, 1.5, 文.、… or yes?', []],
])("the person's text %j touches the files %j", (text, files) => expect(filesOf(typed(text))).toEqual(files))

test("a path through a link to the session's directory names the same file as the real path", () => {
  const linked = { original: { directory: '/link/sub', worktree: '/w' }, real: workspace }
  for (const filePath of ['/link/sub/a.ts', '/w/sub/a.ts', 'a.ts']) {
    expect(filesOf(call('read', { filePath }), linked)).toEqual(['sub/a.ts'])
  }
})

const historyOf = (texts: Array<string>): History =>
  texts.map((text, at) => ({ info: { id: `m${at}`, role: 'user' }, parts: [typed(text)] }) as Message)

const firstFor = (touched: TouchedFiles, ...globs: Array<string>) =>
  touched.firstTriggerFor({ applies: matcherOfGlobs(globs).data } as Rule)

test('if a message is added to the history, the earlier messages are not read again', () => {
  const finding = (id: string, name: string) =>
    ({ info: { id, role: 'assistant' }, parts: [globCallFinding([name])] }) as Message
  const touched = new TouchedFiles(places).read([finding('m0', 'a.ts')])
  touched.read([finding('m0', 'c.ts'), finding('m1', 'b.ts')])
  expect(['a.ts', 'b.ts', 'c.ts'].map((name) => firstFor(touched, name)?.index)).toEqual([0, 1, undefined])
})

test.each<[keyword: string, isFound: boolean, why: string]>([
  ['Schema', true, 'a word begins with it, in upper case'],
  ['refactor', false, 'no word begins with it'],
  ['緑茶', true, 'Japanese has no spaces between words'],
  ['ทดสอบ', true, 'Thai has no spaces between words'],
  ['naïve', true, 'its ï may be one character or two'],
  ['nai', false, 'an i with two dots is another letter'],
  ['리팩터', true, 'its syllables may be one character or several'],
])('in a text with several scripts, the keyword %s is found: %p, because %s', (keyword, isFound) => {
  const decomposed = 'Naïve 리팩터'.normalize('NFD')
  const history = historyOf([`朝の緑茶, unrefactored SCHEMAS ช่วยทดสอบโค้ด ${decomposed}`])
  const match = new TouchedFiles(places).read(history).firstTriggerFor({ keywords: [keyword] } as Rule)
  expect(match).toEqual(isFound ? { cause: keyword, index: 0, isKeyword: true } : undefined)
})

const LONG_TEXT = 'word '.repeat(20_000)

test.each([
  ['start', true, `refactor ${LONG_TEXT}`],
  ['end', true, `${LONG_TEXT} refactor`],
  ['middle', false, `${LONG_TEXT} refactor ${LONG_TEXT}`],
])('a keyword at the %s of a message of more than 100,000 characters is found: %p', (_, isFound, text) => {
  const touched = new TouchedFiles(places).read(historyOf([text]))
  expect(touched.firstTriggerFor({ keywords: ['refactor'] } as Rule) !== undefined).toBe(isFound)
})

test.each([
  ...['a/', 'a.b ', '"a/b ', '`', " '", '(', '](', '漢/a.ts', '@a/b ', 'a\u0301\u0323', '\u0301\u0323'],
  ...[`${'.'.repeat(299)}x `, `${'a:1'.repeat(99)}.ts `],
])(
  "1 MB of %j in a person's message does not hang",
  (part) => expectNoHang(part, () => filesOf(typed(filled(part, 1_000_000)))),
)

const historyNaming = (...paths: Array<string>): History => historyOf(paths.map((path) => `see ${path}`))
/** The folders `pkg` and `/link` are links to `packages`. */
const realPathOf = async (path: string) =>
  /^(?:pkg|\/link)\//.test(path) ? path.replace(/pkg|\/link/, 'packages') : undefined

test('a rule applies from the first message that names a file whose path or real path matches', async () => {
  const names = [
    'x.ts',
    'pkg/ui/a.ts',
    'pkg/ui/a.ts',
    'out.ts',
    'packages/ui/a.ts',
    '/link/b.ts',
    '/else/c.ts',
  ]
  const touched = await new TouchedFiles(places).read(historyNaming(...names)).resolveLinks(realPathOf)
  expect(firstFor(touched, 'packages/ui/a.ts')).toEqual({ cause: 'pkg/ui/a.ts', index: 1 })
  expect(firstFor(touched, 'pkg/ui/a.ts')).toEqual({ cause: 'pkg/ui/a.ts', index: 1 })
  expect(firstFor(touched, './out.ts')).toEqual({ cause: 'out.ts', index: 3 })
  expect(firstFor(touched, 'pkg/**', '!packages/**')).toBeUndefined()
  expect(firstFor(touched, 'packages/**', '!pkg/**')).toEqual({ cause: 'packages/ui/a.ts', index: 4 })
  expect(firstFor(touched, 'packages/b.ts')).toEqual({ cause: 'packages/b.ts', index: 5 })
  expect(firstFor(touched, '/else/c.ts')).toBeUndefined()
})

test('if a message is read while `resolveLinks` runs, its links are resolved by the next call', async () => {
  const history = historyNaming('x.ts', 'pkg/ui/a.ts')
  const touched = new TouchedFiles(places).read(history.slice(0, 1))
  const resolving = touched.resolveLinks(realPathOf)
  touched.read(history)
  await resolving
  expect(firstFor(touched, 'packages/**')).toBeUndefined()
  await touched.resolveLinks(realPathOf)
  expect(firstFor(touched, 'packages/**')).toEqual({ cause: 'pkg/ui/a.ts', index: 1 })
})
