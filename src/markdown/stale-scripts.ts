/** Finds commands in a text that run a script of a package, `make` or `just` that no file of the project defines. */
import { readdir } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { safe } from '../safe.ts'
import { readInBatches, readText } from '../text/read.ts'
import { hasPathEndingIn, type ProjectTree } from './project-tree.ts'

// The tools' own commands: as the first word after the name of the tool, they are not scripts.
const PNPM =
  /^(?:add|approve-builds|audit|bin|c|cat-file|catalog|ci|config|create|dedupe|deploy|dlx|doctor|env|exec|fetch|i|import|info|init|install|it|licenses|link|list|ll|login|ls|outdated|pack|patch|prune|publish|rebuild|recursive|remove|rm|root|self-update|server|setup|start|store|un|uninstall|unlink|up|update|upgrade|view|why)$/
const YARN =
  /^(?:add|audit|bin|cache|config|constraints|create|dedupe|dlx|exec|explain|global|help|import|info|init|install|licenses|link|list|login|node|npm|outdated|pack|patch|plugin|policies|publish|rebuild|remove|search|set|stage|start|tag|team|unlink|unplug|up|upgrade|upgrade-interactive|version|versions|why|workspace|workspaces)$/
const BUN =
  /^(?:a|add|audit|build|c|completions|create|exec|help|i|info|init|install|link|outdated|patch|pm|publish|remove|repl|rm|start|test|unlink|up|update|upgrade|why|x)$/

/** A tool that runs scripts: what it calls one, which files define them, and the tool's own commands. */
type Tool = { noun: string; file: RegExp; builtIn?: RegExp }

const MANIFEST = { noun: 'script', file: /^package\.json$/ }
const TOOLS: ReadonlyMap<string, Tool> = new Map(Object.entries({
  // Without `run`, npm needs a script only for `test`.
  npm: { ...MANIFEST, builtIn: /^(?!test$)/ },
  pnpm: { ...MANIFEST, builtIn: PNPM },
  yarn: { ...MANIFEST, builtIn: YARN },
  bun: { ...MANIFEST, builtIn: BUN },
  make: { noun: 'target', file: /^(?:GNUm|M|m)akefile$|\.mk$/ },
  just: { noun: 'recipe', file: /^\.?[Jj]ustfile$|\.just$/ },
}))

const NAME = /^[a-z][\w:-]*$/i
// A prompt and variables may precede a command: `$ CI=1 npm test`.
const PREFIX = /^(?:\$ +)?(?:[A-Za-z_]\w*=\S* +)*/

/** A script that a command runs. `mayBeProgram`: the same command may also run an installed program of this name. */
type Script = Tool & { name: string; mayBeProgram: boolean }

/** Lists the scripts that a single shell command runs. Omits the tools' own commands. */
const scriptsOf = (command: string): Array<Script> => {
  const [toolName = '', ...args] = command.trim().replace(PREFIX, '').split(/\s+/)
  const tool = TOOLS.get(toolName)
  if (tool === undefined || args.includes('--if-present')) return []
  const { builtIn } = tool
  const isPackageManager = builtIn !== undefined
  const hasRun = isPackageManager && /^run(?:-script)?$/.test(args[0] ?? '')
  // With `run`, Yarn and Bun run programs too.
  const runsPrograms = isPackageManager && (!hasRun || toolName === 'yarn' || toolName === 'bun')
  // A word after an option of `make` may be the option's value.
  const targets = args.some((arg) => arg.startsWith('-')) ? [] : args
  const [name = ''] = hasRun ? args.slice(1) : args
  const scripts = !hasRun && builtIn?.test(name) ? [] : [name]
  const names = toolName === 'make' ? targets : scripts
  return names.filter((script) => NAME.test(script))
    .map((script) => ({ ...tool, name: script, mayBeProgram: runsPrograms && !script.includes(':') }))
}

/** A file that defines scripts: their names, whether it may define more, and the installed programs, if known. */
type ScriptFile = { path: string; names: Set<string>; hasMore: boolean; programs: Array<string> | null }

// Lines that may add recipes whose names are not in the file. A line of a thousand characters, which is not read,
// counts as such a line.
const MORE_RECIPES =
  /^ *(?:-?include|sinclude|import|mod|\.DEFAULT)\b|^[^\t#:=%$\r\n]*[%$][^:=\r\n]*:|^.{1000}/m

const MAX_READ = 200
const MAX_BYTES = 1_000_000

/** Reads a `package.json`, a Makefile or a justfile. One that cannot be read may define any script. */
const readScriptFile = async (root: string, path: string): Promise<ScriptFile> => {
  const { data } = await readText(join(root, path), { maxBytes: MAX_BYTES })
  const text = data?.text ?? ''
  if (!MANIFEST.file.test(posix.basename(path))) {
    const ruleHeads = text.match(/^[^\t#:=\r\n][^:=\r\n]*/gm) ?? []
    const names = new Set(ruleHeads.join(' ').match(/[\w-]+/g))
    return { path, names, hasMore: data === null || MORE_RECIPES.test(text), programs: [] }
  }
  const manifest = safe(() => Object(JSON.parse(text)) as Record<string, unknown>)
  const keysOf = (key: string): Array<string> => Object.keys(Object(manifest.data?.[key]))
  const hasPackages = [...keysOf('dependencies'), ...keysOf('devDependencies')].length > 0
  const bin = join(root, path, '../node_modules/.bin')
  const programs = hasPackages ? await readdir(bin).catch(() => null) : []
  return { path, names: new Set(keysOf('scripts')), hasMore: manifest.error !== null, programs }
}

/** The files of a project, and the ones that define scripts. */
type ScriptsOfProject = { tree: ProjectTree; scripts: Array<ScriptFile> }

/** Reads the scripts of a project's packages and the recipes of `make` and `just`; none if there are too many files. */
export const readScripts = async (tree: ProjectTree): Promise<ScriptsOfProject> => {
  const tools = [...TOOLS.values()]
  const paths = [...tree.files].filter((path) => tools.some(({ file }) => file.test(posix.basename(path))))
  const scripts = paths.length > MAX_READ ? [] : paths
  return { tree, scripts: await readInBatches(scripts, (path) => readScriptFile(tree.root, path)) }
}

/**
 * Returns which script of a command line is missing and where, as in `package.json has no script "x"`; null if all may
 * exist. `folder` is the folder of the text, as a path from the root.
 */
export const whyScriptMissing = (
  commandLine: string,
  folder: string,
  { tree, scripts }: ScriptsOfProject,
): string | null => {
  for (const { noun, file, name, mayBeProgram } of commandLine.split(/&&|\|\||[;|]/).flatMap(scriptsOf)) {
    const files = scripts.filter(({ path }) => file.test(posix.basename(path)))
    // A command uses the files in the text's own folder and in the folders above it or, if there are none, any file of
    // the project.
    const above = files.filter(({ path }) => `/${folder}/`.startsWith(posix.join('/', path, '../')))
    const applicable = above.length > 0 ? above : files
    const mayExist = files.some(({ names }) => names.has(name)) || applicable.some(({ hasMore }) => hasMore)
      || mayBeProgram && files.some(({ programs }) => programs?.includes(name) ?? true)
      // `make` succeeds for a file that exists, without a recipe.
      || file !== MANIFEST.file && hasPathEndingIn(tree, name)
    const [definingFile] = applicable
    if (definingFile && !mayExist) return `${posix.basename(definingFile.path)} has no ${noun} "${name}"`
  }
  return null
}
