import { expect } from 'bun:test'
import { type Project, type Session, sharedHost } from '../harness/host.ts'
import { type ModelRequest, textOf } from '../harness/model.ts'
import { story } from '../harness/story.ts'
import {
  agentsOf,
  compact,
  counts,
  errandsOf,
  expectCounts,
  expectPrefixes,
  patch,
  read,
  recordOf,
  silentOf,
  times,
  until,
} from './delivered.ts'

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
> => (project ??= sharedHost().then((host) => host.project({ files: FILES, git: true })))

/** Expects all that always applies, and some more rules, once in each request. */
const expectAll = (requests: Array<ModelRequest>, ...more: Array<string>): void =>
  expectCounts(
    requests,
    Object.fromEntries([...ALWAYS, ...more].map((words) => [words, requests.map(() => 1)])),
  )

story(
  'Rules sent on session creation, Loading a standard markdown rule, Loading a rule with no metadata, Silent message format: in a plan session from its first message',
  async () => {
    const session = await (await rulesProject()).session({ title: null })
    const { requests } = await session.turnAs(
      { agent: 'plan' },
      'What does button do?',
      read('main.py'),
      'It is 1.',
    )
    expect(requests).toHaveLength(2)
    expectAll(requests)
    for (const rule of NEVER) expect([rule, counts(rule, requests)]).toEqual([rule, [0, 0]])
    const [system, rules, words] = requests[0]!.messages
    expect([system!.role, rules!.role, words!.role]).toEqual(['system', 'user', 'user'])
    expect(textOf(rules!)).toContain('## another-rule\n\nALWAYS-TWO')
    expect(textOf(rules!)).toContain('\n\n# Of my own')
    expect(textOf(rules!)).not.toContain('my-rule')
    expect(textOf(words!)).toContain('What does button do?')

    const [silent, ...others] = await silentOf(session)
    expect(others).toEqual([])
    expect((await session.messages())[0]).toEqual(silent!)
    expect(silent!.parts[0]).toMatchObject({
      type: 'text',
      synthetic: true,
      text: expect.stringContaining('ALWAYS-ONE'),
    })
    expect(new Set(await agentsOf(session))).toEqual(new Set(['user plan', 'assistant plan']))
    expect(await recordOf(session)).toMatchObject({ agent: 'plan', model: { id: 'm' } })

    await until(async () => (await recordOf(session)).title === 'A short text')
    expect(await recordOf(session)).toMatchObject({ title: 'A short text' })
    const [title, ...more] = errandsOf(await sharedHost(), session)
    expect(more).toEqual([])
    expect(times('What does button do?', title!)).toBe(1)
    expect(times('ALWAYS', title!)).toBe(0)
  },
)

story(
  'Loading a markdown with metadata rule, and one that does not apply: conditional rules join once, before the next step, when a file is read, written, edited or patched',
  async () => {
    const project = await rulesProject()
    const session = await project.session()
    const first = await session.turn(
      'go',
      [read('src/utils/helpers.js'), read('src/components'), read('src/components/missing.ts')],
      read('src/components/button.ts'),
      [
        {
          tool: 'edit',
          args: { filePath: project.path('main.py'), oldString: 'print(1)', newString: 'print(2)' },
        },
        { tool: 'write', args: { filePath: project.path('src/b.test.ts'), content: 'b' } },
      ],
      read('src/a.test.ts'),
    )
    expect(first.requests).toHaveLength(5)
    expectAll(first.requests)
    expectCounts(first.requests, {
      [COMPONENTS]: [0, 0, 1, 1, 1],
      'JOINS-PYTHON': [0, 0, 0, 1, 1],
      'JOINS-TESTS': [0, 0, 0, 1, 1],
    })
    const last = first.requests[2]!.messages.slice(-2)
    expect(last.map(({ role }) => role)).toEqual(['tool', 'user'])
    expect(textOf(last[1]!)).toContain('src/components/button.ts')
    expectPrefixes(first.requests)

    const adding = patch('*** Add File: lib/x.go\n+package x')
    const patched = await session.turnAs({ model: 'gpt-5.2' }, 'patch', adding)
    expectCounts(patched.requests, { 'JOINS-PATCHED': [0, 1] })
    expectAll(patched.requests, COMPONENTS)
  },
)

story(
  'Loading a markdown with metadata rule: it joins when a file is attached, and is no part of the title',
  async () => {
    const project = await rulesProject()
    const attached = await project.session({ title: null })
    const url = `file://${project.path('main.py')}`
    const parts = [{ type: 'file', mime: 'text/plain', filename: 'main.py', url }]
    const { requests } = await attached.turnAs({ parts }, 'look at this')
    expectCounts(requests, { 'JOINS-PYTHON': [1], [COMPONENTS]: [0] })
    const title = (errandsOf(await sharedHost(), attached))[0]!
    expect([times('look at this', title), times('JOINS-PYTHON', title)]).toEqual([1, 0])
  },
)

