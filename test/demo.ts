/**
 * The demo: SAT's two pipelines in the real host, with a throw-away project and a model whose replies are written
 * down here. Everything else is real: the host, the plugin, the calls, their answers and the file.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ParsedPrompt } from '../src/prompt-schema.ts'
import type { ParsedRule } from '../src/rule-schema.ts'
import { CHECKOUT, startHost, type Turn } from './host.ts'
import type { Call } from './model.ts'

const EXAMPLE = join(CHECKOUT, 'examples', 'messy-project')
const WIDTH = 110
const SHOWN_LINES = 12

const inColor = process.stdout.isTTY && !process.env['NO_COLOR']
const paint = (code: number) => (text: string) => inColor ? `\x1b[${code}m${text}\x1b[0m` : text
const bold = paint(1)
const dim = paint(2)
const green = paint(32)

const say = (text = '') => console.log(text)

/** The first lines of a text, each cut to the width of a screen. */
const inShort = (text: string): string => {
  const lines = text.trimEnd().split('\n')
  const shown = lines.slice(0, SHOWN_LINES).map((line) => {
    const characters = [...line]
    return characters.length > WIDTH ? `${characters.slice(0, WIDTH - 1).join('')}…` : line
  })
  const more = lines.length - shown.length
  return [...shown, ...(more > 0 ? [dim(`… ${more} more lines`)] : [])].map((line) => `    ${line}`).join(
    '\n',
  )
}

const waitFor = async <T>(what: string, work: Promise<T>): Promise<T> => {
  const started = Date.now()
  if (!process.stdout.isTTY) say(`${what} …`)
  const ticker = process.stdout.isTTY
    ? setInterval(
      () => process.stdout.write(`\r${what} … ${Math.round((Date.now() - started) / 1000)} s`),
      200,
    )
    : undefined
  try {
    return await work
  } finally {
    clearInterval(ticker)
    if (ticker) process.stdout.write('\r\x1b[K')
  }
}

const RULES: Array<ParsedRule> = [
  { strength: 'obligatory', action: 'use', target: 'early returns', reason: 'Deep nesting is hard to read.' },
  {
    strength: 'forbidden',
    action: 'use',
    target: 'non-null assertions',
    reason: 'Narrow the type instead.',
  },
  {
    strength: 'forbidden',
    action: 'use',
    target: 'ternaries',
    context: 'beyond simple assignments',
    reason: 'Nobody can read the condition.',
  },
  {
    strength: 'supererogatory',
    action: 'document',
    target: 'changes of the public API',
    reason: 'People keep asking.',
  },
  {
    strength: 'obligatory',
    action: 'run',
    target: '`bun test`',
    context: 'before saying that the work is done',
    reason: 'Work is done when it is shown to work.',
  },
  {
    strength: 'omissible',
    action: 'run',
    target: 'tests',
    context: 'where only documentation changed',
    reason: 'No test can tell.',
  },
  { strength: 'indifferent', action: 'use', target: 'tabs or spaces', reason: 'dprint decides.' },
]

const FORMATTED = [
  'Rule: use early returns\nReason: Deep nesting is hard to read.',
  'Rule: do not use non-null assertions\nReason: Narrow the type instead.',
  'Rule: do not use ternaries beyond simple assignments',
  'Rule: ideally document changes of the public API\nReason: People keep asking.',
  'Rule: run `bun test` before saying that the work is done',
  'Rule: tests need not be run where only documentation changed',
  'Rule: it does not matter whether tabs or spaces are used\nReason: dprint decides.',
]

const TASKS: ParsedPrompt = {
  tasks: [
    {
      intent: 'Fix the login that fails now and then',
      targets: ['login'],
      constraints: ['do not touch the public API'],
      subtasks: [
        { intent: 'Reproduce the failure', targets: [], constraints: [], subtasks: [] },
        { intent: 'Add a test for it', targets: [], constraints: [], subtasks: [] },
      ],
    },
    {
      intent: 'Let sessions last 30 minutes instead of 20',
      targets: ['sessions'],
      constraints: ['do not touch the public API'],
      subtasks: [],
    },
    { intent: 'Update the changelog', targets: ['changelog'], constraints: [], subtasks: [] },
  ],
}

