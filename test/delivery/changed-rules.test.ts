import { expect } from 'bun:test'
import { type SessionRules, sessionRulesOf } from '../../src/host/panel-schema.ts'
import { CHECKOUT, type Project, type Session, sharedHost } from '../harness/host.ts'
import { type Call, type ModelMessage, type ModelRequest, textOf } from '../harness/model.ts'
import { story } from '../harness/story.ts'
import { compact, counts, silentOf, until } from './delivered.ts'

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

/** A message without the reminder that the host appends to the newest message of a plan. */
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

const shownOf = async (session: Session): Promise<SessionRules> =>
  sessionRulesOf((await silentOf(session)).flatMap(({ parts }) => parts))!

const inForce = async (session: Session): Promise<Array<string>> =>
  (await shownOf(session)).inForce.map(({ name, kind, file }) => `${name} ${kind}${file ? ` ${file}` : ''}`)

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
    `a rule that is edited, added or removed while a session runs as ${agent} is in its new words in the next request, and nowhere in its old ones`,
    async () => {
      const there = await project()
      const session = await there.session()
      const requests = await changeRulesInTurn(there, session, agent)
      expect(requests).toHaveLength(5)
      expect(counts('STYLE-ONE', requests)).toEqual([1, 0, 0, 0, 0])
      expect(counts('STYLE-TWO', requests)).toEqual([0, 1, 1, 1, 1])
      expect(counts('PYTHON-ONE', requests)).toEqual([0, 1, 1, 1, 1])
      expect(counts('ADDED-RULE', requests)).toEqual([0, 0, 1, 1, 1])
      expect(counts('OLD-RULE', requests)).toEqual([1, 1, 1, 0, 0])
      // Where no rule changed, what was sent before stays as it was.
      expectPrefixes(requests.slice(3))

      Bun.spawnSync(['mv', 'added.md', 'renamed.md'], { cwd: there.path('.opencode/rules') })
      const { requests: [next] } = await session.turnAs({ agent }, 'and now?')
      expect(lastOf(next!)).toContain('and now?')
      expect(counts('ADDED-RULE', [next!])).toEqual([1])
      expect(textOf(next!.messages[1]!)).toContain('## renamed')
      await until(async () => (await inForce(session)).includes('renamed always'))
      expect(await inForce(session)).toEqual(['python file main.py', 'renamed always', 'style always'])
      expect(
        (await session.messages()).filter(({ info }) => info.role === 'user').map(({ info }) => info.agent),
      )
        .toEqual([agent, agent, agent])

      await compact(session)
      const { requests: [after] } = await session.turnAs({ agent }, 'go on')
      for (const words of ['STYLE-TWO', 'ADDED-RULE', 'PYTHON-ONE']) {
        expect([words, counts(words, [after!])]).toEqual([words, [1]])
        expect(textOf(after!.messages[1]!)).toContain(words)
      }
      for (const words of ['STYLE-ONE', 'OLD-RULE']) expect(counts(words, [after!])).toEqual([0])
      expect(await inForce(session)).toEqual(['python file main.py', 'renamed always', 'style always'])
    },
  )
}

