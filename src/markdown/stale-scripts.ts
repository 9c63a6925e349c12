/** Finds the scripts (of `package.json`, `make` and `just`) that a text names, but no file of the project defines. */
import { readdir } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { safe } from '../safe.ts'
import { readInBatches, readText } from '../text/read.ts'
import { hasPathEndingIn, type ProjectTree } from './project-tree.ts'

type Kind = { noun: string; fileName: RegExp }
const PACKAGE: Kind = { noun: 'script', fileName: /^package\.json$/ }
const MAKEFILE: Kind = { noun: 'target', fileName: /^(?:GNUm|M|m)akefile$|\.mk$/ }
const JUSTFILE: Kind = { noun: 'recipe', fileName: /^\.?[Jj]ustfile$|\.just$/ }

type ScriptFile = {
  path: string
  kind: Kind
  names: Set<string>
  mayHaveMore: boolean
  /** The programs in `node_modules/.bin`, or null if the packages are not installed. */
  programs: Array<string> | null
}

/** `mayBeProgram` is true for `yarn tsc`, which runs an installed program if there is no script `tsc`. */
type Script = { kind: Kind; name: string; mayBeProgram: boolean }

/** Returns `package.json has no script "x"` for the first missing script of a command line; null if none is missing. */
export const whyScriptMissing = (
  commandLine: string,
  textFolder: string,
  tree: ProjectTree,
  scriptFiles: Array<ScriptFile>,
): string | null => {
  for (const { kind, name, mayBeProgram } of commandLine.split(/&&|\|\||[;|]/).flatMap(scriptsOf)) {
    const files = scriptFiles.filter((file) => file.kind === kind)
    // If the text's folder and the folders above it have no `Makefile`, the text means a `Makefile` in another folder.
    const inOrAbove = files.filter(({ path }) => `/${textFolder}/`.startsWith(posix.join('/', path, '../')))
    const usable = inOrAbove.length > 0 ? inOrAbove : files
    const [file] = usable
    if (file === undefined) continue
    if (files.some(({ names }) => names.has(name))) continue
    if (usable.some(({ mayHaveMore }) => mayHaveMore)) continue
    if (mayBeProgram && files.some(({ programs }) => programs === null || programs.includes(name))) continue
    // `make x` also succeeds if there is a file `x`.
    if (kind !== PACKAGE && hasPathEndingIn(tree, name)) continue
    return `${posix.basename(file.path)} has no ${kind.noun} "${name}"`
  }
  return null
}

const oneOf = (words: string) => {
  const all = new Set(words.trim().split(/\s+/))
  return (word: string): boolean => all.has(word)
}

const BUILT_IN_COMMANDS: ReadonlyMap<string, (word: string) => boolean> = new Map(Object.entries({
  // Without `run`, only `npm test` is checked, because `npm start` also works without a script.
  npm: (word: string) => word !== 'test',
  pnpm: oneOf(`
    add approve-builds audit bin c cat-file catalog ci config create dedupe deploy dlx doctor env exec fetch i import
    info init install it licenses link list ll login ls outdated pack patch prune publish rebuild recursive remove rm
    root self-update server setup start store un uninstall unlink up update upgrade view why
  `),
  yarn: oneOf(`
    add audit bin cache config constraints create dedupe dlx exec explain global help import info init install
    licenses link list login node npm outdated pack patch plugin policies publish rebuild remove search set stage
    start tag team unlink unplug up upgrade upgrade-interactive version versions why workspace workspaces
  `),
  bun: oneOf(`
    a add audit build c completions create exec help i info init install link outdated patch pm publish remove repl
    rm start test unlink up update upgrade why x
  `),
}))

// Matches the prompt and the variables before a command: `$ CI=1 npm test`
const PREFIX = /^(?:\$ +)?(?:[A-Za-z_]\w*=\S* +)*/
// Matches the name of a script, but not `<script>`, `A=2` or `scripts/x.ts`.
const NAME = /^[a-z][\w:-]*$/i

/** `npm run x -- -a` → `x`; `make clean all` → `clean`, `all`; `npm i` → none */
const scriptsOf = (command: string): Array<Script> => {
  const [tool = '', ...args] = command.trim().replace(PREFIX, '').split(/\s+/)
  const [word = '', nextWord = ''] = args
  // No program has a `:` in its name.
  const toScripts = (kind: Kind, names: Array<string>, runsPrograms = false): Array<Script> =>
    names.filter((name) => NAME.test(name))
      .map((name) => ({ kind, name, mayBeProgram: runsPrograms && !name.includes(':') }))
  if (args.includes('--if-present')) return []
  if (tool === 'just') return toScripts(JUSTFILE, [word])
  // Next to an option, a word may be the option's value.
  if (tool === 'make') return args.some((arg) => arg.startsWith('-')) ? [] : toScripts(MAKEFILE, args)
  const isBuiltIn = BUILT_IN_COMMANDS.get(tool)
  if (isBuiltIn === undefined) return []
  // With `run`, Yarn and Bun run programs too.
  if (/^run(?:-script)?$/.test(word)) return toScripts(PACKAGE, [nextWord], /^(?:yarn|bun)$/.test(tool))
  return isBuiltIn(word) ? [] : toScripts(PACKAGE, [word], true)
}

const MAX_FILES = 200
const MAX_BYTES = 1_000_000

/** Reads the files of a project that define scripts; none if there are more than 200. */
export const readScriptFiles = async ({ root, files }: ProjectTree): Promise<Array<ScriptFile>> => {
  const found = [...files].flatMap((path) => {
    const kind = [PACKAGE, MAKEFILE, JUSTFILE].find(({ fileName }) => fileName.test(posix.basename(path)))
    return kind ? { path, kind } : []
  })
  if (found.length > MAX_FILES) return []
  return readInBatches(found, ({ path, kind }) => readScripts(root, path, kind))
}

const readScripts = async (root: string, path: string, kind: Kind): Promise<ScriptFile> => {
  const { data } = await readText(join(root, path), { maxBytes: MAX_BYTES })
  const text = data?.text ?? ''
  if (kind !== PACKAGE) {
    const mayHaveMore = data === null || UNNAMED_RECIPES.some((pattern) => pattern.test(text))
    return { path, kind, names: possibleRecipes(text), mayHaveMore, programs: [] }
  }
  const { data: manifest } = safe(() => Object(JSON.parse(text)) as Record<string, unknown>)
  const keysOf = (key: string): Array<string> => Object.keys(Object(manifest?.[key]))
  const hasPackages = [...keysOf('dependencies'), ...keysOf('devDependencies')].length > 0
  const bin = join(root, path, '../node_modules/.bin')
  const programs = hasPackages ? await readdir(bin).catch(() => null) : []
  return { path, kind, names: new Set(keysOf('scripts')), mayHaveMore: manifest === null, programs }
}

/** `build lint: a b` → `build`, `lint` */
const possibleRecipes = (text: string): Set<string> => {
  const lineStarts = text.match(/^[^\t#:=\r\n][^:=\r\n]*/gm) ?? []
  return new Set(lineStarts.join(' ').match(/[\w-]+/g))
}

const UNNAMED_RECIPES = [
  // an import, or `.DEFAULT`, the recipe for each target without its own recipe
  /^ *(?:-?include|sinclude|import|mod|\.DEFAULT)\b/m,
  // `%.o:`, `$(A):`
  /^[^\t#:=%$\r\n]*[%$][^:=\r\n]*:/m,
  /^.{1000}/m,
]
