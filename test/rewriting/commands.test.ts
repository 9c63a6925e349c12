import { expect } from 'bun:test'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { definitionTokens, sumOf } from '../../bench/tokens.ts'
import { DESCRIPTIONS } from '../../src/tools/descriptions.ts'
import { countOf, satWith, startProject, startSession } from '../delivery/session-rules.ts'
import { eventually } from '../harness/eventually.ts'
import { type Message, type Project, type Session, sharedHost } from '../harness/host.ts'
import { type Call, type ModelRequest, type Step, textOf } from '../harness/model.ts'
import { story } from '../harness/story.ts'
import { add, DISCOVER, format, parse, restore, rewrite, sourced } from './calls.ts'

const FILES = { 'AGENTS.md': '# Shop\n\n- dont call eval\n', '.opencode/rules/a.md': 'Use tabs.\n' }

const projectWithTools = (tools: unknown) => startProject({ files: FILES, config: satWith({ tools }) })

type Command = { name: string; description?: string; template: string }

const commandsOf = async (project: Project): Promise<Map<string, Command>> =>
  new Map((await project.http<Array<Command>>('GET', '/command')).map((command) => [command.name, command]))

const typeCommand = async (session: Session, command: string, text: string, ...steps: Array<Step>) => {
  const before = session.requests().length
  const { model } = await sharedHost()
  model.script(session.id, steps)
  await session.project.http('POST', `/session/${session.id}/command`, { command, arguments: text })
  return session.requests().slice(before)
}

const lastUserMessage = ({ messages }: ModelRequest): string =>
  textOf(messages.findLast(({ role }) => role === 'user')!)

const lastUserMessageOnScreen = async (session: Session): Promise<string> => {
  const { parts } = (await session.messages()).findLast(({ info }) => info.role === 'user')!
  return parts.filter(({ type, synthetic }) => type === 'text' && !synthetic).map(({ text }) => text).join()
}

/** Waits for code blocks that SAT shows only to the person. */
const blocksOnScreen = (session: Session, count: number): Promise<Array<string>> => {
  const textsIn = ({ parts }: Message) => parts.map(({ text = '' }) => text)
  const blocks = async () =>
    (await session.messages()).flatMap(textsIn).filter((text) => text.startsWith('```'))
  return eventually(blocks, ({ length }) => length >= count, `Not ${count} blocks`)
}

const ALL = Object.keys(DESCRIPTIONS).toSorted()

const toolsOffered = ({ tools }: ModelRequest): Array<string> =>
  tools.map((tool) => tool.function.name).filter((name) => ALL.includes(name)).sort()

const DEFINITION_WORDS: Array<[tool: string, words: RegExp]> = [
  ['discover-rules', /discover-rules.*parse-rules.*format-rules.*rewrite-rules.*add-rules/],
  ['format-rules', /one text each, same order.*verbose:.*balanced \(default\):.*concise:/],
  ['format-rules', /"items":\{"type":"string"\}.*\["verbose","balanced","concise"\].*"required":\["rules"\]/],
  ['parse-rules', /avoid x, x only when.*ideally x.*instead of.*heading, glob.*exception.*first … last/],
  ['parse-rules', /\["obligatory","forbidden","permissible","optional",.*"indifferent","omissible"\]/],
  ['rewrite-rules', /the rest stays.*Without sources: replace the file.*what format-rules validated/],
  ['parse-prompt', /format-prompt without tasks.*"required":\["intent"\]/],
]

const expectDefinitions = (request: ModelRequest): void => {
  const tokens = definitionTokens(request.tools)
  expect([...tokens.keys()].toSorted()).toEqual(ALL)
  expect(sumOf(tokens)).toBeLessThanOrEqual(900)
  expect(sumOf(tokens)).toBeGreaterThan(500)
  const functionOf = (name: string) => request.tools.find((tool) => tool.function.name === name)!.function
  for (const [tool, words] of DEFINITION_WORDS) expect(JSON.stringify(functionOf(tool))).toMatch(words)
  expect(functionOf('discover-rules').parameters).not.toHaveProperty('required')
}

const TEXT = 'never use "any", it\'s $1 worth $$5, $& and $ARGUMENTS\n  `x`'

const REWRITE = /discover-rules[^]*parse-rules with the source[^]*rewrite-rules[^]*\/restore-rules/
const ADD =
  /ask for it[^]*\.opencode\/rules\/[^]*\nforbid: ':\\s\*any\\b'\n[^]*Show it, ask[^]*contrary[^]*add-rules/
