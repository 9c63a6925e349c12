import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { expectNoHang } from '../../test/harness/processor-time.ts'
import { firstFolderOf, matcherOfGlobs } from './rule-globs.ts'

test.each<[globs: Array<string>, matched: Array<string>, others: Array<string>]>([
  [['**/*.ts'], ['a.ts', 'a/b/c.ts', '.a.ts', 'a/.b/c.ts'], ['a.tsx', '.git/a.ts', 'a/.git/b.ts']],
  [['*.ts'], ['a.ts', 'src/a.ts', '.a.ts'], ['.git/a.ts', 'a.tsx']],
  [['package.json'], ['package.json', 'packages/a/package.json'], ['a/package.json/b']],
  [['packages/web'], ['packages/web/.storybook/main.ts', 'packages/web/.env'], ['packages/.web/a']],
  [['**/*'], ['.env.local', 'a/.env', '.gitignore', '.github/CODEOWNERS'], ['.git/config', '.git']],
  [['.git/hooks/*'], ['.git/hooks/pre-commit'], ['.git/config']],
  [['!**/*.md'], ['.env'], ['.github/a.md', '.git/HEAD']],
  [['**/日本 (語)/*.x'], ['x/日本 (語)/a.x'], ['日本/a.x']],
  [['**/My Data/**', '!**/Old Code/**'], ['My Data/a.c'], ['Data/m.c', 'My Data/Old Code/a.c']],
  [['café/**', '!café/no.*'], ['cafe\u0301/a.ts', 'café/a.ts'], ['cafe/a.ts', 'cafe\u0301/no.ts']],
  [['!vendor/**'], ['a.ts', 'src/vendor/a'], ['vendor/a.ts', 'vendor/.x']],
  [['!(a|b).ts'], ['c.ts', 'x/c.ts'], ['a.ts', 'x/b.ts']],
  [['/src/*.ts'], ['src/a.ts'], ['x/src/a.ts']],
  [['docs/'], ['docs/a.md', 'docs/a/b.md'], ['docs.md', 'x/docs/a.md']],
  [['docs'], ['docs/a.md', 'x/docs/a/b.md', 'a/docs'], ['docs.md', 'my-docs/a.md']],
  [['libs/@acme', 'My Docs'], ['libs/@acme/a.ts', 'My Docs/a.md'], ['libs/acme/a.ts', 'Docs/a.md']],
  [['src/api', './lib'], ['src/api/a.ts', 'lib/b.ts'], ['src/apis/a.ts', 'x/lib/b.ts']],
  [
    ['app/[id]', 'app/[[...slug]]', 'app/(shop)', 'docs/+page', 'libs/c++'],
    ['app/[id]/a', 'app/[[...slug]]/a', 'app/(shop)/b/c', 'docs/+page/a', 'libs/c++/a'],
    ['app/shop/a'],
  ],
  [['packages/{web,api}', '{src,lib}'], ['packages/web/a', 'x/lib/a/b'], ['packages/ui/a', 'srclib/a']],
  [['**/*.ts', '!{vendor,dist}'], ['a.ts'], ['vendor/a.ts', 'x/dist/b.ts']],
  // A glob that ends with a plain name, such as `lib`, also matches the files below a folder `lib`.
  // A glob whose last part has a wildcard or an extension, such as `src/*` or `a.js`, does not.
  [['{src/*,lib}', '{a.js,docs}'], ['src/a', 'lib/a/b', 'docs/a'], ['src/a/b', 'a.js/b']],
  [['src/!(api)', 'a.[jt]s'], ['src/a', 'a.js'], ['src/a/b', 'a.js/b']],
  [['app/[id]/page.tsx'], ['app/[id]/page.tsx', 'app/i/page.tsx'], ['app/x/page.tsx']],
  [['app/\\[id\\]/*.tsx'], ['app/[id]/page.tsx'], ['app/i/page.tsx']],
  [['\\*\\*/\\*.ts'], ['a.ts', 'src/a.ts'], ['a.js']], // Escaped by a Markdown formatter
  [['**/*.{ts}', '{src}/[id]/*.{x}'], ['a.ts', 'src/[id]/a.x', 'src/i/a.x'], ['a.js', 'lib/i/a.x']],
  [['{docs}', '{1..2}.x'], ['docs/a.md', '1.x'], ['3.x', '1..2.x']],
  [['{{cookiecutter.name}}/*.py', '{id}/a.x'], ['{{cookiecutter.name}}/a.py', '{id}/a.x'], ['{name}/a.py']],
  [['src/./a.ts', 'src/../lib/**'], ['src/a.ts', 'lib/b.ts'], ['x/src/a.ts', 'src/lib/b.ts']],
  [['.'], ['a.ts', 'x/.b'], ['.git/config']],
  [['src\\api\\**\\*.ts'], ['src/api/a.ts', 'src/api/b/a.ts'], ['src/a.ts', 'x/src/api/a.ts']],
])('the globs %j match %j, but not %j', (globs, matched, others) => {
  const matches = matcherOfGlobs(globs).data
  expect([...matched, ...others].filter((path) => matches?.(path))).toEqual(matched)
})

