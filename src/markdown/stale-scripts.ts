/**
 * Finds commands in a text that run what no file of the project defines: a script of a `package.json`, a target of
 * `make` or a recipe of `just`. All three are called scripts here.
 */
import { readdir } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { safe } from '../safe.ts'
import { readInBatches, readText } from '../text/read.ts'
import { hasPathEndingIn, type ProjectTree } from './project-tree.ts'

/** The files of a project, and the ones that define scripts. */
type ScriptsOfProject = { tree: ProjectTree; scriptFiles: Array<ScriptFile> }

/** A file that defines scripts: their names, whether it may define more, and the installed programs, if known. */
type ScriptFile = { path: string; names: Set<string>; mayHaveMore: boolean; programs: Array<string> | null }

/** A script that a command runs. `mayBeProgram`: the same command may also run an installed program of this name. */
type Script = Tool & { name: string; mayBeProgram: boolean }

/**
 * A tool that runs scripts: what it calls one, and which files define them. For a package manager, also whether a word
 * that follows the tool's name, as `add` in `yarn add`, is a command of its own and no script.
 */
type Tool = { noun: string; file: RegExp; isOwnCommand?: (word: string) => boolean }

/**
 * Returns which script of a command line is missing and where, as in `package.json has no script "x"`; null if all may
 * exist. `folder` is the folder of the text, as a path from the root.
 */
export const whyScriptMissing = (
  commandLine: string,
  folder: string,
  { tree, scriptFiles }: ScriptsOfProject,
): string | null => {
  for (const script of commandLine.split(/&&|\|\||[;|]/).flatMap(scriptsOf)) {
    const files = scriptFiles.filter(({ path }) => script.file.test(posix.basename(path)))
    // The files that the command would use: those in the text's own folder and in the folders above it; without one,
    // any file. A name that any file of the project defines is not reported.
    const above = files.filter(({ path }) => `/${folder}/`.startsWith(posix.join('/', path, '../')))
    const applicable = above.length > 0 ? above : files
    const [definingFile] = applicable
    const mayExist = files.some(({ names }) => names.has(script.name))
      || applicable.some(({ mayHaveMore }) => mayHaveMore)
      || script.mayBeProgram && files.some(({ programs }) => programs?.includes(script.name) ?? true)
      // `make` succeeds for a file that exists, without a target; `just` is treated the same.
      || script.file !== MANIFEST.file && hasPathEndingIn(tree, script.name)
    if (definingFile && !mayExist) {
      return `${posix.basename(definingFile.path)} has no ${script.noun} "${script.name}"`
    }
  }
  return null
}

/** Returns a function that tells whether a word is one of those in a list separated by whitespace. */
const commands = (words: string) => {
  const all = new Set(words.trim().split(/\s+/))
  return (word: string): boolean => all.has(word)
}

const MANIFEST = { noun: 'script', file: /^package\.json$/ }
const TOOLS: ReadonlyMap<string, Tool> = new Map(Object.entries({
  make: { noun: 'target', file: /^(?:GNUm|M|m)akefile$|\.mk$/ },
  just: { noun: 'recipe', file: /^\.?[Jj]ustfile$|\.just$/ },
  // Without `run`, npm needs a script only for `test`.
  npm: { ...MANIFEST, isOwnCommand: (word) => word !== 'test' },
  pnpm: {
    ...MANIFEST,
    isOwnCommand: commands(`
      add approve-builds audit bin c cat-file catalog ci config create dedupe deploy dlx doctor env exec fetch i import
      info init install it licenses link list ll login ls outdated pack patch prune publish rebuild recursive remove rm
      root self-update server setup start store un uninstall unlink up update upgrade view why
    `),
  },
  yarn: {
    ...MANIFEST,
    isOwnCommand: commands(`
      add audit bin cache config constraints create dedupe dlx exec explain global help import info init install
      licenses link list login node npm outdated pack patch plugin policies publish rebuild remove search set stage
      start tag team unlink unplug up upgrade upgrade-interactive version versions why workspace workspaces
    `),
  },
  bun: {
    ...MANIFEST,
    isOwnCommand: commands(`
      a add audit build c completions create exec help i info init install link outdated patch pm publish remove repl
      rm start test unlink up update upgrade why x
    `),
  },
}))