story(
  'Rules re-sent on session compaction: all that the session has, once, under its own agent, and no step is caused',
  async () => {
    const project = await rulesProject()
    const session = await project.session({ title: null })
    await session.turnAs({ agent: 'plan' }, 'read it', read('src/components/button.ts'), 'x'.repeat(20_000))
    await compact(session)
    const { requests } = await session.turnAs({ agent: 'plan' }, 'and now?')
    expect(session.requests()).toHaveLength(3)
    expect(errandsOf(await sharedHost(), session)).toHaveLength(2)
    expectAll(requests, COMPONENTS)
    expectCounts(requests, { 'JOINS-PYTHON': [0] })
    for (const errand of errandsOf(await sharedHost(), session)) expect(times('ALWAYS', errand)).toBe(0)

    const [silent, ...others] = await silentOf(session)
    expect(others).toEqual([])
    expect(silent!.parts[0]!.text).toContain(COMPONENTS)
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
    expectAll(requests.slice(1), COMPONENTS)
    expectCounts(requests, { 'JOINS-PYTHON': [0, 0, 1] })
    expect(new Set(await agentsOf(session))).toEqual(
      new Set(['user plan', 'assistant plan', 'assistant compaction']),
    )
  },
)

story('two sessions at once, one of them a plan: each has its rules once under its own agent', async () => {
  const project = await rulesProject()
  await Promise.all(['plan', 'build'].map(async (agent) => {
    const session = await project.session()
    const { requests } = await session.turnAs({ agent }, `as ${agent}`, read('main.py'))
    expectAll(requests)
    expectCounts(requests, { 'JOINS-PYTHON': [0, 1] })
    expect(await silentOf(session)).toHaveLength(1)
    expect(new Set(await agentsOf(session))).toEqual(new Set([`user ${agent}`, `assistant ${agent}`]))
    expect(await recordOf(session)).toMatchObject({ agent })
  }))
})

story(
  'what the host sends as an instruction file is sent by the host alone; an edited rule is new in the next session',
  async () => {
    const project = (await sharedHost()).project({
      files: {
        '.opencode/rules/both.md': 'SENT-BY-HOST\n',
        '.opencode/rules/deep/alone.md': 'ALWAYS-ALONE\n',
        '.opencode/rules/dots/both.md': 'SENT-BY-DOTS\n',
        'extra/more.md': 'NOT-ASKED-FOR\n',
      },
      config: { instructions: ['.opencode/rules/*.md', 'extra/../.opencode/rules/dots/*.md'] },
    })
    const { requests: [first] } = await (await project.session()).turn('hello')
    for (const words of ['SENT-BY-HOST', 'SENT-BY-DOTS']) {
      expect([words, times(words, first!)]).toEqual([words, 1])
      expect(textOf(first!.messages[0]!)).toContain(words)
    }
    expect([times('ALWAYS-ALONE', first!), times('NOT-ASKED-FOR', first!)]).toEqual([1, 0])
    project.write('.opencode/rules/deep/alone.md', 'ALWAYS-EDITED\n')
    const { requests: [next] } = await (await project.session()).turn('hello')
    expect([times('ALWAYS-ALONE', next!), times('ALWAYS-EDITED', next!)]).toEqual([0, 1])
  },
)

/** Says hi; gives the agent and model of the hidden message, the session's record, and the last request. */
const sayHi = async (project: Project, session: Session, body: object) => {
  await project.http('POST', `/session/${session.id}/message`, {
    parts: [{ type: 'text', text: 'hi' }],
    ...body,
  })
  const silent = (await silentOf(session))[0]?.info
  return {
    silent: [silent?.agent, silent?.model],
    record: await recordOf(session),
    last: session.requests().at(-1)!,
  }
}

story('the model and variant stay what they were, whatever models the agents have', async () => {
  const models = { m: { variants: { high: { reasoningEffort: 'high' } } } }
  const project = (await sharedHost()).project({
    files: { '.opencode/rules/a.md': 'ALWAYS-A' },
    config: {
      agent: {
        build: { model: 'fake/gpt-5.2' },
        careful: { mode: 'primary', model: 'fake/gpt-5.2', prompt: 'Be careful.' },
      },
      provider: { fake: { models } },
    },
  })
  const early = await project.session()
  await until(async () => (await silentOf(early)).length === 1)
  const planned = await sayHi(project, early, { agent: 'plan' })
  expect(planned.silent).toEqual(['plan', { providerID: 'fake', modelID: 'm' }])
  expect(planned.last.model).toBe('m')
  const careful = await sayHi(project, await project.session(), { agent: 'careful' })
  expect(careful.silent).toEqual(['careful', { providerID: 'fake', modelID: 'gpt-5.2' }])
  expect(careful.record).toMatchObject({ agent: 'careful', model: { id: 'gpt-5.2' } })

  const varied = await project.session()
  const model = { providerID: 'fake', modelID: 'm' }
  const { silent, record } = await sayHi(project, varied, { agent: 'plan', model, variant: 'high' })
  expect(silent).toEqual(['plan', { ...model, variant: 'high' }])
  expect(record).toMatchObject({ agent: 'plan', model: { id: 'm', variant: 'high' } })
  await compact(varied)
  expect(await recordOf(varied)).toMatchObject({ agent: 'plan', model: { id: 'm', variant: 'high' } })
})
