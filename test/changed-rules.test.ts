import { expect } from 'bun:test'
import { compact, counts, silentOf, until } from './delivered.ts'
import { bareHost, type Project, type Session, sharedHost } from './host.ts'
import { type Call, type ModelMessage, type ModelRequest, textOf } from './model.ts'
import { story } from './story.ts'

const RULES = {
  '.opencode/rules/style.md': 'STYLE-ONE: two spaces.\n',
  '.opencode/rules/old.md': 'OLD-RULE: say hello.\n',
  '.opencode/rules/python.md': '---\nglobs: "*.py"\n---\nPYTHON-ONE\n',
  'main.py': 'print(1)\n',
  'a.ts': 'x\n',
}

const project = async (files: Record<string, string> = RULES): Promise<Project> =>
  (await sharedHost()).project({ files })

const read = (path: string): Call => ({ tool: 'read', args: { filePath: path } })

/** A message without the reminder that the host puts behind the newest words of a plan. */
const withoutReminder = ({ role, ...message }: ModelMessage): Array<string> => [
  role,
  textOf({ role, ...message }).replace(/\n?<system-reminder>[\s\S]*/, ''),
]

/** What a model was sent is, word for word, the beginning of what it is sent next. */
const expectPrefixes = (requests: Array<ModelRequest>): void =>
  requests.slice(1).forEach(({ messages }, index) => {
    const before = requests[index]!.messages.slice(1)
    expect(messages.slice(1, before.length + 1).map(withoutReminder)).toEqual(before.map(withoutReminder))
  })

const lastOf = (request: ModelRequest): string => textOf(request.messages.at(-1)!)

type Metadata = {
  rules: Array<string>
  inForce: Array<{ name: string; why: string; file?: string; bytes: number; held: boolean }>
  waiting: Array<{ name: string; globs: Array<string> }>
  offered: Array<{ name: string; path: string; description: string }>
  leftOut: Array<{ path: string; line?: number; reason: string }>
  instructions: Array<string>
  folders?: Array<string>
}

const metadataOf = async (session: Session): Promise<Metadata> =>
  (await silentOf(session))[0]!.parts[0]!.metadata!['opencode-sat'] as Metadata

const inForce = async (session: Session): Promise<Array<string>> =>
  (await metadataOf(session)).inForce
    .map(({ name, why, file, held }) => `${name} ${why}${file ? ` ${file}` : ''}${held ? '' : ' not held'}`)

/** A turn in which a rule is edited, added and removed, each before a call; gives its requests. */
const changeRulesInTurn = async (there: Project, session: Session, agent: string) => {
  const step = (change: () => void, call: Call) => () => {
    change()
    return call
  }
  const { requests } = await session.turnAs(
    { agent },
    'go',
    step(() => there.write('.opencode/rules/style.md', 'STYLE-TWO: tabs.\n'), read('main.py')),
    step(() => there.write('.opencode/rules/added.md', 'ADDED-RULE\n'), read('a.ts')),
    step(() => Bun.spawnSync(['rm', there.path('.opencode/rules/old.md')]), read('a.ts')),
    read('a.ts'),
    'done',
  )
  return requests
}