// A prompt and variables may precede a command: `$ CI=1 npm test`.
const PREFIX = /^(?:\$ +)?(?:[A-Za-z_]\w*=\S* +)*/
const NAME = /^[a-z][\w:-]*$/i

/**
 * Lists the scripts that a single shell command runs.
 *
 * `npm run lint -- --fix` → `lint`; `make clean all` → `clean`, `all`; `npm install x` → none
 */
const scriptsOf = (command: string): Array<Script> => {
  const [toolName = '', ...args] = command.trim().replace(PREFIX, '').split(/\s+/)
  const tool = TOOLS.get(toolName)
  if (tool === undefined || args.includes('--if-present')) return []
  const { isOwnCommand } = tool
  const hasRun = isOwnCommand !== undefined && /^run(?:-script)?$/.test(args[0] ?? '')
  // With `run`, Yarn and Bun run programs too.
  const runsPrograms = isOwnCommand !== undefined && (!hasRun || toolName === 'yarn' || toolName === 'bun')
  const named = toolName === 'make'
    ? targetsIn(args)
    : args.slice(0, 1).filter((word) => !isOwnCommand?.(word))
  const names = hasRun ? args.slice(1, 2) : named
  return names.filter((name) => NAME.test(name))
    .map((name) => ({ ...tool, name, mayBeProgram: runsPrograms && !name.includes(':') }))
}

/** Lists the targets among the arguments of `make`; none beside an option, because a word may be the option's value. */
const targetsIn = (args: Array<string>): Array<string> => args.some((arg) => arg.startsWith('-')) ? [] : args

const MAX_FILES = 200
const MAX_BYTES = 1_000_000

/** Reads the scripts of a project; none if more than `MAX_FILES` files define some. */
export const readScripts = async (tree: ProjectTree): Promise<ScriptsOfProject> => {
  const tools = [...TOOLS.values()]
  const paths = [...tree.files].filter((path) => tools.some(({ file }) => file.test(posix.basename(path))))
  const readable = paths.length > MAX_FILES ? [] : paths
  return { tree, scriptFiles: await readInBatches(readable, (path) => readScriptFile(tree.root, path)) }
}

/** Reads a `package.json`, a Makefile or a justfile. One that cannot be read may define any script. */
const readScriptFile = async (root: string, path: string): Promise<ScriptFile> => {
  const { data } = await readText(join(root, path), { maxBytes: MAX_BYTES })
  const text = data?.text ?? ''
  if (!MANIFEST.file.test(posix.basename(path))) {
    return {
      path,
      names: recipeNames(text),
      mayHaveMore: data === null || MORE_RECIPES.test(text),
      programs: [],
    }
  }
  const manifest = safe(() => Object(JSON.parse(text)) as Record<string, unknown>)
  const keysOf = (key: string): Array<string> => Object.keys(Object(manifest.data?.[key]))
  const hasPackages = [...keysOf('dependencies'), ...keysOf('devDependencies')].length > 0
  const bin = join(root, path, '../node_modules/.bin')
  const programs = hasPackages ? await readdir(bin).catch(() => null) : []
  return { path, names: new Set(keysOf('scripts')), mayHaveMore: manifest.error !== null, programs }
}

/** Lists the words that may name a recipe: in each line of a Makefile or justfile, those before a `:` or `=`. */
const recipeNames = (text: string): Set<string> => {
  const lineStarts = text.match(/^[^\t#:=\r\n][^:=\r\n]*/gm) ?? []
  return new Set(lineStarts.join(' ').match(/[\w-]+/g))
}

// Matches a line that may add recipes whose names are not in the file: an import, a pattern such as `%.o:`, or a line
// of a thousand characters, which may contain anything.
const MORE_RECIPES =
  /^ *(?:-?include|sinclude|import|mod|\.DEFAULT)\b|^[^\t#:=%$\r\n]*[%$][^:=\r\n]*:|^.{1000}/m
