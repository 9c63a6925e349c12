/** Configs in which SAT or the host formats the files. */
import { CHECKOUT } from '../harness/host.ts'
import { story } from '../harness/story.ts'

/** Who formats: SAT (by its option `format_on_save`), the host while SAT is loaded, or the host alone. */
export type Setting = 'option' | 'host' | 'without SAT'

export type Formatter = { command: string; extensions: Array<string> }

export const withFormatOnSave = (format_on_save: Record<string, unknown> | false) => ({
  plugin: [[CHECKOUT, { format_on_save }]],
})

export const configOf = (setting: Setting, formatters: Array<Formatter>): Record<string, unknown> => {
  if (setting === 'option') {
    const entriesOf = ({ command, extensions }: Formatter) => extensions.map((end) => [`*${end}`, command])
    return withFormatOnSave(Object.fromEntries(formatters.flatMap(entriesOf)))
  }
  const hostFormatters = formatters.map(({ command, extensions }, index) => {
    const script = command.replaceAll('{path}', '"$1"')
    // If a command does not contain `$FILE`, SAT assumes that the command may change any file of the project.
    const file = script === command ? [] : ['sh', '$FILE']
    return [`own-${index}`, { command: ['sh', '-c', script, ...file], extensions }]
  })
  return { plugin: setting === 'host' ? [CHECKOUT] : [], formatter: Object.fromEntries(hostFormatters) }
}

/** Turns `a=1` into `a = 1` in the files whose paths follow the command. */
export const ADD_SPACES = "sed -i 's/ *= */ = /'"
export const FORMAT = `${ADD_SPACES} {path}`

/** Removes blank lines and unused imports, sorts the other imports, and adds semicolons. */
export const IMPORTS_SCRIPT = `import { readFileSync, writeFileSync } from 'node:fs'
const path = process.argv[2]
const lines = readFileSync(path, 'utf8').split('\\n').filter((line) => line !== '')
const imports = lines.filter((line) => line.startsWith('import'))
const code = lines.filter((line) => !line.startsWith('import'))
const isUsed = (line) => code.some((codeLine) => codeLine.includes(/{ *(\\w+) *}/.exec(line)[1]))
const all = [...imports.filter(isUsed).sort(), ...code]
writeFileSync(path, all.map((line) => line.replace(/;*$/, ';') + '\\n').join(''))
`

/** Turns `a=1` into `a = 1;`, and removes later copies of a line with letters. */
const TIDY = [
  `sed -i 's/ *= */ = /; /[a-z0-9]/s/;*\\(\\r*\\)$/;\\1/' {path}`,
  `cat -s {path} | awk '!/[a-z]/ || !seen[$0]++' > {path}.tidy`,
  'cat {path}.tidy > {path}; rm {path}.tidy',
].join(' && ')

const FORMATTERS: Array<Formatter> = [
  { extensions: ['.js'], command: TIDY },
  { extensions: ['.ts'], command: 'node imports.mjs {path}' },
  { extensions: ['.broken'], command: `grep -n '(' {path} && exit 2; ${FORMAT}` },
  { extensions: ['.mended'], command: `${FORMAT}; ! grep -n WRONG {path} || exit 2` },
]

export const WITH_COMMANDS = configOf('option', FORMATTERS)
export const WITH_HOST_FORMATTERS = configOf('host', FORMATTERS)

export type PlayInSetting = (config: Record<string, unknown>, setting: Setting) => Promise<void>

export const storyPerSetting = (name: string, play: PlayInSetting, formatters = FORMATTERS): void => {
  for (const setting of ['option', 'host'] as const) {
    story(`${name} (formatted by the ${setting})`, () => play(configOf(setting, formatters), setting))
  }
}
