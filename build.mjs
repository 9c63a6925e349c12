// Builds dist/: the plugin and its dependencies in one bundle, the JSON Schema of its options, and the licences of the
// bundled packages. `npm pack` runs this file, with Node alone.
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const HOW_TO_SET_UP = 'The build needs packages that are not installed. Run first: npx -y bun@1.4.5 run setup'

const importPackages = async () => {
  const testRequire = createRequire(new URL('./test/package.json', import.meta.url))
  try {
    const { build } = await import(pathToFileURL(testRequire.resolve('esbuild')))
    return { build, z: await import('zod') }
  } catch ({ message }) {
    console.error(`${HOW_TO_SET_UP}\n(${message})`)
    process.exit(1)
  }
}

const { build, z } = await importPackages()
const root = fileURLToPath(new URL('.', import.meta.url))
const dist = join(root, 'dist')

const SHARED_OPTIONS = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
}

// Bundled CommonJS packages load Node's modules with `require`, which an ES module does not have.
const banner = {
  js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
}

// The bundle takes these modules from a global, into which `tui.js` puts the host's own instances.
const hostModules = {
  name: 'host-modules',
  setup: ({ onResolve, onLoad }) => {
    onResolve(
      { filter: /^(?:solid-js|@opentui\/solid\/jsx-runtime)$/ },
      ({ path }) => ({ path, namespace: 'host' }),
    )
    onLoad({ filter: /./, namespace: 'host' }, ({ path }) => ({
      contents: `module.exports = globalThis[Symbol.for('opencode-sat.terminal')][${JSON.stringify(path)}]`,
    }))
  },
}

/** Writes the bundle to dist/; returns the paths of all source files in it. */
const bundle = async () => {
  const { metafile } = await build({
    ...SHARED_OPTIONS,
    entryPoints: ['sat.ts', 'tui.tsx'],
    outdir: dist,
    splitting: true,
    jsx: 'automatic',
    jsxImportSource: '@opentui/solid',
    plugins: [hostModules],
    // Halves the size. `keepNames`, for stack traces in the host's log, would add 30 kB.
    minify: true,
    metafile: true,
    banner,
  })
  const sources = Object.keys(metafile.inputs)
  // Users who run SAT from a checkout install only the packages of package.json.
  const testInput = sources.find((path) => path.startsWith('test/'))
  if (testInput) {
    throw new Error(`${testInput} is bundled: its package belongs in package.json, not test/package.json`)
  }
  return sources
}

const createOptionsSchema = async () => {
  // Node 20 cannot import TypeScript, so it imports a temporary bundle.
  const outfile = join(dist, 'options.js')
  await build({ ...SHARED_OPTIONS, entryPoints: ['src/host/options.ts'], packages: 'external', outfile })
  const { OptionsSchema } = await import(pathToFileURL(outfile))
  await rm(outfile)
  return z.toJSONSchema(OptionsSchema)
}

// `node_modules/@a/b/c.js` → `node_modules/@a/b`
const packageOf = (path) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1]

const collectLicences = async (sources) => {
  const folders = [...new Set(sources.map(packageOf))].filter((folder) => folder !== undefined).sort()
  const packagesByText = new Map()
  for (const folder of folders) {
    const { name, version } = JSON.parse(await readFile(join(root, folder, 'package.json'), 'utf8'))
    const file = (await readdir(join(root, folder))).find((entry) => /^licen[cs]e/i.test(entry))
    if (file === undefined) throw new Error(`${name} is bundled, but has no licence file`)
    const text = (await readFile(join(root, folder, file), 'utf8')).trim()
    packagesByText.set(text, [...packagesByText.get(text) ?? [], `${name} ${version}`])
  }
  const separator = `\n${'-'.repeat(78)}\n\n`
  return [...packagesByText].map(([text, names]) => `${names.join('\n')}\n\n${text}\n`).join(separator)
}

await rm(dist, { recursive: true, force: true })
await mkdir(dist, { recursive: true })
const sources = await bundle()
await writeFile(join(dist, 'LICENSES.txt'), await collectLicences(sources))
const optionsSchema = await createOptionsSchema()
await writeFile(join(dist, 'options.schema.json'), `${JSON.stringify(optionsSchema, null, 2)}\n`)
