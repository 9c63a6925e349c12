/** The folders of examples/ do what they are described to do; the version is the one of the changelog. */
import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { ParsedRule } from '../../src/rule-schema.ts'
import { CHECKOUT, sharedHost } from '../harness/host.ts'
import { inProcess } from '../harness/in-process.ts'
import { type ModelRequest, textOf } from '../harness/model.ts'
import { story } from '../harness/story.ts'

const folder = (name: string): string => join(CHECKOUT, 'examples', name)
const read = (name: string): string => readFileSync(folder(name), 'utf8')

/** Reads the files of an example, by their paths in it. */
const filesOf = (name: string): Record<string, string> => {
  const files = readdirSync(folder(name), { recursive: true, withFileTypes: true }).filter((item) =>
    item.isFile()
  )
  const paths = files.map((file) => relative(folder(name), join(file.parentPath, file.name)))
  return Object.fromEntries(paths.map((path) => [path, read(join(name, path))]))
}

story('rules/: a rule applies always, by file, on request or for one agent; formatter/ formats', async () => {
  const { plugin: [[, options]] } = JSON.parse(read('formatter/opencode.json')) as {
    plugin: [[string, object]]
  }
  const project = (await sharedHost()).project({
    files: { ...filesOf('rules'), 'trim.mjs': read('formatter/trim.mjs') },
    config: { plugin: [[CHECKOUT, options]] },
  })
  const session = await project.session()
  const { requests } = await session.turn('go', [
    { tool: 'read', args: { filePath: project.path('src/api/health.ts') } },
    { tool: 'write', args: { filePath: project.path('a.txt'), content: 'a  \nb\n' } },
  ])
  const sentIn = ({ messages }: ModelRequest): string => messages.map(textOf).join('\n')
  const [beforeRead = '', afterRead = ''] = requests.map(sentIn)
  for (const sent of [beforeRead, afterRead]) {
    expect(sent).toContain('Answer in the language of the question.')
    expect(sent).toContain('how a release is made')
    expect(sent).not.toContain('Tag the commit')
    expect(sent).not.toContain('End a plan with its risks.')
  }
  expect(beforeRead).not.toContain('Validate every input')
  expect(afterRead).toContain('Validate every input')
  expect(await project.read('a.txt')).toBe('a\nb\n')
  const planned = await session.turnAs({ agent: 'plan' }, 'plan', 'ok')
  expect(sentIn(planned.requests[0]!)).toContain('End a plan with its risks.')
})

story('rewrite/: the tools rewrite before.md as after.md', async () => {
  const rules: Array<{ parsed: ParsedRule; sentence: string }> = JSON.parse(read('rewrite/rules.json'))
  const project = (await inProcess()).project({ files: { 'AGENTS.md': read('rewrite/before.md') } })
  const { outputs } = await (await project.session()).turn(
    'go',
    { tool: 'discover-rules' },
    { tool: 'parse-rules', args: { rules: rules.map(({ parsed }) => parsed) } },
    { tool: 'format-rules', args: { rules: rules.map(({ sentence }) => sentence) } },
    { tool: 'rewrite-rules' },
  )
  expect(outputs[3]).toContain('| AGENTS.md | Success |')
  expect(await project.read('AGENTS.md')).toBe(read('rewrite/after.md'))
})

test('every example is described in examples/README.md', () => {
  const items = readdirSync(folder('.'), { withFileTypes: true }).filter((item) => item.isDirectory())
  for (const { name } of items) expect(read('README.md')).toContain(`\`${name}/\``)
})

test('the version, its tag and the changelog agree', () => {
  const { version } = JSON.parse(readFileSync(join(CHECKOUT, 'package.json'), 'utf8')) as { version: string }
  const changelog = readFileSync(join(CHECKOUT, 'CHANGELOG.md'), 'utf8')
  expect(/^## (\d+\.\d+\.\d+)$/m.exec(changelog)?.[1]).toBe(version)
  expect(changelog).toContain('the tag of a version is `v` and its number')
  const { stdout } = Bun.spawnSync(['git', 'tag', '--points-at', 'HEAD'], { cwd: CHECKOUT })
  const tags = stdout.toString().trim()
  if (/^v\d/.test(tags)) expect(tags.split('\n')).toContain(`v${version}`)
})
