/** Every reader of a foreign text takes 1 MB of the worst of its kind in less than a second: nothing is quadratic. */
import { expect, test } from 'bun:test'
import { truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { addRules } from '../../src/append.ts'
import { discover, findInstructions } from '../../src/discover.ts'
import { frontmatterEntries, frontmatterOf } from '../../src/markdown/frontmatter.ts'
import { namesIn } from '../../src/markdown/names-in-text.ts'
import { staleNames } from '../../src/markdown/stale-names.ts'
import { compareMeaning } from '../../src/meaning/compare-meaning.ts'
import { expandFiles } from '../../src/resolve.ts'
import { FormatResponseSchema } from '../../src/rule-schema.ts'
import { hiddenCharacters } from '../../src/text/hidden-characters.ts'
import { inBackticks } from '../../src/text/quoted-name.ts'
import { limitOf, toAnswer } from '../../src/tools/discover-answer.ts'
import { createDiscoverTool } from '../../src/tools/discover-rules.ts'
import { PipelineState } from '../../src/tools/pipeline-state.ts'
import { unsaidOf } from '../../src/tools/unsaid-lines.ts'
import { validateValue } from '../../src/validate.ts'
import { CHECKOUT } from '../harness/host.ts'
import { longestHold } from '../harness/longest-hold.ts'
import { scratchFolder, writeFileAt } from '../harness/scratch.ts'
import { toolOutput } from '../harness/tool-output.ts'
import { expectLinear, expectWithinASecond, filled } from '../harness/within-a-second.ts'

const HIDDEN = '\u200B\n,\u{E0041},規\u{E0161},\x01,🏴,ا\u200D,#\uFE0F,\u200F א, \r'
  .split(',')

const NAMES = ['a,', '{a,', '{,}', '../', '\\', '\0']

const PATTERNS = ['*a', '**/', '[a', '@(a|', '!(', '{{a,b},']

const JSON_TEXTS = ['/*', '"', '\\"', '{"a":', ',', '/* */,\n']

const folder = scratchFolder()
writeFileSync(join(folder, 'a'.repeat(250)), '')

// A number in each makes them all different, so that none is known from the one before.
const numbered = (text: string): string => {
  let at = 0
  return text.replaceAll('N', () => String(at++))
}

const MARKDOWN = '`nN` ;`;```\nN\n```\n;[a](N)\n;[;|N|\n|-|\n;> ;N\n'.split(';')

// Names are looked for in code spans alone.
const STALE =
  '`nN` ;``N`;`src/N.ts` ;`src/*a*a*a*a*a*aN` ;`npm run N` ;`make N` ;`src/{a,b}{a,b}{a,b}{a,b}N` ;e.g. '
    .split(';')

/** What a reader of names looks at, each alone and all together. */
const NAME_PIECES =
  '`;``;`a` ;```sh\n;~~~\n;[;](;](a/b.c;[a](;<!--;-->;- ;> ;a;a/;.a;a/a.a.;a/b.c ;@a/;/.;~;\\;\n;#; '.split(
    ';',
  )

const PLACE = { root: CHECKOUT, directory: CHECKOUT }
const AGENTS = join(CHECKOUT, 'AGENTS.md')

const READERS: Array<[reads: string, units: Array<string>, read: (text: string) => unknown]> = [
  ['hidden characters', HIDDEN, hiddenCharacters],
  ['a text in backticks', ['`', 'a`', '``\n'], inBackticks],
  // Many items, many lines, long items: the other kinds are the reader's of hidden characters.
  [
    'the answer of discover-rules',
    ['\u200B', '\u200B\n', '\n', '# a\n'],
    (content) => toAnswer([{ path: '/a.md', content }], [], limitOf(undefined)),
  ],
  [
    'many rules to write',
    ['\x01', ' '],
    (text) => validateValue({ rules: text.match(/[^]{1,40}/g)?.slice(0, 5_000) }, FormatResponseSchema),
  ],
  [
    'what a rule replaces',
    ['a', '`', '](a', 'https://a', '. '],
    (text) =>
      compareMeaning([{ strength: 'forbidden', action: text, target: 'x' }], [{ text, rules: [0] }], [text]),
  ],
  ['named files', [...NAMES, ...PATTERNS], (files) => expandFiles(folder, files)],
  [
    'an entry of "instructions"',
    [...NAMES, ...PATTERNS, '{a,b}', '{1..9}'],
    (entry) => findInstructions(folder, { worktree: folder, instructions: [entry] }),
  ],
  ['opencode.json', JSON_TEXTS, (text) => {
    writeFileSync(join(folder, 'opencode.json'), text)
    return discover(folder)
  }],
  [
    'what a rewrite dropped',
    MARKDOWN,
    (text) => unsaidOf(numbered(text), `${numbered(text.slice(0, text.length / 4))}- use x\n`),
  ],
  [
    'an addition',
    ['<x>\n'],
    (tags) => addRules(tags + tags.replaceAll('<x>', 'a </y>'), { rules: ['zebra'] }),
  ],
  // In a header that ends or does not, as a value and as lines of its own.
  ['a header', [' ', 'k: [\n', '[', '"', '- \r'], (text) => {
    for (const lines of [`globs: a${text}b\n`, `x: ${text}`, text]) {
      for (const end of ['', '\n---\n']) {
        frontmatterEntries(frontmatterOf(`---\ndescription: x\n${lines}${end}`)?.lines ?? [])
      }
    }
  }],
  [
    'names',
    [...NAME_PIECES, `${'a'.repeat(9_000)}\n`, NAME_PIECES.join(''), NAME_PIECES.toReversed().join('')],
    (text) => namesIn(text.slice(0, text.length / 2)),
  ],
  [
    'what is not there any more',
    STALE,
    (text) => staleNames([{ path: AGENTS, content: numbered(text) }], PLACE),
  ],
]

test('a pattern with many stars that a file names blocks nobody', () =>
  expectWithinASecond('a pattern', () => {
    writeFileAt(join(folder, 'src', 'a'.repeat(40)))
    const content = `Read \`src/${'*a'.repeat(24)}b\` and \`src/*a*a*a*ab\` first.`
    return staleNames([{ path: join(folder, 'AGENTS.md'), content }], { root: folder, directory: folder })
  }))

for (const [reads, units, read] of READERS) {
  for (const unit of units) {
    test(`1 MB of ${JSON.stringify(unit)} as ${reads}`, async () => {
      await expectLinear(reads, (bytes) => read(filled(unit, bytes)))
    })
  }
}

test('120 files of 9 MB take no memory and keep nobody waiting', async () => {
  const directory = join(folder, 'large')
  for (let index = 0; index < 120; index++) {
    writeFileAt(join(directory, `${index}.md`))
    truncateSync(join(directory, `${index}.md`), 9_000_000)
  }
  const tool = createDiscoverTool({ description: '', directory, sessions: new PipelineState() })
  let output = ''
  const context = { directory, worktree: directory }
  const hold = await longestHold(async () => (output = await toolOutput(tool, { files: '*.md' }, context)))
  expect(output).toContain('119.md (9000 KB)')
  expect(hold.ms).toBeLessThan(2_000)
  expect(hold.megabytes).toBeLessThan(150)
})
