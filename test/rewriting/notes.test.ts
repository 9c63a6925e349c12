import { expect } from 'bun:test'
import { inProcess } from '../harness/in-process.ts'
import { toParsedRule } from '../harness/parsed-rule.ts'
import { story } from '../harness/story.ts'
import { answersIn, DISCOVER, parse, rewrite, start, write } from './writer-calls.ts'

const AGENTS = `---
title: notes
---

# Shop

Start with [the guide](docs/guide.md). Run \`npm run build\` and \`npm run lint\` first.

\`\`\`sh
npm ci
npm run build
\`\`\`

| Folder | Holds |
| ------ | ----- |
| \`src/cart.ts\` | the cart |
| \`src/checkout/\` | the checkout |

Never use \`eval\`. Name new files like \`src/orders.ts\`. Tests are \`src/**/*.spec.ts\`.
`

story(
  'discover-rules tells which names are gone; a whole replacement what no rule says any more, and how it comes back',
  async () => {
    const project = (await inProcess()).project({
      files: {
        'AGENTS.md': AGENTS,
        'package.json': '{"scripts":{"build":"tsc"}}',
        'src/cart.ts': 'export {}\n',
        'docs/guide.md': 'x\n',
      },
    })
    const path = project.path('AGENTS.md')
    const guide = 'Rule: read the guide, docs/guide.md'
    const [shown = '', rewritten, again] = await answersIn(
      project,
      DISCOVER,
      write({ rules: ['Rule: never use `eval`', guide] }),
      write({ rules: ['Rule: never use `eval`\nReason: it is slow', guide] }),
    )
    const [, notes = ''] = shown.split('# Notes\n')
    expect(notes.split('\n').filter((line) => line.includes(' line '))).toEqual([
      `- ${path} line 7: \`npm run lint\`: package.json has no script "lint"`,
      `- ${path} line 17: \`src/checkout/\`: not found, though \`src/\` is there`,
      `- ${path} line 19: \`src/orders.ts\`: not found, though \`src/\` is there`,
      `- ${path} line 19: \`src/**/*.spec.ts\`: no file matches, though \`src/\` is there`,
    ])
    expect(rewritten).toContain('SAVED ')
    expect(rewritten).toContain(
      `9 lines of \`${path}\` are in no rule, with \`npm run build\`, \`npm run lint\`, \`src/cart.ts\`, \`src/checkout/\`, \`src/orders.ts\`, \`src/**/*.spec.ts\`; the backup has them, and /restore-rules brings the file back. Tell the person.`,
    )
    // Where nothing went, it is silent.
    expect(again).toContain('Success')
    expect(again).not.toContain('in no rule')
  },
)

story(
  'parse-rules tells which rules contradict or repeat each other, and else answers bare JSON',
  async () => {
    const project = await start({})
    const parseAll = (...rules: Array<string>) => parse(...rules.map(toParsedRule))
    const [noted = '', bare = ''] = await answersIn(
      project,
      parseAll('obligatory, use, tabs', 'forbidden, use, Tabs', 'obligatory, Use, tabs'),
      parseAll('obligatory, use, tabs', 'forbidden, use, tabs, in Makefiles'),
    )
    const [json = '', notes = ''] = noted.split('\n\n# Notes\n\n')
    expect(JSON.parse(json).rules).toHaveLength(3)
    expect(notes).toContain('ask:\n- rule 1, `obligatory use tabs`, and rule 2, `forbidden use Tabs`')
    expect(notes).toContain('- rule 1, `obligatory use tabs`, and rule 3, `obligatory Use tabs`')
    expect(JSON.parse(bare).rules).toHaveLength(2)
  },
)

story('of many entries that match nothing, fifty are named and the others counted', async () => {
  const instructions = Array.from({ length: 60 }, (_, index) => `none-${index}.md`)
  const [output = ''] = await answersIn(await start({ 'AGENTS.md': 'x\n' }, { instructions }), DISCOVER)
  expect(output.match(/^- none-\d+\.md: /gm)).toHaveLength(50)
  expect(output).toContain('\n- and 10 more')
})

story('notes quote so many of a kind, cut what is long, and count the others', async () => {
  const long = 'long '.repeat(40).trim()
  const names = Array.from({ length: 25 }, (_, index) => `- use \`name${index + 1}\``)
  const project = await start({ 'a.md': `# Title\n${names.join('\n')}\n` })
  const targets = [long, ...Array.from({ length: 22 }, (_, index) => `tool ${index}`)]
  const pairs = targets.flatMap((target) => [`obligatory, use, ${target}`, `forbidden, use, ${target}`])
  const calls = [DISCOVER, rewrite('a.md', '- be nice'), parse(...pairs.map(toParsedRule))]
  const [, rewritten = '', parsed = ''] = await answersIn(project, ...calls)
  expect(rewritten).toContain(`26 lines of \`${project.path('a.md')}\` are in no rule, with \`name1\`, `)
  expect(rewritten).toContain('`name20`, and 5 more')
  expect(rewritten).not.toContain('name21')
  expect(parsed.split('\n').filter((line) => line.startsWith('- rule '))).toHaveLength(20)
  expect(parsed).toContain(`\`${`obligatory use ${long}`.slice(0, 100)}…\``)
  expect(parsed).toEndWith('\n- and 3 more')
})
