/** What the stories of format on save share: calls, what the model is shown of them, and the host that formats. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { compileDprintPlugin, DPRINT, DPRINT_PLUGIN } from './dprint.ts'
import { bareHost, CHECKOUT, type Project, type ProjectOptions, type Session, type Turn } from './host.ts'
import type { Call, ModelRequest } from './model.ts'

export const write = (project: Project, file: string, content: string): Call => ({
  tool: 'write',
  args: { filePath: project.path(file), content },
})

export const edit = (
  project: Project,
  file: string,
  oldString: string,
  newString: string,
  more = {},
): Call => ({
  tool: 'edit',
  args: { filePath: project.path(file), oldString, newString, ...more },
})

/** The arguments of the calls that a request shows the model, in order. */
export const argsIn = (request: ModelRequest): Array<Record<string, string>> =>
  request.messages.flatMap(({ tool_calls = [] }) => tool_calls)
    .map((call) => JSON.parse(call.function.arguments) as Record<string, string>)

/** What the model was last shown of its own calls, after a turn. */
export const seen = (turn: Turn): Array<Record<string, string>> => argsIn(turn.requests.at(-1)!)

/** The same, of each call only the text that it puts into a file. */
export const seenTexts = (turn: Turn): Array<string | undefined> =>
  seen(turn).map(({ content, newString }) => content ?? newString)

/** The arguments of a session's calls as the host has stored them. */
export const stored = async (session: Session): Promise<Array<Record<string, unknown>>> =>
  (await session.messages()).flatMap(({ parts }) => parts).filter(({ type }) => type === 'tool')
    .map(({ state }) => state!.input)

/** The project's own formatter settings. */
export const DPRINT_CONFIG = JSON.stringify({
  lineWidth: 80,
  indentWidth: 2,
  typescript: { quoteStyle: 'preferSingle', 'module.sortImportDeclarations': 'caseInsensitive' },
  plugins: [DPRINT_PLUGIN],
})

const SPACES = "sed -i 's/ *= */ = /'"

compileDprintPlugin()

const FORMAT_ON_SAVE = {
  '*.ts': DPRINT,
  'fails.js': 'echo spoilt > {path}; echo first; echo "the reason" >&2; exit 3',
  'hangs.js': 'trap "" TERM; echo spoilt > {path}; sleep 61 & sleep 61',
  'empties.js': ': > {path}',
  'removes.js': 'rm {path}',
  'all/**/*.js': `printf 'run\\n' >> runs.txt; ${SPACES} all/*.js`,
  '*.js': `${SPACES} "{path}"`,
  '*.crlf': "sed -i 's/ *= */ = /; s/\\r*$/\\r/' $FILE",
}

/** A session in a project with its own config. */
export const startWith = async (
  config: Record<string, unknown>,
  options: ProjectOptions = {},
): Promise<{ project: Project; session: Session }> => {
  const project = (await bareHost()).project({ config: { snapshot: false, ...config }, ...options })
  return { project, session: await project.session() }
}

/** A session in a project for whose files SAT has commands. */
export const start = (files: Record<string, string> = {}): Promise<{ project: Project; session: Session }> =>
  startWith({ plugin: [[CHECKOUT, { format_on_save: FORMAT_ON_SAVE }]] }, {
    files: { 'dprint.json': DPRINT_CONFIG, ...files },
  })

/** The lines of the host's log with these words; the host writes them about a second late. */
export const logged = async (...words: Array<string>): Promise<Array<string>> => {
  const file = join((await bareHost()).home, 'data', 'opencode', 'log', 'opencode.log')
  for (let attempt = 0; attempt < 300; attempt += 1) {
    const lines = readFileSync(file, 'utf8').split('\n')
      .filter((line) => words.every((word) => line.includes(word)))
    if (lines.length > 0) return lines
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  return []
}
