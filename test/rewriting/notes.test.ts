import { expect } from 'bun:test'
import { inProcess } from '../harness/in-process.ts'
import { toParsedRule } from '../harness/parsed-rule.ts'
import { story } from '../harness/story.ts'
import { answersIn, DISCOVER, parse, rewrite, start, twice, write } from './writer-calls.ts'

const AGENTS = `# Shop

Start with [the guide](docs/guide.md). Run \`npm run build\` and \`npm run lint\` first.

\`\`\`sh
npm ci
\`\`\`

Never use \`eval\`. Name new files like \`src/orders.ts\`. Tests are \`src/**/*.spec.ts\`.
`

story('names that are gone are told, and before a whole replacement what no rule says any more', async () => {
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
  const [shown = '', asked, rewritten, again] = await answersIn(
    project,
    DISCOVER,
    ...twice(write({ rules: ['Rule: never use `eval`', guide] })),
    write({ rules: ['Rule: never use `eval`\nReason: it is slow', guide] }),
  )
  const [, notes = ''] = shown.split('# Notes\n')
  expect(notes.split('\n').filter((line) => line.includes(' line '))).toEqual([
    `- ${path} line 3: \`npm run lint\`: package.json has no script "lint"`,
    `- ${path} line 9: \`src/orders.ts\`: not found, though \`src/\` is there`,
    `- ${path} line 9: \`src/**/*.spec.ts\`: no file matches, though \`src/\` is there`,
  ])
  const names = 'with `npm run build`, `npm run lint`, `src/orders.ts`, `src/**/*.spec.ts`'
  expect(asked).toContain(
    `\n- \`${path}\`: 5 lines in no rule: \`# Shop\`, \`\` Start with [the guide](docs/guide.md). Run \`npm run build\` and \`npm run lint\` first. \`\`, \`\`\`\` \`\`\`sh \`\`\`\`; ${names}\n`,
  )
  expect(rewritten).toContain('SAVED ')
  expect(rewritten).toMatch(
    /: 5 lines in no rule: .*\. The backup has them, and \/restore-rules brings the file back\./,
  )
  // Where nothing goes, nothing is asked, and nothing told.
  expect(again).toContain('Success')
  expect(again).not.toContain('in no rule')
})

story('notes quote so many of a kind, cut what is long, and count the others', async () => {
  const long = 'long '.repeat(40).trim()
  const names = Array.from({ length: 70 }, (_, index) => `- use \`name${index + 1}\``)
  const entries = Array.from({ length: 60 }, (_, index) => `none-${index}.md`)
  const project = await start({ 'a.md': `# Title\n${names.join('\n')}\n` }, {
    instructions: ['a.md', ...entries],
  })
  const targets = [long, ...Array.from({ length: 22 }, (_, index) => `tool ${index}`)]
  const pairs = targets.flatMap((target) => [`obligatory, use, ${target}`, `forbidden, use, ${target}`])
  const calls = [DISCOVER, ...twice(rewrite('a.md', '- be nice')), parse(...pairs.map(toParsedRule))]
  const [shown = '', asked = '', written, parsed = ''] = await answersIn(project, ...calls)
  expect(shown.match(/^- none-\d+\.md: /gm)).toHaveLength(10)
  expect(shown).toContain('\n- and 50 more')
  expect(asked).toContain(
    `- \`${project.path('a.md')}\`: 71 lines in no rule: \`# Title\`, \`\` - use \`name1\` \`\`, `,
  )
  expect(asked).toMatch(/; with `name1`, .*`name10`, and 60 more\n/)
  expect(asked).not.toContain('name11')
  expect(written).toContain('\n-- use `name58`\n… and 13 more lines\n```\n')
  const [json = '', notes = ''] = parsed.split('\n\n# Notes\n\n')
  expect(JSON.parse(json).rules).toHaveLength(46)
  expect(notes.split('\n').filter((line) => line.startsWith('- rule '))).toHaveLength(10)
  const cut = `\`${`obligatory use ${long}`.slice(0, 120)}…\``
  expect(notes).toContain(`which one holds:\n- rule 1, ${cut}, and rule 2, \``)
  expect(notes).toContain('- rule 3, `obligatory use tool 0`, and rule 4, `forbidden use tool 0`')
  expect(notes).toEndWith('\n- and 13 more')
})
