/** What the tools of the rules pipeline do where an argument is left out, names too much, or was refused before. */
import { expect } from 'bun:test'
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inProcess, type Project } from '../harness/in-process.ts'
import type { Call } from '../harness/model.ts'
import { story } from '../harness/story.ts'
import { DISCOVER, rewrite, start } from './writer-calls.ts'

const add = (file?: unknown): Call => ({
  tool: 'add-rules',
  args: { rules: ['- new'], ...(file === undefined ? {} : { file }) },
})

const format = (rules: unknown, more: object = {}): Call => ({
  tool: 'format-rules',
  args: { rules, ...more },
})

const answersIn = async (project: Project, ...steps: Array<Call>): Promise<Array<string>> =>
  (await (await project.session()).turn('go', ...steps)).outputs

story('add-rules without a file adds to the first of the project, and else to the first of all', async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sat-outside-')))
  const outside = join(folder, 'outside.md')
  writeFileSync(outside, 'outside\n')
  try {
    const project = (await inProcess()).project({
      files: { 'a.md': 'a\n', 'b.md': 'b\n' },
      config: { instructions: [outside, 'b.md', 'a.md'] },
    })
    const [shown, added] = await answersIn(project, DISCOVER, add()) as [string, string]
    expect(shown.indexOf(outside)).toBeLessThan(shown.indexOf('b.md'))
    expect(added).toBe(`Added 1 rule(s) to ${project.path('b.md')}`)
    expect(await project.read('b.md')).toBe('b\n\n- new\n')
  } finally {
    rmSync(folder, { recursive: true })
  }
})

story('add-rules takes one file, and nothing is added to any of two', async () => {
  const project = await start({ 'a.md': 'a\n', 'b.md': 'b\n' })
  const [, text, list] = await answersIn(project, DISCOVER, add('a.md, b.md'), add(['a.md', 'b.md']))
  expect(text).toMatch(/"file" names more than one file/)
  expect(list).toMatch(/\bfile\b/)
  expect([await project.read('a.md'), await project.read('b.md')]).toEqual(['a\n', 'b\n'])
})

story(
  'what format-rules refused takes the set before it away: nothing old is written in its place',
  async () => {
    const project = await start({ 'a.md': 'a\n' })
    const write: Call = { tool: 'rewrite-rules', args: { files: 'a.md' } }
    const refused = [format('{"rules":["- cut'), format([7]), { tool: 'format-rules', args: {} }]
    const steps = refused.flatMap((call) => [format(['Rule: old']), call, write])
    const outputs = await answersIn(project, DISCOVER, ...steps)
    for (const index of [3, 6, 9]) expect(outputs[index]).toContain('Call format-rules first')
    expect(await project.read('a.md')).toBe('a\n')
  },
)

story('what parse-rules refused is not written in the words of a set that came before it', async () => {
  const project = await start({ 'a.md': 'a\n' })
  const parse = (rules: unknown): Call => ({ tool: 'parse-rules', args: { rules } })
  const calls = [
    parse('[{"strength":'),
    parse([{ ...RULE, strength: 'must' }]),
    parse([{ ...RULE, source: 'not there' }]),
    parse(undefined),
  ]
  for (const refused of calls) {
    const steps = [format(['Rule: old']), refused, rewrite('a.md', 'Rule: of the refused')]
    expect((await answersIn(project, DISCOVER, ...steps)).at(-1)).toContain(
      'parse-rules refused the last rules',
    )
  }
  expect(await project.read('a.md')).toBe('a\n')
})

story('what could not be read was not shown: nothing is added to it until it is', async () => {
  const project = await start({ 'a.md': 'a\n', 'bad.md': Uint8Array.of(0x61, 0xff) })
  const session = await project.session()
  const { outputs: [shown] } = await session.turn('look', DISCOVER)
  expect(shown).toContain('not valid UTF-8')
  project.write('bad.md', 'mended\n')
  const { outputs } = await session.turn('add', add('bad.md'), DISCOVER, add('bad.md'))
  expect(outputs[0]).toContain('discover-rules has not shown it')
  expect(outputs[2]).toContain('Added 1 rule')
})

story('a set is written in place once; what comes next is parsed again', async () => {
  const project = await start({ 'a.md': '\uFEFF---\ntitle: Use tabs!\n---\n\n- Use tabs!\n' })
  const rules = [{ strength: 'obligatory', action: 'use', target: 'tabs', source: 'Use tabs!' }]
  const write: Call = { tool: 'rewrite-rules', args: { files: 'a.md' } }
  const parse: Call = { tool: 'parse-rules', args: { rules } }
  const outputs = await answersIn(project, DISCOVER, parse, format(['Rule: use tabs']), write, write)
  expect(outputs[3]).toContain('| Success')
  expect(outputs[4]).toContain('Call format-rules first')
  expect(await project.read('a.md')).toBe('---\ntitle: Use tabs!\n---\n\n- use tabs\n')
})