for (const agent of ['build', 'plan']) {
  story(
    `a rule that is edited, added or removed while a session runs as ${agent} is told once, behind what was sent before`,
    async () => {
      const there = await project()
      const session = await there.session()
      const requests = await changeRulesInTurn(there, session, agent)
      expect(requests).toHaveLength(5)
      expect(counts('STYLE-ONE', requests)).toEqual([1, 1, 1, 1, 1])
      expect(counts('STYLE-TWO', requests)).toEqual([0, 1, 1, 1, 1])
      expect(counts('PYTHON-ONE', requests)).toEqual([0, 1, 1, 1, 1])
      expect(counts('ADDED-RULE', requests)).toEqual([0, 0, 1, 1, 1])
      expect(counts('taken back and no longer apply: `old`', requests)).toEqual([0, 0, 0, 1, 1])
      expectPrefixes(requests)

      // Between the turns: what changed before the person spoke stands before the words.
      there.write('.opencode/rules/added.md', 'ADDED-AGAIN\n')
      const { requests: [next] } = await session.turnAs({ agent }, 'and now?')
      expect(lastOf(next!)).toContain('and now?')
      expect(textOf(next!.messages.at(-2)!)).toContain('ADDED-AGAIN')
      expectPrefixes([requests.at(-1)!, next!])
      await until(async () => (await inForce(session)).length === 3)
      expect(await inForce(session)).toEqual(['style always', 'python file main.py', 'added always'])
      expect(
        (await session.messages()).filter(({ info }) => info.role === 'user').map(({ info }) => info.agent),
      )
        .toEqual([agent, agent, agent])

      await compact(session)
      const { requests: [after] } = await session.turnAs({ agent }, 'go on')
      expect(counts('STYLE-TWO', [after!])).toEqual([1])
      expect(counts('ADDED-AGAIN', [after!])).toEqual([1])
      for (const words of ['STYLE-ONE', 'OLD-RULE', 'ADDED-RULE', 'taken back']) {
        expect([words, counts(words, [after!])]).toEqual([words, [0]])
      }
      expect(await inForce(session)).toEqual(['added always', 'python file main.py', 'style always'])
    },
  )
}

story(
  'a rule that is edited while a child session runs is told to the child, and then to its parent',
  async () => {
    const there = await project()
    const { model } = await sharedHost()
    const session = await there.session()
    model.scriptChild('Look at the snake', [
      () => {
        there.write('.opencode/rules/style.md', 'STYLE-TWO\n')
        return read('main.py')
      },
      'found',
    ])
    const { requests } = await session.turn('delegate', {
      tool: 'task',
      args: { description: 'look', prompt: 'Look at the snake', subagent_type: 'explore' },
    })
    expect(counts('STYLE-TWO', requests)).toEqual([0, 1])
    const [child] = await there.http<Array<{ id: string }>>('GET', `/session/${session.id}/children`)
    const asked = there.resume(child!.id).requests()
    expect(counts('STYLE-TWO', asked)).toEqual([0, 1])
    expectPrefixes(requests)
    expectPrefixes(asked)
  },
)

story(
  'a fork and an undo: a removed rule does not come back, a rule goes with the message that it joined at',
  async () => {
    const there = await project()
    const session = await there.session()
    await session.turn('first')
    Bun.spawnSync(['rm', there.path('.opencode/rules/old.md')])
    const { requests: [second] } = await session.turn('second', read('main.py'))
    expect(counts('taken back', [second!])).toEqual([1])
    const { id } = await there.http<{ id: string }>('POST', `/session/${session.id}/fork`, {})
    const fork = there.resume(id)
    const { requests: [forked] } = await fork.turn('third')
    expectPrefixes([session.requests().at(-1)!, forked!])
    expect(counts('taken back', [forked!])).toEqual([1])
    expect(counts('PYTHON-ONE', [forked!])).toEqual([1])
    expect(await inForce(fork)).toEqual(['style always', 'python file main.py'])

    const words = (await session.messages()).findLast(({ info }) => info.role === 'user')!
    await there.http('POST', `/session/${session.id}/revert`, { messageID: words.info.id })
    // It is shown at once, and a redo takes it back.
    const isPythonHeld = async () =>
      (await metadataOf(session)).inForce.find(({ name }) => name === 'python')?.held
    await until(async () => (await isPythonHeld()) === false)
    expect(await inForce(session)).toEqual(['style always', 'python file main.py not held'])
    await there.http('POST', `/session/${session.id}/unrevert`)
    await until(async () => (await isPythonHeld()) === true)
    expect(await isPythonHeld()).toBe(true)
    await there.http('POST', `/session/${session.id}/revert`, { messageID: words.info.id })
    const { requests: [undone] } = await session.turn('another way')
    expect(counts('PYTHON-ONE', [undone!])).toEqual([0])
    // The undone words had the news before them: it is told again.
    expect(counts('taken back', [undone!])).toEqual([1])
    await until(async () => (await metadataOf(session)).waiting.length === 1)
    expect(await metadataOf(session)).toMatchObject({
      inForce: [{ name: 'style', held: true }],
      waiting: [{ name: 'python', globs: ['*.py'] }],
    })
  },
)

