/** Configures the same formatters for the host and as commands of SAT: a story must pass with both. */
import { CHECKOUT } from '../harness/host.ts'
import { story } from '../harness/story.ts'

/** Ends each line with a semicolon, keeps line endings, and removes blank lines after blank ones and repeated lines. */
const TIDY = [
  `sed -i 's/ *= */ = /; /[a-z0-9]/s/;*\\(\\r*\\)$/;\\1/' "$1"`,
  `cat -s "$1" | awk '!/[a-z]/ || !seen[$0]++' > "$1.tidy"`,
  'cat "$1.tidy" > "$1"; rm "$1.tidy"',
].join(' && ')

/** Removes each import whose name nothing uses, sorts the others to the head, and ends each line with a semicolon. */
export const IMPORTS = `import { readFileSync, writeFileSync } from 'node:fs'
const path = process.argv[2]
const lines = readFileSync(path, 'utf8').split('\\n').filter((line) => line !== '')
const imports = lines.filter((line) => line.startsWith('import'))
const rest = lines.filter((line) => !line.startsWith('import'))
const isUsed = (line) => rest.some((one) => one.includes(/{ *(\\w+) *}/.exec(line)[1]))
const all = [...imports.filter(isUsed).sort(), ...rest]
writeFileSync(path, all.map((line) => line.replace(/;*$/, ';') + '\\n').join(''))
`

/** The commands by extension. `.broken` fails on a bracket before it writes, `.mended` on a word after it has written. */
const COMMANDS = {
  js: TIDY,
  ts: 'node imports.mjs "$1"',
  mended: `sed -i 's/ *= */ = /' "$1"; ! grep -n WRONG "$1" || exit 2`,
  broken: `grep -n '(' "$1" && exit 2; sed -i 's/ *= */ = /' "$1"`,
}

const formatter: Record<string, unknown> = {}
const format_on_save: Record<string, string> = {}
for (const [extension, command] of Object.entries(COMMANDS)) {
  formatter[extension] = { command: ['sh', '-c', command, 'sh', '$FILE'], extensions: [`.${extension}`] }
  format_on_save[`*.${extension}`] = command.replaceAll(/"\$1(\.tidy)?"/g, '{path}$1')
}

/** The config of a project with SAT and commands of its own. */
export const WITH_COMMAND = { plugin: [[CHECKOUT, { format_on_save }]] }

export const SETTINGS: Array<[string, Record<string, unknown>]> = [
  ["the host's formatter", { plugin: [CHECKOUT], formatter }],
  ['a command', WITH_COMMAND],
]

/** Runs a story with both settings in parallel; an error names the setting. */
export const storyPerSetting = (
  name: string,
  play: (config: Record<string, unknown>, name: string) => Promise<void>,
): void =>
  story(name, async () => {
    await Promise.all(SETTINGS.map(async ([setting, config]) => {
      try {
        await play(config, setting)
      } catch (cause) {
        throw new Error(`with ${setting}`, { cause })
      }
    }))
  })
