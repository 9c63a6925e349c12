import { expect } from 'bun:test'
import { type Message, type Project, type Session, sharedHost } from './host.ts'
import { type ModelRequest, textOf } from './model.ts'
import { story } from './story.ts'

/** How often some words stand in what the model was sent. */
const times = (words: string, { messages }: ModelRequest): number =>
  messages.map(textOf).join('\n').split(words).length - 1

/** How often in each of some requests. */
const counts = (words: string, requests: Array<ModelRequest>): Array<number> =>
  requests.map((request) => times(words, request))

const isSilent = ({ parts }: Message): boolean =>
  parts.some(({ metadata }) => metadata?.['opencode-sat'] !== undefined)

const silentOf = async (session: Session): Promise<Array<Message>> =>
  (await session.messages()).filter(isSilent)

const agentsOf = async (session: Session) =>
  (await session.messages()).map(({ info }) => `${info.role} ${info.agent}`)

const recordOf = ({ project, id }: Session) =>
  project.http<{ agent?: string; title: string; model?: { id: string; variant?: string } }>(
    'GET',
    `/session/${id}`,
  )

const compact = ({ project, id }: Session) =>
  project.http('POST', `/session/${id}/summarize`, { providerID: 'fake', modelID: 'm' })

const errandsOf = async ({ id }: Session): Promise<Array<ModelRequest>> =>
  (await sharedHost()).model.requests.filter(({ session, kind }) => session === id && kind === 'errand')

const until = async (holds: () => Promise<boolean>): Promise<void> => {
  for (let tries = 0; tries < 100 && !(await holds()); tries++) await Bun.sleep(50)
}

const COMPONENT_RULE = `---
globs:
  - "src/components/**/*.ts"
---

This is a rule for TypeScript components.
`

const RULES = {
  '.opencode/rules/my-rule.md': '# Of my own\n\nALWAYS-ONE: be brief.\n',
  '.opencode/rules/another-rule.mdc': 'ALWAYS-TWO: This rule should always apply.\n',
  '.opencode/rules/web/components.mdc': COMPONENT_RULE,
  '.opencode/rules/tests.md': '---\npaths: "**/*.test.ts, !vendor/**"\n---\nJOINS-TESTS\n',
  '.opencode/rules/python.md': "---\napplyTo: '**/*.py'\n---\nJOINS-PYTHON\n",
  '.opencode/rules/patched.md': '---\nglobs: **/*.{rs,go}\n---\nJOINS-PATCHED\n',
  '.opencode/rules/cursor.mdc':
    '---\ndescription: x\nglobs: never/*.x\nalwaysApply: true\n---\nALWAYS-CURSOR\n',
  '.opencode/rules/broken.md': '---\nglobs: ["a.ts"\ndescription: x: y\n---\nBROKEN-RULE\n',
  '.opencode/rules/.hidden.md': 'HIDDEN-RULE\n',
  '.opencode/rules/.folder/rule.md': 'HIDDEN-RULE\n',
  '.opencode/rules/empty.md': '',
  '.opencode/rules/notes.txt': 'HIDDEN-RULE\n',
}
const ALWAYS = ['ALWAYS-ONE', 'ALWAYS-TWO', 'ALWAYS-CURSOR']
const COMPONENTS = 'This is a rule for TypeScript components.'
const NEVER = ['BROKEN-RULE', 'HIDDEN-RULE']

const FILES = {
  ...RULES,
  'src/components/button.ts': 'export const button = 1\n',
  'src/utils/helpers.js': 'export const help = 1\n',
  'src/a.test.ts': 'test()\n',
  'main.py': 'print(1)\n',
}

let project: Promise<Project> | undefined
const rulesProject = (): Promise<
  Project
> => (project ??= sharedHost().then((host) => host.project({ files: FILES })))

const read = (path: string) => ({ tool: 'read', args: { filePath: path } })

story(
  'Rules sent on session creation, Loading a standard markdown rule, Loading a rule with no metadata, Silent message format: in a plan session from its first message',
  async () => {
    const session = await (await rulesProject()).session()
    const { requests } = await session.turnAs(
      { agent: 'plan' },
      'What does button do?',
      read('main.py'),
      'It is 1.',
    )
    expect(requests).toHaveLength(2)
    for (const rule of ALWAYS) expect([rule, counts(rule, requests)]).toEqual([rule, [1, 1]])
    for (const rule of NEVER) expect([rule, counts(rule, requests)]).toEqual([rule, [0, 0]])
    const [system, rules, words] = requests[0]!.messages
    expect([system!.role, rules!.role, words!.role]).toEqual(['system', 'user', 'user'])
    expect(textOf(rules!)).toContain('## another-rule\n\nALWAYS-TWO')
    expect(textOf(rules!)).toContain('## my-rule\n\n# Of my own')
    expect(textOf(words!)).toContain('What does button do?')

    const [silent, ...others] = await silentOf(session)
    expect(others).toEqual([])
    expect((await session.messages())[0]).toEqual(silent!)
    expect(silent!.parts).toMatchObject([{
      type: 'text',
      synthetic: true,
      text: expect.stringContaining('ALWAYS-ONE'),
    }])
    expect(new Set(await agentsOf(session))).toEqual(new Set(['user plan', 'assistant plan']))
    expect(await recordOf(session)).toMatchObject({ agent: 'plan', model: { id: 'm' } })

    await until(async () => (await recordOf(session)).title === 'A short text')
    expect(await recordOf(session)).toMatchObject({ title: 'A short text' })
    const [title, ...more] = await errandsOf(session)
    expect(more).toEqual([])
    expect(times('What does button do?', title!)).toBe(1)
    expect(times('ALWAYS', title!)).toBe(0)
  },
)