test.each<[globs: Array<string>, isMatch: boolean, why: string]>([
  [['**/*.ts', '!vendor/**'], false, 'the real path is excluded'],
  [['**/*.ts', '!third/**'], false, 'the path of the link is excluded'],
  [['vendor/**', '!**/*.md'], true, 'the real path matches, and neither path is excluded'],
])(
  'for third/v.ts, a link to vendor/v.ts, the matcher of the globs %j returns %p, because %s',
  (globs, isMatch) => {
    expect(matcherOfGlobs(globs).data?.('third/v.ts', 'vendor/v.ts')).toBe(isMatch)
  },
)

test.each<[reason: string, glob: string]>([
  ['too many characters', 'a'.repeat(1_001)],
  ['a brace that is not closed', 'src/{a,b'],
  ['a bracket that is not closed', 'src/[id/*.ts'],
  ['braces that expand to too many patterns', '{a,b}'.repeat(11)],
])('a glob with %s is invalid', (_, glob) => {
  expect(matcherOfGlobs([glob]).error).toMatch(/\w/)
})

test.each<[glob: string, folder: string | undefined]>([
  ['./src/api/', 'src'],
  ['cafe\u0301/*', 'café'],
  ['src/../lib/**', 'lib'],
  ['@types/**', '@types'],
  ['@/components/**', '@'],
  ['(app)/a+b/*', '(app)'],
  ['@(a|b)/*', undefined],
  ['x+(a)/*', undefined],
  ['\\(app\\)/*', undefined],
  ['../lib/**', undefined],
  ['README.md', undefined],
  ['**/src/**', undefined],
  ['!src/**', undefined],
])('the first folder of the glob %s is %p', (glob, folder) => {
  expect(firstFolderOf(glob)).toBe(folder)
})

test('a hundred random hostile globs, each matched with a long path, do not hang', async () => {
  const tokens = fc.constantFrom(
    ...'* ** **/ *a ? +(a|aa) *(a|b) !(a) @(a|*) {a,b} {1..99} [ab] [ ( | ) { } / . ! a \\'.split(' '),
  )
  const glob = fc.array(tokens, { maxLength: 60 }).map((parts) => parts.join(''))
  const path = fc.constantFrom(
    ...['a'.repeat(255), 'a/'.repeat(400), 'a.'.repeat(120), 'ab'.repeat(2_000), '{'.repeat(250)],
  )
  const matching = fc.property(glob, path, (pattern, file) => void matcherOfGlobs([pattern]).data?.(file))
  await expectNoHang('hostile globs', () => fc.assert(matching, { numRuns: 100 }))
})
