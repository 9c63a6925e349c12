/** Whether the scripts that a text says to run exist: in a package.json, a Makefile or a justfile. */
import { dirname, join } from 'node:path'
import { contains } from '../paths/boundary.ts'
import { safe } from '../safe.ts'
import type { ProjectFiles } from './project-files.ts'

// `npm run NAME` and what is behind it. `npm test` runs a script, too, and fails without one.
const PACKAGE_SCRIPT = /^(npm|pnpm|yarn|bun) run (?:-s |--silent )?([\w][\w:.-]*)(?: (.*))?$/
const PACKAGE_TEST = /^(npm) (test)(?: (.*))?$/
// `make NAME` and `just NAME`, and what is behind it.
const RECIPE = /^(make|just) ([\w][\w.-]*)(?: (.*))?$/

// Options that run the script of another package, or by which a missing script is no fault.
const ELSEWHERE =
  /(?:^|\s)(?:-w|-ws|-C|-F|-r|--(?:workspaces?|prefix|filter|cwd|recursive|if-present|parallel))(?:[\s=]|$)/

// What stands before a command: a prompt, and variables for it, as in `CI=1 npm run build`.
const PREFIX = /^(?:\$ )?(?:[A-Za-z_]\w*=\S* )*/

// A name that is a placeholder: `npm run SCRIPT`.
const PLACEHOLDER = /^(?:[A-Z_]+|name|script|task|target|command|foo|bar|something)$/

type Script = { tool: string; name: string }

/** Reads the targets behind the first one of `make`: `make clean build`. With options, a word may belong to one. */
const moreTargets = (tool: string, rest: string): Array<string> => {
  const words = tool === 'make' ? rest.split(/\s+/) : []
  return words.some((word) => word.startsWith('-')) ? [] : words.filter((word) => /^\w[\w.-]*$/.test(word))
}

const scriptsIn = (command: string): Array<Script> => {
  const parts = command.split(/&&|\|\||[;|]/).map((part) => part.trim().replace(PREFIX, ''))
  // A script that runs in another folder is not judged.
  if (parts.some((part) => /^(?:cd|pushd)\b/.test(part))) return []
  return parts.flatMap((part) => {
    const [, tool = '', name = '', rest = ''] = PACKAGE_SCRIPT.exec(part) ?? PACKAGE_TEST.exec(part)
      ?? RECIPE.exec(part) ?? []
    if (name === '' || ELSEWHERE.test(rest)) return []
    return [name, ...moreTargets(tool, rest)].filter((one) => !PLACEHOLDER.test(one))
      .map((one) => ({ tool, name: one }))
  })
}

const keysOf = (value: unknown): Array<string> => Object.keys(Object(value))

type Manifest = { scripts: Array<string>; dependencies: Array<string> }

const readManifest = (text: string): Manifest | undefined => {
  const manifest = safe(() => JSON.parse(text) as unknown)
  if (manifest.error !== null) return undefined
  const { scripts, dependencies, devDependencies } = Object(manifest.data)
  return {
    scripts: keysOf(scripts),
    dependencies: [...keysOf(dependencies), ...keysOf(devDependencies)],
  }
}

/** Finds the nearest file of these names, from a folder up to the project's root; undefined where there is none. */
const nearest = async (
  files: ProjectFiles,
  folder: string,
  names: Array<string>,
): Promise<{ folder: string; name: string; path: string } | undefined> => {
  for (const at of files.upwards(folder)) {
    for (const name of names) {
      const path = join(at, name)
      if (await files.read(path) !== undefined) return { folder: at, name, path }
    }
  }
  return undefined
}

/**
 * Reads all files with one of these names in the folders above and below a package's; null where they are too many. What
 * stands beside it, in another package, is not meant by a text in this one.
 */
const allNamed = async <T>(
  files: ProjectFiles,
  folder: string,
  names: Array<string>,
  parser: (text: string) => T,
): Promise<Array<NonNullable<T>> | null> => {
  const named = await files.named(names)
  const paths = named?.filter((path) => contains(folder, path) || contains(dirname(path), folder)) ?? null
  if (paths === null || paths.length > 100) return null
  const parsed = await Promise.all(paths.map((path) => files.parse(path, parser)))
  return parsed.flatMap((one) => one ?? [])
}

/** Whether some package above or below has the script: a text at the root may mean any of them. */
const someManifestHas = async (files: ProjectFiles, folder: string, name: string): Promise<boolean> => {
  const manifests = await allNamed(files, folder, ['package.json'], readManifest)
  return manifests === null || manifests.some(({ scripts }) => scripts.includes(name))
}

/** Whether a package of this name, or one below this scope, is used: `next` and `prisma` of `next/link`, `prisma/client`. */
export const isDependency = async (name: string, folder: string, files: ProjectFiles): Promise<boolean> => {
  const manifests = await Promise.all(
    files.upwards(folder).map((at) => files.parse(join(at, 'package.json'), readManifest)),
  )
  return manifests.some((manifest) =>
    manifest?.dependencies.some((one) => one === name || one.startsWith(`@${name}/`))
  )
}

