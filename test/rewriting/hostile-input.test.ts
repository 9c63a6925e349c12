import { expect, test } from 'bun:test'
import { truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { addRules } from '../../src/append.ts'
import { discover, findInstructions } from '../../src/discover.ts'
import { namesIn } from '../../src/markdown/names-in-text.ts'
import { staleNames } from '../../src/markdown/stale-names.ts'
import { compareMeaning } from '../../src/meaning/compare-meaning.ts'
import { expandFiles } from '../../src/resolve.ts'
import { FormatResponseSchema } from '../../src/rule-schema.ts'
import { hiddenCharacters } from '../../src/text/hidden-characters.ts'
import { inBackticks } from '../../src/text/quoted-name.ts'
import { answerLimit, formatAnswer } from '../../src/tools/discover-answer.ts'
import { createDiscoverTool } from '../../src/tools/discover-rules.ts'
import { SessionStates } from '../../src/tools/pipeline-state.ts'
import { findUnsaid } from '../../src/tools/unsaid-lines.ts'
import { validateValue } from '../../src/validate.ts'
import { CHECKOUT } from '../harness/host.ts'
import { longestHold } from '../harness/longest-hold.ts'
import { expectLinear, expectNoHang, filled } from '../harness/processor-time.ts'
import { scratchFolder, writeFileAt } from '../harness/scratch.ts'
import { toolOutput } from '../harness/tool-output.ts'

const folder = scratchFolder()
// A pattern with many stars (`*a*a*a`) is slowest on a long file name.
writeFileSync(join(folder, 'a'.repeat(250)), '')

// Each test repeats one of these units, to at most 1.6 MB: 'a,' → 'a,a,a,…'.
const HIDDEN = '\u200B\n,\u{E0041},規\u{E0161},\x01,🏴,ا\u200D,#\uFE0F,\u200F א, \r'.split(',')
const PATHS = ['a,', '{a,', '{,}', '../', '\\', '\0', '*a', '**/', '[a', '@(a|', '!(', '{{a,b},']
const JSON_UNITS = ['/*', '"', '\\"', '{"a":', ',', '/* */,\n']
const MARKDOWN = '`nN` ;`;```\nN\n```\n;[a](N)\n;[;|N|\n|-|\n;> ;N\n'.split(';')
const CODE_SPANS =
  '`nN` ;``N`;`src/N.ts` ;`src/*a*a*a*a*a*aN` ;`npm run N` ;`make N` ;`src/{a,b}{a,b}{a,b}{a,b}N` ;e.g. '
    .split(';')
const MARKUP =
  '`;``;`a` ;```sh\n;~~~\n;[;](;](a/b.c;[a](;<!--;-->;- ;> ;a;a/;.a;a/a.a.;a/b.c ;@a/;/.;~;\\;\n;#; '
    .split(';')
const MIXED_MARKUP = [`${'a'.repeat(9_000)}\n`, MARKUP.join(''), MARKUP.toReversed().join('')]

/** Numbers the names in a text, because SAT skips repeated names: '`N` `N`' → '`0` `1`'. */
const numbered = (text: string): string => {
  let number = 0
  return text.replaceAll('N', () => String(number++))
}

const answerOf = (content: string) => formatAnswer([{ path: '/a.md', content }], [], answerLimit(undefined))

const validateParts = (text: string) =>
  validateValue({ rules: text.match(/[^]{1,40}/g)?.slice(0, 5_000) }, FormatResponseSchema)

const compareRule = (text: string) =>
  compareMeaning([{ strength: 'forbidden', action: text, target: 'x' }], [{ text, rules: [0] }], [text])

const findEntry = (entry: string) => findInstructions(folder, { worktree: folder, instructions: [entry] })

const discoverWith = (config: string) => {
  writeFileSync(join(folder, 'opencode.json'), config)
  return discover(folder)
}

const keepQuarter = (text: string) =>
  findUnsaid(numbered(text), `${numbered(text.slice(0, text.length / 4))}- use x\n`)

const addToTags = (openingTags: string) =>
  addRules(openingTags + openingTags.replaceAll('<x>', 'a </y>'), { rules: ['zebra'] })

const staleIn = (content: string, root: string) =>
  staleNames([{ path: join(root, 'AGENTS.md'), content }], { root, directory: root })

const READERS: Array<[input: string, units: Array<string>, read: (repeatedUnit: string) => unknown]> = [
  ['hidden characters', HIDDEN, hiddenCharacters],
  ['a text in backticks', ['`', 'a`', '``\n'], inBackticks],
  ['the answer of discover-rules', ['\u200B', '\u200B\n', '\n', '# a\n'], answerOf],
  ['the validation of many rules', ['\x01', ' '], validateParts],
  ['a parsed rule, its new text and its old words', ['a', '`', '](a', 'https://a', '. '], compareRule],
  ['named files', PATHS, (files) => expandFiles(folder, files)],
  ['an entry of "instructions"', [...PATHS, '{a,b}', '{1..9}'], findEntry],
  ['opencode.json', JSON_UNITS, discoverWith],
  ['lines that a rewrite removes', MARKDOWN, keepQuarter],
  ['an addition to a text whose tags do not match', ['<x>\n'], addToTags],
  ['names in a text', [...MARKUP, ...MIXED_MARKUP], namesIn],
  ['stale names', CODE_SPANS, (text) => staleIn(numbered(text), CHECKOUT)],
]

for (const [input, units, read] of READERS) {
  for (const unit of units) {
    test(`${input}: repetitions of ${JSON.stringify(unit)} are read in linear time`, () =>
      expectLinear(input, (bytes) => read(filled(unit, bytes))))
  }
}

test('if a pattern with many stars almost fits a name, the search for stale names does not hang', () =>
  expectNoHang('a pattern', () => {
    writeFileAt(join(folder, 'src', 'a'.repeat(40)))
    return staleIn(`Read \`src/${'*a'.repeat(24)}b\` and \`src/*a*a*a*ab\` first.`, folder)
  }))

test('discover-rules on 120 files of 9 MB neither fills memory nor blocks', async () => {
  const directory = join(folder, 'large')
  for (let index = 0; index < 120; index++) {
    writeFileAt(join(directory, `${index}.md`))
    truncateSync(join(directory, `${index}.md`), 9_000_000)
  }
  const tool = createDiscoverTool({ description: '', directory, sessions: new SessionStates() })
  let output = ''
  const context = { directory, worktree: directory }
  const hold = await longestHold(async () => (output = await toolOutput(tool, { files: '*.md' }, context)))
  expect(output).toContain('119.md (9000 KB)')
  expect(hold.ms).toBeLessThan(2_000)
  expect(hold.megabytes).toBeLessThan(150)
})
