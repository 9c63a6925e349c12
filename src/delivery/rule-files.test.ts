import { afterAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { RuleFiles } from './rule-files.ts'

const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'sat-rules-')))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

let folders = 0

/** Two folders with rule files, and what is found in them. */
const rulesIn = (global: Record<string, string | Uint8Array>, own: Record<string, string | Uint8Array>) => {
  const root = join(scratch, String(++folders))
  const write = (path: string, text: string | Uint8Array) => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  for (const [path, text] of Object.entries(global)) write(join('global', path), text)
  for (const [path, text] of Object.entries(own)) write(join('project', path), text)
  const lines: Array<string> = []
  const files = new RuleFiles(
    [{ scope: 'global', path: join(root, 'global') }, { scope: 'project', path: join(root, 'project') }],
    [root],
  )
  const discover = () => files.discover((scope, file) => lines.push(`Discovered ${scope} rule: ${file}`))
  const names = async () => (await discover()).rules.map(({ name, body }) => `${name}: ${body}`)
  const leftOut = async () =>
    (await discover()).leftOut.map(({ path, line, reason }) =>
      `${path.replace(root, '')}:${line ?? ''} ${reason}`
    )
  return { root, write, lines, files, names, leftOut }
}

test('rule files are found in sorted order, global before project, and nothing else is', async () => {
  const { names, lines } = await rulesIn(
    { 'b.md': 'B', 'a.mdc': 'A', 'style.md': 'global style', 'z/deep/c.md': 'C' },
    {
      'style.mdc': 'own style',
      'a b.md': 'AB',
      '.hidden.md': 'x',
      '.folder/x.md': 'x',
      'empty.md': '',
      'blank.md': ' \n\n',
      'headed.md': '---\ndescription: x\n---\n',
      'x.MD': 'x',
      'x.md.bak': 'x',
      'md': 'x',
      'x.markdown': 'x',
    },
  )
  expect(await names()).toEqual(['a: A', 'b: B', 'z/deep/c: C', 'a b: AB', 'style: own style'])
  expect(lines).toEqual([
    'Discovered global rule: a.mdc',
    'Discovered global rule: b.md',
    'Discovered global rule: z/deep/c.md',
    'Discovered project rule: a b.md',
    'Discovered project rule: style.mdc',
  ])
})

test('folders that do not exist have no rules', async () => {
  const { names, lines } = rulesIn({}, {})
  expect([await names(), lines]).toEqual([[], []])
})

test('an edited, an added and a removed file are seen; an unchanged one is not read again', async () => {
  const { names, write, root, files } = rulesIn({}, { 'a.md': 'A', 'b.md': 'B' })
  const { rules: [first] } = await files.discover()
  write('project/b.md', 'BB')
  write('project/c.md', 'C')
  expect(await names()).toEqual(['a: A', 'b: BB', 'c: C'])
  expect((await files.discover()).rules[0]?.applies).toBe(first!.applies)
  rmSync(join(root, 'project/a.md'))
  expect(await names()).toEqual(['b: BB', 'c: C'])
  write('project/b.md', 'DD')
  utimesSync(join(root, 'project/b.md'), 1, 1)
  expect(await names()).toEqual(['b: DD', 'c: C'])
})

test('where nothing changed, a look gives the same rules, and reads nothing', async () => {
  const { files, write } = rulesIn({ 'g.md': 'G' }, { 'a.md': 'A', 'web/b.md': 'B' })
  await Bun.sleep(60)
  const first = await files.discover()
  expect(await files.discover()).toBe(first)
  write('project/web/c.md', 'C')
  const second = await files.discover()
  expect(second.rules.map(({ name }) => name)).toEqual(['g', 'a', 'web/b', 'web/c'])
  expect(second.rules[1]).toBe(first.rules[1])
})

test('rules of one name in one scope are called by their paths, while there are several', async () => {
  const { names, root, write } = rulesIn({ 'style.md': 'replaced' }, {
    'style.md': 'A',
    'style.mdc': 'B',
    'x/style.md': 'X',
  })
  expect(await names()).toEqual([`${root}/project/style.md: A`, `${root}/project/style.mdc: B`, 'x/style: X'])
  rmSync(join(root, 'project/style.mdc'))
  expect(await names()).toEqual(['style: A', 'x/style: X'])
  write('other/style.md', 'O')
  const labelled = new RuleFiles([
    { scope: 'project', path: join(root, 'project'), label: '.opencode/rules' },
    { scope: 'project', path: join(root, 'other'), label: 'packages/a/.opencode/rules' },
  ], [root])
  expect((await labelled.discover()).rules.map(({ name }) => name)).toEqual([
    '.opencode/rules/style.md',
    'x/style',
    'packages/a/.opencode/rules/style.md',
  ])
})

