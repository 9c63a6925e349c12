import { expect } from 'bun:test'
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import type Published from '../../index.js'
import { OptionsSchema } from '../../src/host/options.ts'
import { CHECKOUT, sharedHost, writeInto } from '../harness/host.ts'
import { waitForLog } from '../harness/log.ts'
import { story } from '../harness/story.ts'
import { DISCOVER, replace, twice } from '../rewriting/calls.ts'
import { installedPackage, packedPackage, packedSpecifier, run, scratch } from './packed.ts'

const MODULES = join(CHECKOUT, 'test', 'node_modules')
const TOOLS = join(MODULES, '.bin')

story('the package has bundle, types, schema and licences, is small, and has no dependencies', async () => {
  const installed = await installedPackage()
  const { files, unpackedSize } = await packedPackage()
  const paths = files.map(({ path }) => path).filter((path) => !/^dist\/[\w.-]+\.js$/.test(path))
  expect(paths.sort()).toEqual([
    ...['LICENSE', 'README.md', 'dist/LICENSES.txt', 'dist/options.schema.json', 'index.d.ts', 'index.js'],
    ...['missing.js', 'package.json', 'tui.d.ts', 'tui.js'],
  ])
  expect(unpackedSize).toBeLessThan(750_000)
  const text = (name: string) => readFileSync(join(installed, name), 'utf8')
  // zod's translations are in the bundle unless zod is imported as a namespace.
  const bundles = readdirSync(join(installed, 'dist')).map((name) => text(`dist/${name}`)).join('\n')
  expect(bundles).not.toContain('Input non valido')
  expect(JSON.parse(text('package.json')).dependencies).toBeUndefined()
  expect(JSON.parse(text('dist/options.schema.json')))
    .toEqual(JSON.parse(JSON.stringify(z.toJSONSchema(OptionsSchema))))
  const bundled = ['zod', 'glob', 'minimatch', 'strip-json-comments', 'diff', 'leven', '@lezer/markdown']
  for (const name of bundled) expect(text('dist/LICENSES.txt')).toMatch(new RegExp(`^${name} \\d`, 'm'))
})

story('publint and attw report nothing', async () => {
  const { filename } = await packedPackage()
  await run(join(TOOLS, 'publint'), [filename, '--strict'])
  await run(join(TOOLS, 'attw'), [filename, '--quiet', '--config-path', join(CHECKOUT, '.attw.json')])
})

const NODE_PROGRAM = `
  import SAT from 'opencode-sat'
  const directory = process.cwd() + '/project'
  const client = { session: { messages: async () => ({ data: [] }), prompt: async () => ({ data: {} }) } }
  const hooks = await SAT({ directory, worktree: directory, client }, {})
  const context = { directory, worktree: directory, ask: async () => {} }
  const call = async (name, args) => (await hooks.tool[name].execute(args, context)).output
  const rules = { rules: JSON.stringify({ rules: ['- do not use ternaries'] }), mode: 'concise' }
  const discovered = await call('discover-rules', {})
  await call('format-rules', rules)
  const rewritten = await call('rewrite-rules', rules)
  const info = { id: 'msg_1', role: 'user', sessionID: 'ses_1', time: { created: 1 } }
  const url = 'file://' + directory + '/a.ts'
  const messages = [{ info, parts: [{ id: 'prt_1', type: 'file', mime: 'text/plain', url }] }]
  await hooks['experimental.chat.messages.transform']({}, { messages })
  const sent = messages[0].parts.map((part) => part.text).join()
  console.log(JSON.stringify({ tools: Object.keys(hooks.tool).length, discovered, rewritten, sent }))
`

story('in Node, the tools of the package answer, and the rule for an attached file is sent', async () => {
  await installedPackage()
  writeInto(scratch, {
    'project/opencode.json': '{"instructions": ["rules.md"]}',
    'project/rules.md': 'no ternaries please\n',
    'project/.opencode/rules/a.md': '---\nglobs: **/*.ts\n---\nJOINS',
    'program.js': NODE_PROGRAM,
  })
  expect(JSON.parse(await run('node', ['program.js']))).toEqual({
    tools: 7,
    discovered: expect.stringContaining('no ternaries please'),
    rewritten: expect.stringContaining('| rules.md | Success |'),
    sent: expect.stringContaining('## a\n\nJOINS'),
  })
  expect(readFileSync(join(scratch, 'project', 'rules.md'), 'utf8')).toBe('- do not use ternaries\n')
})