story(
  'two sets without sources in one message go each to the file that is written before the next',
  async () => {
    const project = await start({ 'a.md': 'a\n', 'b.md': 'b\n' })
    const steps = ['tabs', 'spaces'].flatMap((target, index): Array<Call> => [
      { tool: 'parse-rules', args: { rules: [{ strength: 'obligatory', action: 'use', target }] } },
      format([`Rule: use ${target}`]),
      { tool: 'rewrite-rules', args: { files: ['a.md', 'b.md'][index] } },
    ])
    await (await project.session()).turn('go', DISCOVER, steps)
    expect(await project.read('a.md')).toBe('Rule: use tabs\n')
    expect(await project.read('b.md')).toBe('Rule: use spaces\n')
  },
)

story('of many entries that match nothing, fifty are named and the others counted', async () => {
  const instructions = Array.from({ length: 60 }, (_, index) => `none-${index}.md`)
  const project = await start({ 'AGENTS.md': 'x\n' }, { instructions })
  const [output = ''] = await answersIn(project, DISCOVER)
  expect(output.match(/^- none-\d+\.md: /gm)).toHaveLength(50)
  expect(output).toContain('\n- and 10 more')
})

story('a restore before discovery names no file, so it asks for one', async () => {
  const project = await start({ 'a.md': 'a\n' })
  await answersIn(project, DISCOVER, rewrite('a.md', '- new'))
  const restore: Call = { tool: 'rewrite-rules', args: { restore: 'latest' } }
  const [before, , after] = await answersIn(project, restore, DISCOVER, restore)
  expect(before).toMatch(/No files were discovered yet\. Call discover-rules first/)
  expect(after).toStartWith(`Restored ${project.path('a.md')} from `)
  expect(await project.read('a.md')).toBe('a\n')
})

story('a restore names the file where several have a backup, and writes no rules', async () => {
  const project = await start({ 'a.md': 'a\n', 'b.md': 'b\n' })
  const restore = (more: object = {}): Call => ({
    tool: 'rewrite-rules',
    args: { restore: 'latest', ...more },
  })
  const [, none, both, several, one] = await answersIn(
    project,
    DISCOVER,
    restore(),
    rewrite('a.md, b.md', '- new'),
    restore(),
    restore({ rules: ['- other'], files: 'a.md' }),
  )
  expect(none).toContain('None of the discovered files has such a backup')
  expect(both).toContain('The same rules were written to 2 files.')
  expect(several).toContain(`Name one in "files": ${project.path('a.md')}, ${project.path('b.md')}`)
  expect(one).toContain('not both')
  expect(await project.read('a.md')).toBe('- new\n')
})

story(
  'sentences are taken for the set that they fit best, and doubts stay after a refused parse-rules',
  async () => {
    const project = await start({ 'a.md': '- Use tabs!\n', 'b.md': '- Never call eval!\n' })
    const parse = (rules: unknown): Call => ({ tool: 'parse-rules', args: { rules } })
    const tabs = { strength: 'obligatory', action: 'use', target: 'tabs', source: 'Use tabs!' }
    const evil = { strength: 'forbidden', action: 'call', target: 'eval', source: 'Never call eval!' }
    const write: Call = { tool: 'rewrite-rules', args: {} }
    const steps = [
      parse([tabs]),
      parse([evil]),
      format(['Rule: never call eval']),
      format(['Rule: use tabs']),
      write,
    ]
    const slip = format(['Rule: call eval'])
    const outputs = await answersIn(project, DISCOVER, parse([evil]), parse('[{'), slip, slip, ...steps)
    for (const doubted of [outputs[3], outputs[4]]) {
      expect(doubted).toContain('does not forbid')
      expect(doubted).toContain('call parse-rules first')
    }
    expect(outputs.at(-1)!.match(/^Written: /gm)).toHaveLength(1)
    expect(await project.read('a.md')).toBe('- use tabs\n')
    expect(await project.read('b.md')).toBe('- never call eval\n')
  },
)

story('nothing is written before discovery, and the answer says what to call', async () => {
  const project = await start({ 'a.md': 'a\n' })
  for (const output of await answersIn(project, rewrite('a.md', '- new'), add('a.md'), add())) {
    expect(output).toBe('No files were discovered yet. Call discover-rules first, then call this tool again.')
  }
  expect(await project.read('a.md')).toBe('a\n')
})