test('a file that is written twice within a tick of the disk says what it says last', async () => {
  const { names, write } = rulesIn({}, {})
  for (let round = 0; round < 200; round++) {
    const body = String.fromCharCode(65 + round % 26)
    write('project/a.md', body)
    expect(await names()).toEqual([`a: ${body}`])
  }
})

test('a session takes 500 rules with 512 KB in all; the others are counted where they are found', async () => {
  const many = (amount: number, text: string) =>
    Object.fromEntries(Array.from({ length: amount }, (_, index) => [`r${1000 + index}.md`, text]))
  const { names, leftOut } = rulesIn({ 'own.md': 'OWN' }, many(600, 'x'))
  expect([(await names()).length, (await names())[0]]).toEqual([500, 'own: OWN'])
  expect(await leftOut()).toEqual([
    expect.stringMatching(/^\/project: 101 more rule files .*500 rules with 512 KB/),
  ])
  const large = rulesIn({}, many(5, 'x'.repeat(200_000)))
  expect((await large.names()).length).toBe(2)
  expect(await large.leftOut()).toEqual([expect.stringMatching(/^\/project: 3 more rule files/)])
})

test('what cannot be used is left out by file and line, and the others are not touched', async () => {
  const { names, write, leftOut } = rulesIn({}, {
    'broken.md': '---\ndescription: x\nglobs: "a\n---\nx',
    'bytes.md': new Uint8Array([0x61, 0xff]),
    'huge.md': 'x'.repeat(256_001),
    'costly.md': `---\nx: 1\nglobs: "${'*a'.repeat(24)}"\n---\nx`,
    'ok.md': 'fine',
  })
  expect(await names()).toEqual(['ok: fine'])
  expect(await leftOut()).toEqual([
    expect.stringMatching(/^\/project\/broken\.md:3 ./),
    expect.stringMatching(/^\/project\/bytes\.md: .*UTF-8/),
    expect.stringMatching(/^\/project\/costly\.md:3 .*24 stars/),
    expect.stringMatching(/^\/project\/huge\.md: it has 256001 bytes/),
  ])
  write('project/broken.md', 'mended')
  expect(await names()).toEqual(['broken: mended', 'ok: fine'])
})

test('links are followed inside the roots and go round in no circle, one file is one rule, a pipe hangs nothing', async () => {
  const { names, write, root, leftOut } = rulesIn({}, { 'a.md': 'A' })
  write('elsewhere/shared.md', 'S')
  symlinkSync(join(root, 'elsewhere'), join(root, 'project/linked'))
  symlinkSync(join(root, 'project'), join(root, 'project/loop'))
  symlinkSync(join(root, 'project/a.md'), join(root, 'project/again.md'))
  symlinkSync(join(root, 'nowhere.md'), join(root, 'project/dangling.md'))
  Bun.spawnSync(['mkfifo', join(root, 'project/pipe.md')])
  expect((await names()).sort()).toEqual(['a: A', 'linked/shared: S'])
  expect(await leftOut()).toEqual([
    '/project/dangling.md: no such file',
    '/project/pipe.md: it is a device, a pipe or a socket, not a file',
  ])
})

test('links out of the roots are not followed without a word, except from a folder that the person named', async () => {
  const { names, write, root, leftOut, files } = rulesIn({}, { 'a.md': 'A' })
  const outside = mkdtempSync(join(scratch, 'outside-'))
  writeFileSync(join(outside, 'x.md'), 'X')
  symlinkSync('/', join(root, 'project/root'))
  symlinkSync(join(outside, 'x.md'), join(root, 'project/x.md'))
  expect(await names()).toEqual(['a: A'])
  expect(await leftOut()).toEqual([
    expect.stringMatching(/^\/project\/root: it leads out of the project to \/; name that folder in rules/),
    expect.stringMatching(/^\/project\/x\.md: it leads out of the project/),
  ])
  write('rules/keep.md', 'K')
  symlinkSync(outside, join(root, 'named'))
  const named = new RuleFiles([
    { scope: 'project', path: join(root, 'named'), named: 'named' },
    { scope: 'project', path: join(root, 'gone'), named: 'gone' },
    { scope: 'project', path: join(root, 'elsewhere/gone'), named: 'gone' },
  ], [root])
  expect((await named.discover()).rules.map(({ name }) => name)).toEqual(['x'])
  expect((await named.discover()).missing).toEqual(['gone'])
  expect((await files.discover()).missing).toEqual([])
})