const STRICT = { strict: true, exactOptionalPropertyTypes: true, module: 'nodenext', target: 'es2023' }

const expectCompiles = async (compiler: string, folder: string, program: string): Promise<void> => {
  await installedPackage()
  // `types: []` leaves out the declarations of Node, which the host's declarations need.
  const skipLibCheck = program.includes('@opencode-ai')
  const compilerOptions = { ...STRICT, lib: ['es2023'], types: [], noEmit: true, skipLibCheck }
  const config = JSON.stringify({ compilerOptions, files: ['program.ts'] })
  writeInto(folder, { 'program.ts': program, 'tsconfig.json': config })
  const tsc = join(MODULES, compiler, 'bin', 'tsc')
  expect(await run('node', [tsc, '-p', 'tsconfig.json'], folder)).toBe('')
}

story('in TypeScript 5.9, the types of the package need no other package', () =>
  expectCompiles(
    'typescript-5.9',
    join(scratch, 'alone'),
    `import SAT from 'opencode-sat'
    const { tool } = await SAT({ directory: '/', client: {} }, { debug: true })
    export const answer = await tool?.['discover-rules']?.execute({}, { directory: '/' })
    // @ts-expect-error: SAT may be off
    tool['discover-rules']
    // @ts-expect-error: the directory is missing
    await SAT({ client: {} })`,
  ))

const AS_PLUGIN = `
  import type { Plugin, PluginInput, PluginModule, ToolContext, ToolDefinition } from '@opencode-ai/plugin'
  import SAT from 'opencode-sat'
  export const plugin: Plugin = SAT
  export const entry: PluginModule = { server: SAT }
  // SAT accepts the input of the host, and its tools have the host's type.
  export const run = async (input: PluginInput, context: ToolContext) => {
    const { tool = {} } = await SAT(input, {})
    const tools: Record<string, ToolDefinition> = tool
    return { tools, answer: await tool['discover-rules']?.execute({}, context) }
  }
  export const result = (tool: Record<string, ToolDefinition>): Awaited<ReturnType<typeof SAT>> => ({ tool })
  // @ts-expect-error: a plugin returns hooks
  export const wrong: Plugin = async () => 5`

story('the types of the package fit the types of @opencode-ai/plugin', async () => {
  const folder = join(scratch, 'typed')
  const packages = join(folder, 'node_modules', '@opencode-ai')
  mkdirSync(packages, { recursive: true })
  symlinkSync(join(MODULES, '@opencode-ai', 'plugin'), join(packages, 'plugin'))
  await expectCompiles('typescript', folder, AS_PLUGIN)
})

// SAT must not mark the invisible joiners in these emoji as hidden characters.
const EMOJI = '🏗️ old 👨‍👩‍👧 🏳️‍🌈\n'

story('the host installs the tarball without a network, and logs an invalid option', async () => {
  const host = await sharedHost()
  const options = { rules: { directorries: ['docs'] } }
  const project = host.project({
    files: { 'rules.md': EMOJI },
    config: { plugin: [[await packedSpecifier(), options]], instructions: ['rules.md'] },
  })
  // The first rewrite only shows the text that would be lost.
  const calls = [DISCOVER, ...twice(replace('rules.md', '- new'))]
  const { outputs } = await (await project.session()).turn('tidy', ...calls)
  for (const shown of outputs.slice(0, 2)) expect(shown).toContain(EMOJI.trim())
  expect(outputs[2]).toContain('| rules.md | Success |')
  expect(await project.read('rules.md')).toBe('- new\n')
  expect(await waitForLog(host, 'rules.directorries')).toEqual([
    expect.stringMatching(/opencode-sat.*rules\.directorries: unknown, did you mean .*directories/),
  ])
})

story('a built checkout runs its source, not a bundle that may be old', async () => {
  const copy = join(scratch, 'checkout')
  for (const name of ['index.js', 'missing.js', 'package.json', 'sat.ts', 'src']) {
    cpSync(join(CHECKOUT, name), join(copy, name), { recursive: true })
  }
  writeInto(copy, { 'dist/sat.js': 'throw new Error("old")' })
  symlinkSync(join(CHECKOUT, 'node_modules'), join(copy, 'node_modules'))
  const { default: SAT } = await import(join(copy, 'index.js')) as { default: typeof Published }
  const { tool } = await SAT({ directory: copy, client: {} })
  expect(Object.keys(tool ?? {})).toHaveLength(7)
})