const numbered = (amount: number, toText: (number: number) => string): string =>
  Array.from({ length: amount }, (_, index) => toText(index + 1)).join('\n')

story('notes quote so many of a kind, cut what is long, and count the others', async () => {
  const long = 'long '.repeat(40).trim()
  const names = numbered(25, (number) => `- use \`name${number}\``)
  const project = await start({ 'a.md': `# Title\n${names}\n` })
  const pair = (target: string) =>
    ['obligatory', 'forbidden'].map((strength) => ({ strength, action: 'use', target }))
  const rules = [long, ...Array.from({ length: 22 }, (_, index) => `tool ${index}`)].flatMap(pair)
  const outputs = await answersIn(project, DISCOVER, rewrite('a.md', '- be nice'), {
    tool: 'parse-rules',
    args: { rules },
  })
  const [, rewritten = '', parsed = ''] = outputs
  expect(rewritten).toContain(`26 lines of \`${project.path('a.md')}\` are in no rule, with \`name1\`, `)
  expect(rewritten).toContain('`name20`, and 5 more')
  expect(rewritten).not.toContain('name21')
  expect(parsed.split('\n').filter((line) => line.startsWith('- rule '))).toHaveLength(20)
  expect(parsed).toContain(`\`${`obligatory use ${long}`.slice(0, 100)}…\``)
  expect(parsed).toEndWith('\n- and 3 more')
})

const RULE = { strength: 'forbidden', action: 'use', target: 'eval', reason: 'unsafe' }

story('paths come as a list, as a list in text, or with commas; null is all of them', async () => {
  const files = { 'a,b.md': 'one\n', 'c.md': 'two\n' }
  const project = await start(files)
  const { outputs } = await (await project.session()).turn(
    'read',
    [['a,b.md', 'c.md'], '["a,b.md","c.md"]', null, 'c.md', ['c.md']].map((paths) => ({
      tool: 'discover-rules',
      args: { files: paths },
    })),
    { tool: 'add-rules', args: { rules: ['- x'], file: ['c.md'], mode: null } },
    { tool: 'rewrite-rules', args: { rules: ['- y'], files: ['a,b.md'] } },
  )
  const both = `## ${project.path('a,b.md')}\n\none\n\n\n---\n\n## ${project.path('c.md')}\n\ntwo\n`
  const last = `## ${project.path('c.md')}\n\ntwo\n`
  expect(outputs.slice(0, 5)).toEqual([both, both, both, last, last])
  expect(await project.read('c.md')).toBe('two\n\n- x\n')
  expect(await project.read('a,b.md')).toBe('- y\n')
})

story(
  'the writers write what was last validated in this session, in its mode, and nothing else',
  async () => {
    const project = await start({ 'a.md': 'a\n', 'b.md': 'b\n' })
    const session = await project.session()
    const rewrite = (files: string, more: object = {}): Call => ({
      tool: 'rewrite-rules',
      args: { files, ...more },
    })
    const add = (file: string): Call => ({ tool: 'add-rules', args: { file } })
    const { outputs } = await session.turn(
      'tidy',
      { tool: 'discover-rules' },
      rewrite('a.md'),
      add('a.md'),
      format(['- use tabs', '- use semicolons'], { mode: 'concise' }),
      rewrite('a.md', { mode: 'verbose' }),
      rewrite('a.md', { rules: null }),
      add('b.md'),
      format(['Rule: use tabs'], { mode: 'concise' }),
      rewrite('b.md'),
      format(['- use spaces']),
      { tool: 'parse-rules', args: { rules: [RULE] } },
      rewrite('b.md'),
    )
    expect(outputs[1]).toMatch(/Call format-rules first/)
    expect(outputs[2]).toMatch(/Call format-rules first/)
    expect(outputs[4]).toMatch(/mode verbose[\s\S]*rules\.0/)
    expect(outputs[5]).toContain('the 2 rules that format-rules last validated')
    expect(outputs[6]).toBe(
      `Added 2 rule(s) to ${project.path('b.md')}\n\nWritten: the 2 rules that format-rules last validated.`,
    )
    expect(await project.read('a.md')).toBe('- use tabs\n- use semicolons\n')
    expect(await project.read('b.md')).toBe('b\n\n- use tabs\n- use semicolons\n')
    expect(outputs[8]).toMatch(/Call format-rules first/)
    expect(outputs[11]).toMatch(/Call format-rules first/)

    const other = await project.session()
    const apart = await other.turn('tidy', format(['Rule: write haiku']), { tool: 'discover-rules' })
    expect(apart.outputs[0]).toBe(JSON.stringify({ rules: ['Rule: write haiku'] }, null, 2))
  },
)