story(
  'kinds of rules: offered in one line, by hand, and waiting; what is shown of each',
  async () => {
    const there = await project({
      '.opencode/rules/api.mdc':
        '---\ndescription: How to add: an API route\nglobs:\nalwaysApply: false\n---\nAPI-BODY\n',
      '.opencode/rules/hand.mdc': '---\ndescription:\nglobs:\nalwaysApply: false\n---\nHAND-BODY\n',
      '.opencode/rules/python.md': '---\ndescription: snakes\nglobs: "*.py"\n---\nPYTHON-ONE\n',
      '.opencode/rules/copilot.md': '---\napplyTo: "**"\n---\nCOPILOT-ALWAYS\n',
      '.opencode/rules/broken.md': '---\nx: 1\nglobs: [a\n---\nBROKEN\n',
      '.cursor/rules/x.mdc': 'NOT-ASKED-FOR\n',
      'AGENTS.md': 'Be kind.\n',
    })
    const session = await there.session()
    const { requests: [request] } = await session.turn('hello')
    const front = textOf(request!.messages[1]!)
    expect(front).toContain(
      `- \`api\` (\`${there.path('.opencode/rules/api.mdc')}\`): How to add: an API route`,
    )
    expect(front).toContain('COPILOT-ALWAYS')
    for (const words of ['API-BODY', 'HAND-BODY', 'PYTHON-ONE', 'BROKEN', 'NOT-ASKED-FOR']) {
      expect([words, counts(words, [request!])]).toEqual([words, [0]])
    }
    expect(await metadataOf(session)).toMatchObject({
      rules: [there.path('.opencode/rules/copilot.md')],
      inForce: [{ name: 'copilot', why: 'always', bytes: 14, held: true }],
      waiting: [{ name: 'python', globs: ['*.py'], description: 'snakes' }],
      offered: [{ name: 'api', description: 'How to add: an API route' }],
      leftOut: [{ path: there.path('.opencode/rules/broken.md'), line: 3 }],
      instructions: [there.path('AGENTS.md')],
      folders: [there.path('.cursor/rules')],
    })
  },
)

story(
  'a rule that waits for a file is shown where none is sent, and the session keeps its agent and gets its title',
  async () => {
    const waiting = await project({ '.opencode/rules/python.md': RULES['.opencode/rules/python.md'] })
    const quiet = await waiting.session({ title: null })
    const { requests } = await quiet.turnAs({ agent: 'plan' }, 'hello')
    expect(requests[0]!.messages.map(({ role }) => role)).toEqual(['system', 'user'])
    expect(await metadataOf(quiet)).toMatchObject({ rules: [], inForce: [], waiting: [{ name: 'python' }] })
    const record = () => waiting.http<{ agent: string; title: string }>('GET', `/session/${quiet.id}`)
    await until(async () => (await record()).title === 'A short text')
    expect(await record()).toMatchObject({ agent: 'plan', title: 'A short text' })
    expect(quiet.requests()).toHaveLength(1)
  },
)