/** Whether npm knows a script that no package.json has. */
const isBuiltIn = (name: string, folder: string, files: ProjectFiles): boolean | Promise<boolean> =>
  name === 'env' || (name === 'start' && files.has(join(folder, 'server.js')))

/** Whether a package that is used here, or further up in a workspace, brings a program of this name, or may bring one. */
const mayBeInstalled = async (name: string, folder: string, files: ProjectFiles): Promise<boolean> => {
  for (const at of files.upwards(folder)) {
    const bins = join(at, 'node_modules', '.bin')
    if (await files.has(join(bins, name))) return true
    const manifest = await files.parse(join(at, 'package.json'), readManifest)
    if (manifest && manifest.dependencies.length > 0 && !(await files.hasFolder(bins))) return true
  }
  return false
}

const missingInManifest = async (
  { tool, name }: Script,
  files: ProjectFiles,
  folder: string,
): Promise<string | undefined> => {
  const found = await nearest(files, folder, ['package.json'])
  const manifest = found && await files.parse(found.path, readManifest)
  if (!found || !manifest || manifest.scripts.includes(name)) return undefined
  if (await isBuiltIn(name, found.folder, files)) return undefined
  if (tool !== 'npm' && tool !== 'pnpm') {
    // `bun run NAME` and `yarn run NAME` also run a program of an installed package, and Bun a file.
    if (name.includes('.') || await files.hasStem(join(found.folder, name))) return undefined
    if (await mayBeInstalled(name, found.folder, files)) return undefined
  }
  if (await someManifestHas(files, found.folder, name)) return undefined
  return `package.json has no script "${name}"`
}

const RECIPE_FILES: Record<string, Array<string>> = {
  make: ['GNUmakefile', 'makefile', 'Makefile'],
  just: ['justfile', 'Justfile', '.justfile'],
}

// What brings recipes whose names are not in the file: an include, a pattern, a computed name, a call.
const HIDDEN_RECIPES =
  /^\s*(?:-?include|sinclude|import|mod)\b|^[^#\t\n:=]*[%$][^\n:=]*:(?!=)|^\.DEFAULT\b|\$\(eval|^ *\$[({](?!info|warning|error)/m

// `alias NAME := recipe` of a justfile.
const ALIAS = /^alias\s+([\w.-]+)/

/** The names of the recipes of a Makefile or a justfile, its aliases included, and whether these are all. */
type Recipes = { names: Set<string>; areAll: boolean }

const readRecipes = (text: string): Recipes => {
  const names = new Set<string>()
  for (const line of text.replace(/\\\r?\n/g, ' ').split(/\r?\n/)) {
    const alias = ALIAS.exec(line)?.[1]
    if (alias !== undefined) names.add(alias)
    // Between `ifeq` and `endif` names are indented; what a recipe runs stands behind a tab. An `@` makes it quiet.
    if (!/^ *[\w@.]/.test(line)) continue
    const head = line.slice(0, line.indexOf(':') < 0 ? 0 : line.indexOf(':'))
    for (const name of head.trim().replace(/^@/, '').split(/\s+/)) names.add(name)
  }
  return { names, areAll: !HIDDEN_RECIPES.test(text) }
}

/** Whether some folder above or below has the recipe: a text at the root may mean any of them. */
const someRecipeFileHas = async (
  files: ProjectFiles,
  folder: string,
  { tool, name }: Script,
): Promise<boolean> => {
  const all = await allNamed(files, folder, RECIPE_FILES[tool] ?? [], readRecipes)
  return all === null || all.some(({ names }) => names.has(name))
}

const missingRecipe = async (
  script: Script,
  files: ProjectFiles,
  folder: string,
): Promise<string | undefined> => {
  const { tool, name } = script
  const found = await nearest(files, folder, RECIPE_FILES[tool] ?? [])
  const recipes = found && await files.parse(found.path, readRecipes)
  if (!found || !recipes?.areAll || recipes.names.has(name)) return undefined
  // `make` also builds files that no recipe names, by its built-in rules.
  if (name.includes('.') || await files.has(join(found.folder, name))) return undefined
  if (await someRecipeFileHas(files, found.folder, script)) return undefined
  return `${found.name} has no ${tool === 'make' ? 'target' : 'recipe'} "${name}"`
}

/**
 * Says which script of a command does not exist, by the file with scripts that is nearest to `folder`; undefined where
 * all exist, where the command runs none, or where there is no such file.
 */
export const missingScript = async (
  command: string,
  folder: string,
  files: ProjectFiles,
): Promise<string | undefined> => {
  for (const script of scriptsIn(command)) {
    const isRecipe = script.tool === 'make' || script.tool === 'just'
    const reason = await (isRecipe ? missingRecipe : missingInManifest)(script, files, folder)
    if (reason !== undefined) return reason
  }
  return undefined
}
