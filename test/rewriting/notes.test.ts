import { expect } from 'bun:test'
import { inProcess } from '../harness/in-process.ts'
import { story } from '../harness/story.ts'

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

const start = async () =>
  (await inProcess()).project({
    files: {
      'AGENTS.md': AGENTS,
      'package.json': '{"scripts":{"build":"tsc"}}',
      'src/cart.ts': 'export {}\n',
      'docs/guide.md': 'x\n',
    },
  })

story(
  'discover-rules tells which names are not there any more',
  async () => {
    const project = await start()
    const { outputs } = await (await project.session()).turn('go', { tool: 'discover-rules', args: {} })
    const [, notes = ''] = outputs[0]!.split('# Notes\n')
    const path = project.path('AGENTS.md')
    expect(notes.split('\n').filter((line) => line.includes(' line '))).toEqual([
      `- ${path} line 7: \`npm run lint\`: package.json has no script "lint"`,
      `- ${path} line 17: \`src/checkout/\`: not found, though \`src/\` is there`,
      `- ${path} line 19: \`src/orders.ts\`: not found, though \`src/\` is there`,
      `- ${path} line 19: \`src/**/*.spec.ts\`: no file matches, though \`src/\` is there`,
    ])
  },
)

story(
  'a whole replacement tells what no rule says any more, and how it comes back; where nothing went it is silent',
  async () => {
    const project = await start()
    const session = await project.session()
    const rewrite = (...rules: Array<string>) => ({
      tool: 'rewrite-rules',
      args: { rules: JSON.stringify({ rules }) },
    })
    const { outputs } = await session.turn(
      'go',
      { tool: 'discover-rules', args: {} },
      rewrite('Rule: never use `eval`', 'Rule: read the guide, docs/guide.md'),
      rewrite('Rule: never use `eval`\nReason: it is slow', 'Rule: read the guide, docs/guide.md'),
    )
    const [, rewritten = '', again = ''] = outputs
    expect(rewritten).toContain('SAVED ')
    expect(rewritten).toContain(
      `9 lines of \`${
        project.path('AGENTS.md')
      }\` are in no rule, with \`npm run build\`, \`npm run lint\`, \`src/cart.ts\`, \`src/checkout/\`, \`src/orders.ts\`, \`src/**/*.spec.ts\`; the backup has them, and /restore-rules brings the file back. Tell the person.`,
    )
    expect(again).toContain('Success')
    expect(again).not.toContain('in no rule')
  },
)

story(
  'parse-rules tells which rules contradict or repeat each other, and else answers bare JSON',
  async () => {
    const project = await start()
    const parse = (...rules: Array<object>) => ({
      tool: 'parse-rules',
      args: { rules: JSON.stringify({ rules: rules.map((rule) => ({ reason: 'x', ...rule })) }) },
    })
    const tabs = { strength: 'obligatory', action: 'use', target: 'tabs' }
    const { outputs } = await (await project.session()).turn(
      'go',
      parse(tabs, { ...tabs, strength: 'forbidden', target: 'Tabs' }, { ...tabs, action: 'Use' }),
      parse(tabs, { ...tabs, strength: 'forbidden', context: 'in Makefiles' }),
    )
    const [json = '', notes = ''] = outputs[0]!.split('\n\n# Notes\n\n')
    expect(JSON.parse(json).rules).toHaveLength(3)
    expect(notes).toContain('ask:\n- rule 1, `obligatory use tabs`, and rule 2, `forbidden use Tabs`')
    expect(notes).toContain('- rule 1, `obligatory use tabs`, and rule 3, `obligatory Use tabs`')
    expect(JSON.parse(outputs[1]!).rules).toHaveLength(2)
  },
)
