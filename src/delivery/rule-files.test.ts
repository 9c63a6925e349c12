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
    (level, message) => lines.push(`${level} ${message.replace(root, '')}`),
    (line) => lines.push(line),
  )
  const names = async () => (await files.discover()).map(({ name, body }) => `${name}: ${body}`)
  return { root, write, lines, files, names, warnings: () => lines.filter((line) => line.startsWith('warn')) }
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
  const [first] = await files.discover()
  write('project/b.md', 'BB')
  write('project/c.md', 'C')
  expect(await names()).toEqual(['a: A', 'b: BB', 'c: C'])
  expect((await files.discover())[0]?.applies).toBe(first!.applies)
  rmSync(join(root, 'project/a.md'))
  expect(await names()).toEqual(['b: BB', 'c: C'])
  write('project/b.md', 'DD')
  utimesSync(join(root, 'project/b.md'), 1, 1)
  expect(await names()).toEqual(['b: DD', 'c: C'])
})

test('what cannot be used is left out with one warning by file and line, and the others are not touched', async () => {
  const { names, write, warnings } = rulesIn({}, {
    'broken.md': '---\ndescription: x\nglobs: "a\n---\nx',
    'bytes.md': new Uint8Array([0x61, 0xff]),
    'huge.md': 'x'.repeat(256_001),
    'ok.md': 'fine',
  })
  expect([await names(), await names()]).toEqual([['ok: fine'], ['ok: fine']])
  expect(warnings()).toHaveLength(3)
  expect(warnings()).toEqual(expect.arrayContaining([
    expect.stringMatching(/^warn Left out the rule file \/project\/broken\.md:[34]: ./),
    expect.stringMatching(/^warn Left out the rule file \/project\/bytes\.md: .*UTF-8/),
    expect.stringMatching(/^warn Left out the rule file \/project\/huge\.md: it has 256001 bytes/),
  ]))
  write('project/broken.md', 'mended')
  expect(await names()).toEqual(['broken: mended', 'ok: fine'])
  expect(warnings()).toHaveLength(3)
})

test('links are followed and go round in no circle, one file is one rule, a pipe hangs nothing', async () => {
  const { names, write, root, warnings } = rulesIn({}, { 'a.md': 'A' })
  write('elsewhere/shared.md', 'S')
  symlinkSync(join(root, 'elsewhere'), join(root, 'project/linked'))
  symlinkSync(join(root, 'project'), join(root, 'project/loop'))
  symlinkSync(join(root, 'project/a.md'), join(root, 'project/again.md'))
  symlinkSync(join(root, 'nowhere.md'), join(root, 'project/dangling.md'))
  Bun.spawnSync(['mkfifo', join(root, 'project/pipe.md')])
  expect((await names()).sort()).toEqual(['a: A', 'linked/shared: S'])
  for (const warning of warnings()) expect(warning).toMatch(/pipe|dangling/)
})