const json = (value: unknown) => JSON.stringify(value)

const RULES_PIPELINE: Array<Call> = [
  { tool: 'discover-rules' },
  { tool: 'parse-rules', args: { rules: json({ rules: RULES }) } },
  { tool: 'format-rules', args: { rules: json({ rules: FORMATTED }) } },
  { tool: 'rewrite-rules', args: { rules: json({ rules: FORMATTED }), files: 'AGENTS.md' } },
]

const ADDED = 'Rule: do not use default exports'

const ADD: Array<Call> = [
  { tool: 'add-rules', args: { rules: json({ rules: [ADDED] }), file: 'AGENTS.md' } },
]

const PROMPT_PIPELINE: Array<Call> = [
  { tool: 'parse-prompt', args: { tasks: json(TASKS) } },
  { tool: 'format-prompt', args: { tasks: json(TASKS) } },
]

/** Shows each call and its answer; ends the demo where the host or the plugin did not do what it should. */
const show = ({ tools }: Turn, expected: Array<Call>): void => {
  const names = tools.map(({ tool }) => tool).join(', ')
  if (names !== expected.map(({ tool }) => tool).join(', ')) throw new Error(`The host ran: ${names}`)
  for (const { tool = '', state } of tools) {
    say(`\n  ${green('→')} ${bold(tool)} ${dim(json(state.input).slice(0, WIDTH - tool.length - 10))}`)
    if (state.status !== 'completed') throw new Error(`${tool} failed: ${state.error ?? state.status}`)
    say(`  ${green('←')} ${dim(state.title ?? '')}`)
    say(inShort(state.output ?? ''))
  }
}

const run = async (): Promise<void> => {
  say('SAT in the real OpenCode host. The model is scripted; all else is real.')
  const host = await waitFor('Starting the host', startHost())
  try {
    const [instructions = '', config = '', request = ''] = await Promise.all(
      ['AGENTS.md', 'opencode.json', 'request.txt'].map((name) => readFile(join(EXAMPLE, name), 'utf8')),
    )
    const project = host.project({ files: { 'AGENTS.md': instructions, 'opencode.json': config } })
    const session = await project.session()

    say(`\n${bold('1. An instruction file, as people write it')} (AGENTS.md)\n`)
    say(inShort(instructions))
    say(`\n${bold('The model walks the rules pipeline:')}`)
    show(
      await waitFor('The host works', session.turn('Rewrite the rules.', ...RULES_PIPELINE)),
      RULES_PIPELINE,
    )
    say(`\n${bold('The file now:')}\n`)
    const rewritten = await project.read('AGENTS.md')
    if (rewritten !== `${FORMATTED.join('\n\n')}\n`) {
      throw new Error(`The file was not rewritten:\n${rewritten}`)
    }
    say(rewritten.trimEnd().replace(/^(?=.)/gm, '    '))

    say(`\n${bold('A rule that comes later is added:')}`)
    show(await waitFor('The host works', session.turn('Also: no default exports.', ...ADD)), ADD)
    if (await project.read('AGENTS.md') !== `${rewritten}\n${ADDED}\n`) {
      throw new Error('The rule was not added')
    }

    say(`\n${bold('2. A request, as people write it')}\n`)
    say(inShort(request))
    say(`\n${bold('The model walks the prompt pipeline:')}`)
    show(await waitFor('The host works', session.turn(request, ...PROMPT_PIPELINE)), PROMPT_PIPELINE)
  } finally {
    await host.stop()
  }
  say(
    `\n${bold('In a project of your own:')} opencode plugin ${CHECKOUT}`
      + `\n(or "plugin": ["${CHECKOUT}"] in its opencode.json)`,
  )
}

// Leaving by way of "exit" lets the harness end the host and remove its folder.
for (const [signal, status] of [['SIGINT', 130], ['SIGTERM', 143]] as const) {
  process.once(signal, () => process.exit(status))
}

try {
  await run()
} catch (thrown) {
  console.error(`\nThe demo failed: ${thrown instanceof Error ? thrown.message : String(thrown)}`)
  process.exitCode = 1
}