story(
  'Loading a markdown with metadata rule, and one that does not apply: conditional rules join once, before the next step, when a file is read, written, edited, patched or attached',
  async () => {
    const project = await rulesProject()
    const session = await project.session()
    const first = await session.turn(
      'go',
      [read('src/utils/helpers.js'), read('src/components')],
      read('src/components/missing.ts'),
      read('src/components/button.ts'),
      {
        tool: 'edit',
        args: { filePath: project.path('main.py'), oldString: 'print(1)', newString: 'print(2)' },
      },
      { tool: 'write', args: { filePath: project.path('src/b.test.ts'), content: 'b' } },
      read('src/a.test.ts'),
    )
    expect(first.requests).toHaveLength(7)
    expect(counts(COMPONENTS, first.requests)).toEqual([0, 0, 0, 1, 1, 1, 1])
    expect(counts('JOINS-PYTHON', first.requests)).toEqual([0, 0, 0, 0, 1, 1, 1])
    expect(counts('JOINS-TESTS', first.requests)).toEqual([0, 0, 0, 0, 0, 1, 1])
    for (const rule of ALWAYS) expect(counts(rule, first.requests)).toEqual([1, 1, 1, 1, 1, 1, 1])
    const last = first.requests[3]!.messages.slice(-2)
    expect(last.map(({ role }) => role)).toEqual(['tool', 'user'])
    expect(textOf(last[1]!)).toContain('src/components/button.ts')
    // What was sent before stays what it was, so that a provider's cache holds.
    first.requests.slice(1).forEach(({ messages }, index) => {
      const before = first.requests[index]!.messages
      expect(messages.slice(0, before.length)).toEqual(before)
    })

    const patched = await session.turnAs({ model: 'gpt-5.2' }, 'patch', {
      tool: 'apply_patch',
      args: { patchText: '*** Begin Patch\n*** Add File: lib/x.go\n+package x\n*** End Patch' },
    })
    expect(counts('JOINS-PATCHED', patched.requests)).toEqual([0, 1])
    for (const rule of [...ALWAYS, COMPONENTS]) expect(counts(rule, patched.requests)).toEqual([1, 1])

    const attached = await project.session()
    const url = `file://${project.path('main.py')}`
    const parts = [{ type: 'file', mime: 'text/plain', filename: 'main.py', url }]
    const { requests } = await attached.turnAs({ parts }, 'look at this')
    expect(counts('JOINS-PYTHON', requests)).toEqual([1])
    expect(counts(COMPONENTS, requests)).toEqual([0])
    const title = (await errandsOf(attached))[0]!
    expect([times('look at this', title), times('JOINS-PYTHON', title)]).toEqual([1, 0])
  },
)

story(
  'Rules re-sent on session compaction: all that the session has, once, under its own agent, and no step is caused',
  async () => {
    const project = await rulesProject()
    const session = await project.session()
    await session.turnAs({ agent: 'plan' }, 'read it', read('src/components/button.ts'), 'x'.repeat(20_000))
    await compact(session)
    const { requests } = await session.turnAs({ agent: 'plan' }, 'and now?')
    expect(session.requests()).toHaveLength(3)
    expect(await errandsOf(session)).toHaveLength(2)
    for (const rule of [...ALWAYS, COMPONENTS]) expect([rule, counts(rule, requests)]).toEqual([rule, [1]])
    expect(counts('JOINS-PYTHON', requests)).toEqual([0])
    for (const errand of await errandsOf(session)) expect(times('ALWAYS', errand)).toBe(0)

    const [silent, ...others] = await silentOf(session)
    expect(others).toEqual([])
    expect(silent!.parts).toMatchObject([{ text: expect.stringContaining(COMPONENTS) }])
    expect((await agentsOf(session)).filter((one) => one.startsWith('user'))).toEqual(
      ['user plan', 'user plan', 'user plan', 'user plan'],
    )
    expect(await recordOf(session)).toMatchObject({ agent: 'plan', title: 'A short text' })
  },
)

story(
  'compaction while a turn runs: the rules are there at the next step, and the turn takes no more steps',
  async () => {
    const project = await rulesProject()
    const session = await project.session()
    const { requests } = await session.turnAs(
      { agent: 'plan' },
      'read it',
      { ...read('src/components/button.ts'), tokens: 199_000 },
      read('main.py'),
      'done',
    )
    expect(requests).toHaveLength(3)
    for (const rule of [...ALWAYS, COMPONENTS]) {
      expect([rule, counts(rule, requests.slice(1))]).toEqual([
        rule,
        [1, 1],
      ])
    }
    expect(counts('JOINS-PYTHON', requests)).toEqual([0, 0, 1])
    expect(new Set(await agentsOf(session))).toEqual(
      new Set(['user plan', 'assistant plan', 'assistant compaction']),
    )
  },
)