story(
  'a rule that is edited while a child session runs is new to the child, and then to its parent',
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
    const [child] = await there.http<Array<{ id: string }>>('GET', `/session/${session.id}/children`)
    for (const asked of [requests, there.resume(child!.id).requests()]) {
      expect(counts('STYLE-ONE', asked)).toEqual([1, 0])
      expect(counts('STYLE-TWO', asked)).toEqual([0, 1])
    }
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
    expect(counts('OLD-RULE', [second!])).toEqual([0])
    const { id } = await there.http<{ id: string }>('POST', `/session/${session.id}/fork`, {})
    const fork = there.resume(id)
    const { requests: [forked] } = await fork.turn('third')
    expectPrefixes([session.requests().at(-1)!, forked!])
    expect([counts('OLD-RULE', [forked!]), counts('PYTHON-ONE', [forked!])]).toEqual([[0], [1]])
    expect(await inForce(fork)).toEqual(['python file main.py', 'style always'])

    const words = (await session.messages()).findLast(({ info }) => info.role === 'user')!
    await there.http('POST', `/session/${session.id}/revert`, { messageID: words.info.id })
    // It is shown at once, and a redo brings it back.
    const isInForce = async () => (await inForce(session)).includes('python file main.py')
    await until(async () => !(await isInForce()))
    expect((await shownOf(session)).waiting).toMatchObject([{ name: 'python', globs: ['*.py'] }])
    await there.http('POST', `/session/${session.id}/unrevert`)
    await until(isInForce)
    expect(await isInForce()).toBe(true)
    await there.http('POST', `/session/${session.id}/revert`, { messageID: words.info.id })
    const { requests: [undone] } = await session.turn('another way')
    expect([counts('OLD-RULE', [undone!]), counts('PYTHON-ONE', [undone!])]).toEqual([[0], [0]])
    await until(async () => !(await isInForce()))
    expect(await inForce(session)).toEqual(['style always'])
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
    const ownFile = (path: string) => ({ path: `.opencode/rules/${path}` })
    expect(await shownOf(session)).toMatchObject({
      inForce: [{ ...ownFile('copilot.md'), name: 'copilot', kind: 'always', bytes: 14 }],
      waiting: [{ ...ownFile('python.md'), name: 'python', globs: ['*.py'], description: 'snakes' }],
      offered: [{ ...ownFile('api.mdc'), name: 'api', description: 'How to add: an API route' }],
      leftOut: [{ ...ownFile('broken.md'), line: 3 }],
      instructions: [{ path: 'AGENTS.md' }],
      folders: ['.cursor/rules'],
    })
    expect((await silentOf(session))[0]!.parts[0]!.text).toContain('- `api` (`.opencode/rules/api.mdc`)')
  },
)

story(
  'a rule that waits for a file is shown where none is sent, and the session keeps its agent and gets its title',
  async () => {
    const waiting = await project({ '.opencode/rules/python.md': RULES['.opencode/rules/python.md'] })
    const quiet = await waiting.session({ title: null })
    const { requests } = await quiet.turnAs({ agent: 'plan' }, 'hello')
    expect(requests[0]!.messages.map(({ role }) => role)).toEqual(['system', 'user'])
    expect(await shownOf(quiet)).toMatchObject({ inForce: [], waiting: [{ name: 'python' }] })
    const record = () => waiting.http<{ agent: string; title: string }>('GET', `/session/${quiet.id}`)
    await until(async () => (await record()).title === 'A short text')
    expect(await record()).toMatchObject({ agent: 'plan', title: 'A short text' })
    expect(quiet.requests()).toHaveLength(1)
  },
)

story(
  'rules that come to a session without any are in its next request, and stored in its hidden message',
  async () => {
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
    // A rule that only waits is in no request, and shown.
    there.write('.opencode/rules/snake.md', RULES['.opencode/rules/python.md'])
    const { requests: [next] } = await session.turnAs({ agent: 'plan' }, 'and now?')
    expectPrefixes([requests[1]!, next!])
    expect(requests).toHaveLength(2)
    await until(async () => (await shownOf(session)).waiting.length === 1)
    expect((await shownOf(session)).waiting).toMatchObject([{ name: 'snake' }])
    expect(new Set((await session.messages()).map(({ info }) => info.agent))).toEqual(new Set(['plan']))
  },
)

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
    const host = await sharedHost()
    const link = host.project().path('linked-sat')
    Bun.spawnSync(['ln', '-s', CHECKOUT, link])
    const directories = ['.cursor/rules', '.claude/rules', '.github/instructions', '.clinerules', 'gone']
    const plugin = [[CHECKOUT, { rules: { directories }, debug: true }], `file://${CHECKOUT}/sat.ts`, link]
    const there = host.project({ files: OTHER_TOOLS, config: { plugin }, git: true })
    const session = await there.session()
    const { requests } = await session.turn('go', read('src/api/x.ts'))
    for (const words of ['CURSOR-ALL', 'CLAUDE-ALL', 'COPILOT-ALL', 'CLINE-ALL']) {
      expect([words, counts(words, requests)]).toEqual([words, [1, 1]])
    }
    expect(counts('CLAUDE-API', requests)).toEqual([0, 1])
    for (const words of ['CURSOR-TESTS', 'NO-RULE']) expect(counts(words, requests)).toEqual([0, 0])
    expect(await silentOf(session)).toHaveLength(1)
    expect((await shownOf(session)).folders).toEqual([])

    // A session in a package has the folders that the project's config names.
    const nested = host.project({ directory: there.path('packages/a') })
    const { requests: [inPackage] } = await (await nested.session()).turn('go')
    expect(counts('CLAUDE-ALL', [inPackage!])).toEqual([1])
  },
)