const REFINE = /ask for it[^]*parse-prompt[^]*format-prompt without tasks[^]*sees its tree[^]*Start\? Enter/
const args = { tasks: [{ intent: 'Fix the price', targets: ['shop'] }] }
const REFINING = ['parse-prompt', 'format-prompt'].map((tool): Call => ({ tool, args }))

const TYPED: Array<[command: string, text: string, template: RegExp, calls: Array<Call>]> = [
  ['rewrite-rules', 'messy.md concise', REWRITE, [DISCOVER]],
  ['restore-rules', 'messy.md', /discover-rules[^]*rewrite-rules[^]*"latest"/, []],
  ['add-rule', TEXT, ADD, []],
  ['refine', TEXT, REFINE, REFINING],
]

story('a command sends its template and the typed text, and its turn offers the tools', async () => {
  const project = await projectWithTools('commands')
  const commands = await commandsOf(project)
  expect(commands.get('rewrite-rules')?.description).toMatch(/\[files\] \[mode\]/)
  expect(commands.get('restore-rules')?.description).toMatch(/\[file\]/)
  expect(countTokens(commands.get('add-rule')!.template)).toBeLessThanOrEqual(160)
  const session = await project.session()
  for (const [command, text, template, calls] of TYPED) {
    const requests = await typeCommand(session, command, text, ...calls)
    expect(requests.map(toolsOffered)).toEqual(Array(calls.length + 1).fill(ALL))
    expectDefinitions(requests[0]!)
    const sent = commands.get(command)!.template
    expect(sent).toMatch(template)
    expect(lastUserMessage(requests[0]!)).toBe(`${sent}\n/${command} ${text}`)
    expect(await lastUserMessageOnScreen(session)).toBe(`/${command} ${text}`)
  }
  expect(await blocksOnScreen(session, 1)).toEqual(['```\n1. Fix the price\n  > Targets: shop\n```'])
  // The model does not read this block. It reads the same lines only in the answer of format-prompt.
  const { requests: [after] } = await session.turn('thanks')
  expect(countOf('1. Fix the price', after!)).toBe(1)
})

story('the two turns after a command offer the tools, not counting messages that nobody typed', async () => {
  const session = await (await projectWithTools('commands')).session()
  const parts = [{ type: 'text', text: 'carry on', synthetic: true }]
  const sendUntyped = () => session.project.http('POST', `/session/${session.id}/message`, { parts })
  await sendUntyped()
  const [request] = await typeCommand(session, 'refine', '  ')
  expect(lastUserMessage(request!).trim()).toMatch(/^Make tasks of[^]*The request:\n\/refine$/)
  await sendUntyped()
  for (const answer of ['this one', 'yes', 'thanks']) await session.turn(answer)
  expect(session.requests().map(toolsOffered)).toEqual([[], ALL, ALL, ALL, ALL, []])
})

story("the person sees a rewrite's diff, an added rule's line, and why a restore failed", async () => {
  const { session } = await startSession({ files: FILES })
  const parsing = parse(sourced('forbidden, call, eval', 'dont call eval'))
  const writing = [rewrite(), add({ rules: ['Ask Ann.'] }), restore('AGENTS.md', 'none')]
  await session.turn('go', DISCOVER, parsing, format(['Do not call eval.']), ...writing)
  expect(await blocksOnScreen(session, 3)).toEqual([
    '```diff\n--- AGENTS.md\n+++ AGENTS.md\n@@ -3,1 +3,1 @@\n-- dont call eval\n+- Do not call eval.\n```',
    '```diff\nAGENTS.md:4: - Ask Ann.\n```',
    expect.stringContaining('Not restored: '),
  ])
  const { requests: [after] } = await session.turn('thanks')
  // The model reads the diff only once, in the answer of rewrite-rules.
  expect(countOf('+- Do not call eval.', after!)).toBe(1)
})

story('`tools: false` offers no tools and no commands, but rules are still sent', async () => {
  const project = await projectWithTools(false)
  const { requests: [request] } = await (await project.session()).turn('hello', 'hi')
  expect(toolsOffered(request!)).toEqual([])
  expect(JSON.stringify(request)).toContain('Use tabs.')
  expect([...(await commandsOf(project)).keys()]).not.toContain('rewrite-rules')
})

story("the person's own commands replace SAT's commands of the same name", async () => {
  const addRule = { template: 'Also mine', description: 'my own too' }
  const files = { '.opencode/command/refine.md': '---\ndescription: my own\n---\nMine: $ARGUMENTS' }
  const project = await startProject({ files, config: { command: { 'add-rule': addRule } } })
  const commands = await commandsOf(project)
  expect(commands.get('refine')).toMatchObject({ description: 'my own', template: 'Mine: $ARGUMENTS' })
  expect(commands.get('add-rule')).toMatchObject(addRule)
})