story('rules that come to a session without any are told, and stored in its hidden message', async () => {
  const there = await project({ 'a.ts': 'x\n' })
  const session = await there.session()
  const { requests } = await session.turnAs(
    { agent: 'plan' },
    'go',
    () => {
      there.write('.opencode/rules/late.md', 'LATE-RULE\n')
      return read('a.ts')
    },
    'done',
  )
  expect(counts('LATE-RULE', requests)).toEqual([0, 1])
  await until(async () => (await silentOf(session)).length === 1)
  expect(await inForce(session)).toEqual(['late always'])
  // A rule that only waits is told to nobody, and shown.
  there.write('.opencode/rules/snake.md', RULES['.opencode/rules/python.md'])
  const { requests: [next] } = await session.turnAs({ agent: 'plan' }, 'and now?')
  expectPrefixes([requests[1]!, next!])
  expect(requests).toHaveLength(2)
  await until(async () => (await metadataOf(session)).waiting.length === 1)
  expect((await metadataOf(session)).waiting).toMatchObject([{ name: 'snake' }])
  // A file that takes another's place under its name changes the rule; one that says the same is no news.
  Bun.spawnSync(['rm', there.path('.opencode/rules/late.md')])
  there.write('.opencode/rules/late.mdc', '---\nglobs: "*.ts"\n---\nLATER-RULE\n')
  const { requests: [moved] } = await session.turnAs({ agent: 'plan' }, 'and then?')
  expectPrefixes([next!, moved!])
  expect(textOf(moved!.messages.at(-2)!)).toMatch(/^These rules changed\.[^]*## late\n\nLATER-RULE$/)
  there.write(
    '.opencode/rules/late.mdc',
    '---\ndescription: now always\nalwaysApply: true\n---\nLATER-RULE\n',
  )
  const { requests: [same] } = await session.turnAs({ agent: 'plan' }, 'at last?')
  expect(same!.messages).toHaveLength(moved!.messages.length + 2)
  const described = async () => (await metadataOf(session)).inForce[0]
  await until(async () => (await described())?.why === 'always')
  expect(await described()).toMatchObject({ name: 'late', why: 'always', description: 'now always' })
  expect(new Set((await session.messages()).map(({ info }) => info.agent))).toEqual(new Set(['plan']))
})

const OTHER_TOOLS = {
  '.cursor/rules/tests.mdc':
    '---\ndescription:\nglobs: **/*.test.ts\nalwaysApply: false\n---\nCURSOR-TESTS\n',
  '.cursor/rules/all.mdc': '---\nalwaysApply: true\n---\nCURSOR-ALL\n',
  '.claude/rules/style.md': '---\ndescription: ignored there\n---\nCLAUDE-ALL\n',
  '.claude/rules/api.md': '---\npaths:\n  - "src/api/**/*.ts"\n---\nCLAUDE-API\n',
  '.github/instructions/ts.instructions.md': "---\napplyTo: '**'\n---\nCOPILOT-ALL\n",
  '.github/instructions/README.md': 'NO-RULE\n',
  '.clinerules/01.md': 'CLINE-ALL\n',
  '.clinerules/workflows/release.md': 'NO-RULE\n',
  'packages/a/src/api/x.ts': 'x\n',
  'src/api/x.ts': 'x\n',
}

story(
  "other tools' folders are read in place, as each tool means them; SAT listed three times acts once",
  async () => {
    const link = (await sharedHost()).project().path('linked-sat')
    const checkout = new URL('..', import.meta.url).pathname
    Bun.spawnSync(['ln', '-s', checkout, link])
    const directories = ['.cursor/rules', '.claude/rules', '.github/instructions', '.clinerules', 'gone']
    const host = await bareHost()
    const plugin = [[checkout, { rules: { directories }, debug: true }], `file://${checkout}sat.ts`, link]
    const there = host.project({ files: OTHER_TOOLS, config: { snapshot: false, plugin } })
    const session = await there.session()
    const { requests } = await session.turn('go', read('src/api/x.ts'))
    for (const words of ['CURSOR-ALL', 'CLAUDE-ALL', 'COPILOT-ALL', 'CLINE-ALL']) {
      expect([words, counts(words, requests)]).toEqual([words, [1, 1]])
    }
    expect(counts('CLAUDE-API', requests)).toEqual([0, 1])
    for (const words of ['CURSOR-TESTS', 'NO-RULE']) expect(counts(words, requests)).toEqual([0, 0])
    expect(await silentOf(session)).toHaveLength(1)
    expect((await metadataOf(session)).folders).toBeUndefined()

    // A session in a package has the folders that the project's config names.
    const nested = host.project({ directory: there.path('packages/a'), git: false })
    const { requests: [inPackage] } = await (await nested.session()).turn('go')
    expect(counts('CLAUDE-ALL', [inPackage!])).toEqual([1])
  },
)
