/** Lists rule files with which a hostile repository would slow SAT down as much as possible. */

const header = (lines: string): string => `---\n${lines}\n---\nBe brief.\n`

const list = (key: string, item: string, bytes: number): string =>
  `${key}:\n${`  - '${item}'\n`.repeat(Math.ceil(bytes / (item.length + 7)))}`

// Just below the limits: 8,192 characters for a header, 256 kB for a file.
const HEADER_LENGTH = 8_000
const FILE_LENGTH = 250_000

export const HOSTILE_RULES: Record<string, string> = {
  'blanks in globs': header(`globs: a${' '.repeat(HEADER_LENGTH)}b`),
  'blanks in keywords': header(`keywords: a${' '.repeat(FILE_LENGTH)}b`),
  'blanks around commas': header(`agents: [${'a ,'.repeat(HEADER_LENGTH / 3)}]`),
  'open quotes': header(`globs: ${'"a '.repeat(HEADER_LENGTH / 3)}`),
  'an open quote of 200 KB': header(`globs: "${'a'.repeat(200_000)}`),
  'open brackets': header(`globs: ${'[{('.repeat(HEADER_LENGTH / 3)}`),
  'braces': header(list('globs', '{a,b}{c,d}{e,f}{g,h}{i,j}{k,l}{m,n}/**', HEADER_LENGTH)),
  'short globs': header(list('globs', '*a', HEADER_LENGTH)),
  'globs that repeat': header(list('globs', '+(a|+(b|*)*(c|d))*/**/*/**/*.x', HEADER_LENGTH)),
  'branches': header(list('branches', '{a,b}{c,d}*', HEADER_LENGTH)),
  'patterns': header(list('forbid', 'a{900}', HEADER_LENGTH)),
  'patterns in a header of 250 KB': header(list('forbid', '\\p{L}{900}', FILE_LENGTH)),
  'patterns of classes': header(list('forbid', '\\p{L}'.repeat(190), HEADER_LENGTH)),
  'groups that repeat': header(list('forbid', `(?:${'a'.repeat(900)}){900}`, HEADER_LENGTH)),
  'examples': header(`forbid: '\\p{L}{400}'\nbad: '${'x'.repeat(HEADER_LENGTH)}'`),
  'many examples': header(`forbid: '(?:x|\\p{L}){90}'\n${list('good', 'xxxxxxxx', HEADER_LENGTH)}`),
  'many keys': header('a: b\n'.repeat(HEADER_LENGTH / 5)),
  'many keys, never closed': `---\nglobs: x\n${'a: b\n'.repeat(FILE_LENGTH / 5)}`,
  'blank lines': `---\n${'\n'.repeat(FILE_LENGTH)}x`,
  'horizontal rules': '---\n'.repeat(FILE_LENGTH / 4),
  'one line': 'x'.repeat(FILE_LENGTH),
  'nested items': header(`forbid:\n${'- '.repeat(HEADER_LENGTH / 2)}`),
  'comments': header(`globs: ${' #'.repeat(HEADER_LENGTH / 2)}`),
}
