import { posix } from 'node:path'
import { isThere } from '../paths/real-path.ts'
import { safe } from '../safe.ts'
import type { ProjectTree } from './project-tree.ts'

/** A script that a command runs; `isShort` where the tool's own commands and installed programs have the same form. */
type Script = { tool: string; name: string; isShort: boolean }

// What a word right after the tool means to the tool itself.
const BUILT_IN: Record<string, RegExp> = {
  npm: /^(?!(?:test|t)$)/,
  pnpm:
    /^(?:add|approve-builds|audit|bin|c|cat-file|catalog|ci|config|create|dedupe|deploy|dlx|doctor|env|exec|fetch|i|import|info|init|install|it|licenses|link|list|ll|login|ls|outdated|pack|patch|prune|publish|rebuild|recursive|remove|rm|root|self-update|server|setup|start|store|un|uninstall|unlink|up|update|upgrade|view|why)$/,
  yarn:
    /^(?:add|audit|bin|cache|config|constraints|create|dedupe|dlx|exec|explain|global|help|import|info|init|install|licenses|link|list|login|node|npm|outdated|pack|patch|plugin|policies|publish|rebuild|remove|search|set|stage|start|tag|team|unlink|unplug|up|upgrade|upgrade-interactive|version|versions|why|workspace|workspaces)$/,
  bun:
    /^(?:a|add|audit|build|c|completions|create|exec|help|i|info|init|install|link|outdated|patch|pm|publish|remove|repl|rm|start|test|unlink|up|update|upgrade|why|x)$/,
}

const NAME = /^[a-z][\w:-]*$/i
// What stands before a command: a prompt, and variables.
const PREFIX = /^(?:\$ +)?(?:[A-Za-z_]\w*=\S* +)*/

const scriptsIn = (command: string): Array<Script> =>
  command.split(/&&|\|\||[;|]/).flatMap((part): Array<Script> => {
    const [tool = '', first = '', ...more] = part.trim().replace(PREFIX, '').split(/\s+/)
    if (tool === 'make' || tool === 'just') {
      const names = (tool === 'just' ? [first] : [first, ...more]).filter((word) => NAME.test(word))
      // A word after an option may belong to it.
      const hasOption = [first, ...more].some((word) => word.startsWith('-'))
      return hasOption && tool === 'make' ? [] : names.map((name) => ({ tool, name, isShort: false }))
    }
    const isShort = first !== 'run' && first !== 'run-script'
    const name = isShort ? first : more[0] ?? ''
    const isBuiltIn = BUILT_IN[tool]?.test(first) ?? true
    if (!NAME.test(name) || more.includes('--if-present')) return []
    return isShort && isBuiltIn || !(tool in BUILT_IN) ? [] : [{ tool, name, isShort }]
  })

type FileText = { path: string; text: string }

type Manifest = { path: string; scripts: Array<string>; dependencies: Array<string> }

const readManifest = ({ path, text }: FileText): Array<Manifest> => {
  const manifest = safe(() => Object(JSON.parse(text)) as Record<string, unknown>)
  const keysOf = (key: string): Array<string> => Object.keys(Object(manifest.data?.[key]))
  const dependencies = [...keysOf('dependencies'), ...keysOf('devDependencies')]
  return manifest.error === null ? [{ path, scripts: keysOf('scripts'), dependencies }] : []
}

/** The names of the recipes in a Makefile or a justfile, and whether it may have more than those. */
type Recipes = { path: string; names: Set<string>; hasMore: boolean }

// What brings recipes whose names are not in the file.
const MORE_RECIPES = /^\s*(?:-?include|sinclude|import|mod|\.DEFAULT)\b/
const MAX_LINE = 1_000

const readRecipes = ({ path, text }: FileText): Recipes => {
  const recipes: Recipes = { path, names: new Set(), hasMore: false }
  for (const line of text.split(/\r?\n/).filter((one) => !/^[\t#]/.test(one))) {
    const head = /^[^:=]*/.exec(line.slice(0, MAX_LINE))?.[0] ?? ''
    const isRule = line[head.length] === ':' && /[%$]/.test(head)
    recipes.hasMore ||= isRule || line.length > MAX_LINE || MORE_RECIPES.test(line)
    for (const word of head.split(/\s+/)) recipes.names.add(word.replace(/^@/, ''))
  }
  return recipes
}

/** What a project can run: the scripts of its packages, and the recipes of `make` and `just`. */
export class ProjectScripts {
  readonly #tree: ProjectTree
  readonly #read = new Map<string, Promise<Array<FileText> | null>>()

  constructor(tree: ProjectTree) {
    this.#tree = tree
  }

  /**
   * Says which script of a command no file of the project has; null where all are there, or may be.
   *
   * @param folder of the text that says the command, from the project's root
   */
  async whyMissing(command: string, folder: string): Promise<string | null> {
    for (const script of scriptsIn(command)) {
      const isRecipe = script.tool === 'make' || script.tool === 'just'
      const reason = await (isRecipe ? this.#missingRecipe(script, folder) : this.#missingScript(script))
      if (reason !== null) return reason
    }
    return null
  }

  #files(name: RegExp): Promise<Array<FileText> | null> {
    const read = this.#read.get(name.source) ?? this.#tree.read(name)
    this.#read.set(name.source, read)
    return read
  }

  async #missingScript({ tool, name, isShort }: Script): Promise<string | null> {
    const files = await this.#files(/^package\.json$/) ?? []
    const manifests = files.flatMap(readManifest)
    if (files.length === 0 || manifests.length < files.length) return null
    if (manifests.some(({ scripts }) => scripts.includes(name))) return null
    // Yarn and Bun also run programs of installed packages; the short form of pnpm does, too.
    const mayBeProgram = !name.includes(':') && (isShort || tool === 'yarn' || tool === 'bun')
    if (mayBeProgram && await this.#mayBeInstalled(name, manifests)) return null
    return `package.json has no script "${name}"`
  }

  async #mayBeInstalled(name: string, manifests: Array<Manifest>): Promise<boolean> {
    const bins = manifests.filter(({ dependencies }) => dependencies.length > 0)
      .map(({ path }) => posix.join(this.#tree.root, posix.dirname(path), 'node_modules/.bin'))
    const areInstalled = await Promise.all(bins.map(isThere))
    const havePrograms = await Promise.all(bins.map((bin) => isThere(posix.join(bin, name))))
    return areInstalled.includes(false) || havePrograms.includes(true)
  }

  async #missingRecipe({ tool, name }: Script, folder: string): Promise<string | null> {
    const files = await this.#files(
      tool === 'make' ? /^(?:GNUm|M|m)akefile$|\.mk$/ : /^\.?[Jj]ustfile$|\.just$/,
    )
    const all = (files ?? []).map(readRecipes)
    // What a file further down includes is not meant by a text above it, where that has a file of its own.
    const above = all.filter(({ path }) => `${folder}/`.startsWith(posix.dirname(path).replace(/^\.$/, '')))
    const [nearest = all[0]] = above
    if (nearest === undefined || (above.length > 0 ? above : all).some(({ hasMore }) => hasMore)) return null
    // `make` has nothing to do for a file that is there, and says so.
    if (all.some(({ names }) => names.has(name)) || this.#tree.hasEnding(name)) return null
    return `${posix.basename(nearest.path)} has no ${tool === 'make' ? 'target' : 'recipe'} "${name}"`
  }
}
