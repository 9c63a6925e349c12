/** Configs in which SAT or the host formats the files. */
import { CHECKOUT } from '../harness/host.ts'
import { story } from '../harness/story.ts'

/** Who formats: SAT, by its option `format_on_save`; the host, with SAT or without it. */
export type Setting = 'option' | 'host' | 'without SAT'

export type Formatter = { command: string; extensions: Array<string> }

export const configOf = (setting: Setting, formatters: Array<Formatter>): Record<string, unknown> => {
  if (setting === 'option') {
    const format_on_save = Object.fromEntries(
      formatters.flatMap(({ command, extensions }) => extensions.map((end) => [`*${end}`, command])),
    )
    return { plugin: [[CHECKOUT, { format_on_save }]] }
  }
  const ofHost = formatters.map(({ command, extensions }, index) => {
    const script = command.replaceAll('{path}', '"$1"')
    // Without `{path}`, no `$FILE` is added: SAT then regards the command as one for the whole project. `sh` is `$0`.
    const file = script === command ? [] : ['sh', '$FILE']
    return [`own-${index}`, { command: ['sh', '-c', script, ...file], extensions }]
  })
  return { plugin: setting === 'host' ? [CHECKOUT] : [], formatter: Object.fromEntries(ofHost) }
}

/** Turns `a=1` into `a = 1` in the files whose paths follow it. */
export const ADD_SPACES = "sed -i 's/ *= */ = /'"

/** Removes blank lines and unused imports, sorts the others, adds semicolons. */
export const IMPORTS_SCRIPT = `import { readFileSync, writeFileSync } from 'node:fs'
const path = process.argv[2]
const lines = readFileSync(path, 'utf8').split('\\n').filter((line) => line !== '')
const imports = lines.filter((line) => line.startsWith('import'))
const code = lines.filter((line) => !line.startsWith('import'))
const isUsed = (line) => code.some((codeLine) => codeLine.includes(/{ *(\\w+) *}/.exec(line)[1]))
const all = [...imports.filter(isUsed).sort(), ...code]
writeFileSync(path, all.map((line) => line.replace(/;*$/, ';') + '\\n').join(''))
`

/** Turns `a=1` into `a = 1;`, in LF or CRLF. Removes repeated blank lines, and later copies of lines with letters. */
const TIDY = [
  `sed -i 's/ *= */ = /; /[a-z0-9]/s/;*\\(\\r*\\)$/;\\1/' {path}`,
  `cat -s {path} | awk '!/[a-z]/ || !seen[$0]++' > {path}.tidy`,
  'cat {path}.tidy > {path}; rm {path}.tidy',
].join(' && ')

const FORMATTERS: Array<Formatter> = [
  { extensions: ['.js'], command: TIDY },
  { extensions: ['.ts'], command: 'node imports.mjs {path}' },
  // Fails without writing.
  { extensions: ['.broken'], command: `grep -n '(' {path} && exit 2; ${ADD_SPACES} {path}` },
  // Fails after writing.
  { extensions: ['.mended'], command: `${ADD_SPACES} {path}; ! grep -n WRONG {path} || exit 2` },
]

export const WITH_COMMANDS = configOf('option', FORMATTERS)
export const WITH_HOST_FORMATTERS = configOf('host', FORMATTERS)

export type PlayInSetting = (config: Record<string, unknown>, setting: Setting) => Promise<void>

export const storyPerSetting = (name: string, play: PlayInSetting, formatters = FORMATTERS): void => {
  for (const setting of ['option', 'host'] as const) {
    story(`${name} (formatted by the ${setting})`, () => play(configOf(setting, formatters), setting))
  }
}
