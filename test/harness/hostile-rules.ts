/** Lists rule files that cost as much time as possible to read, as a hostile repository may contain them. */

const header = (lines: string): string => `---\n${lines}\n---\nBe brief.\n`

const list = (key: string, item: string, bytes: number): string =>
  `${key}:\n${`  - '${item}'\n`.repeat(Math.ceil(bytes / (item.length + 7)))}`

/** A length just below the limit of a header, 8,192 characters. */
const FULL = 8_000
/** A length just below the limit of a file, 256 KB. */
const LARGE = 250_000

/** The content of a rule file, by kind. */
export const HOSTILE_RULES: Record<string, string> = {
  'blanks in globs': header(`globs: a${' '.repeat(FULL)}b`),
  'blanks in keywords': header(`keywords: a${' '.repeat(LARGE)}b`),
  'blanks around commas': header(`agents: [${'a ,'.repeat(FULL / 3)}]`),
  'open quotes': header(`globs: ${'"a '.repeat(FULL / 3)}`),
  'an open quote of 200 KB': header(`globs: "${'a'.repeat(200_000)}`),
  'open brackets': header(`globs: ${'[{('.repeat(FULL / 3)}`),
  'braces': header(list('globs', '{a,b}{c,d}{e,f}{g,h}{i,j}{k,l}{m,n}/**', FULL)),
  'short globs': header(list('globs', '*a', FULL)),
  'globs that repeat': header(list('globs', '+(a|+(b|*)*(c|d))*/**/*/**/*.x', FULL)),
  'branches': header(list('branches', '{a,b}{c,d}*', FULL)),
  'patterns': header(list('forbid', 'a{900}', FULL)),
  'patterns in a header of 250 KB': header(list('forbid', '\\p{L}{900}', LARGE)),
  'patterns of classes': header(list('forbid', '\\p{L}'.repeat(190), FULL)),
  'groups that repeat': header(list('forbid', `(?:${'a'.repeat(900)}){900}`, FULL)),
  'examples': header(`forbid: '\\p{L}{400}'\nbad: '${'x'.repeat(FULL)}'`),
  'many examples': header(`forbid: '(?:x|\\p{L}){90}'\n${list('good', 'xxxxxxxx', FULL)}`),
  'many keys': header('a: b\n'.repeat(FULL / 5)),
  'many keys, never closed': `---\nglobs: x\n${'a: b\n'.repeat(LARGE / 5)}`,
  'blank lines': `---\n${'\n'.repeat(LARGE)}x`,
  'horizontal rules': '---\n'.repeat(LARGE / 4),
  'one line': 'x'.repeat(LARGE),
  'nested items': header(`forbid:\n${'- '.repeat(FULL / 2)}`),
  'comments': header(`globs: ${' #'.repeat(FULL / 2)}`),
}
