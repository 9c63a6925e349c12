import { expect } from 'bun:test'
import { inProcess, type Project } from '../harness/in-process.ts'
import { type Call, type ModelMessage, type ModelRequest, textOf } from '../harness/model.ts'
import { story } from '../harness/story.ts'

const json = JSON.stringify

const pretty = (value: unknown) => json(value, null, 2)

const start = async (): Promise<Project> =>
  (await inProcess()).project({
    files: { 'rules.md': 'be nice\n' },
    config: { instructions: ['rules.md'] },
    git: false,
  })

const parse = (rules: Array<object>): Call => ({ tool: 'parse-rules', args: { rules: json({ rules }) } })

const format = (rules: Array<string>, more: object = {}): Call => ({
  tool: 'format-rules',
  args: { rules: json({ rules }), ...more },
})

const REWRITE: Call = { tool: 'rewrite-rules', args: { files: 'rules.md' } }

const lastAnswer = ({ messages }: ModelRequest): string =>
  textOf(messages.findLast((message: ModelMessage) => message.role === 'tool')!)

const BARE = { strength: 'forbidden', action: 'use', target: 'eval' }
const EVAL = { ...BARE, reason: 'unsafe' }

const PARSED = [EVAL, { ...EVAL, strength: 'obligatory', target: 'early returns' }, {
  ...EVAL,
  strength: 'permissible',
  target: 'type assertions',
}]
const RIGHT = ['Rule: do not use eval', 'Rule: use early returns', 'Rule: may use type assertions']

story('a lost "not" and a dropped rule are doubted, and mended in the same turn', async () => {
  const project = await start()
  const { outputs } = await (await project.session()).turn(
    'tidy',
    { tool: 'discover-rules' },
    parse(PARSED),
    format(['Rule: use eval', ...RIGHT.slice(1)]),
    (request) => {
      expect(lastAnswer(request)).toMatch(
        /rules\.0: rule 1 does not forbid.*parsed rule 1 is forbidden.*do not use eval.*got "Rule: use eval"/,
      )
      expect(lastAnswer(request)).toMatch(/If the rules say what is meant, send the same again\.$/)
      return format(RIGHT.slice(0, 2))
    },
    (request) => {
      expect(lastAnswer(request)).toMatch(/parsed rule 3 was dropped.*may use type assertions/)
      return format(RIGHT)
    },
    REWRITE,
  )
  expect(outputs[4]).toBe(pretty({ rules: RIGHT }))
  expect(outputs[5]).toContain('the 3 rules that format-rules last validated')
  expect(await project.read('rules.md')).toBe(`${RIGHT.join('\n\n')}\n`)
})

story(
  'what is doubted is taken and written when the same is sent again, form and session apart',
  async () => {
    const project = await start()
    const session = await project.session()
    const meant = ['- use eval', '- use early returns', '- may use type assertions']
    const { outputs } = await session.turn(
      'tidy',
      { tool: 'discover-rules' },
      parse(PARSED),
      format(meant, { mode: 'verbose' }),
      REWRITE,
      format(meant, { mode: 'verbose' }),
      format(['- call eval', ...meant.slice(1)]),
      format(meant, { mode: 'concise' }),
      REWRITE,
    )
    expect(outputs[2]).toMatch(/rule 1 does not forbid/)
    expect(outputs[2]).not.toMatch(/send the same again/)
    expect(outputs[3]).toMatch(/Call format-rules first/)
    expect(outputs[4]).toMatch(/expected for mode verbose/)
    expect(outputs[4]).not.toMatch(/does not forbid/)
    expect(outputs[6]).toBe(pretty({ rules: meant }))
    expect(await project.read('rules.md')).toBe(`${meant.join('\n')}\n`)

    const other = await (await project.session()).turn('tidy', parse(PARSED), format(meant))
    expect(other.outputs[1]).toMatch(/rule 1 does not forbid.*[\s\S]*send the same again/)
  },
)

story('rules in German and in Japanese are taken at once', async () => {
  const project = await start()
  const german = [
    'Rule: Zugangsdaten gehören nicht ins Repository.',
    'Rule: Branches und PRs dürfen jederzeit angelegt werden.',
    'Rule: Zu jeder Änderung gehört ein Test.',
    'Rule: Auf `any` wird verzichtet.',
    'Rule: Offensichtlicher Code braucht keinen Kommentar.',
  ]
  const japanese = [
    'Rule: docstring に絵文字を使わない',
    'Rule: 生成ファイルの手編集は禁止',
    'Rule: 変更のたびにテストを書くこと',
    'Rule: コメントは英語でもよい',
  ]
  const { outputs } = await (await project.session()).turn(
    'tidy',
    parse([
      { strength: 'forbidden', action: 'einchecken', target: 'Zugangsdaten' },
      { strength: 'permissible', action: 'anlegen', target: 'Branches und PRs', context: 'jederzeit' },
      { strength: 'obligatory', action: 'schreiben', target: 'einen Test', context: 'für jede Änderung' },
      { strength: 'forbidden', action: 'verwenden', target: '`any`' },
      { strength: 'omissible', action: 'kommentieren', target: 'offensichtlichen Code' },
    ]),
    format(german),
    parse([
      { strength: 'forbidden', action: '使う', target: '絵文字', context: 'docstring で' },
      { strength: 'forbidden', action: '編集する', target: '生成されたファイル' },
      { strength: 'obligatory', action: '書く', target: 'テスト', context: '変更ごとに' },
      { strength: 'permissible', action: '使う', target: '英語のコメント' },
    ]),
    format(japanese),
  )
  expect(outputs[1]).toBe(pretty({ rules: german }))
  expect(outputs[3]).toBe(pretty({ rules: japanese }))
})

story('a rule that was parsed without a reason goes through verbose without one', async () => {
  const project = await start()
  const parsed = [BARE, { ...BARE, target: 'with', reason: '' }, {
    ...EVAL,
    target: 'var',
    reason: 'It leaks.',
  }]
  const rules = ['Rule: do not use eval', 'Rule: do not use with', 'Rule: do not use var\nReason: It leaks.']
  const { outputs } = await (await project.session()).turn(
    'tidy',
    { tool: 'discover-rules' },
    format(rules, { mode: 'verbose' }),
    parse(parsed),
    format([...rules.slice(0, 2), 'Rule: do not use var'], { mode: 'verbose' }),
    format(rules, { mode: 'verbose' }),
    { tool: 'rewrite-rules', args: { files: 'rules.md', mode: 'verbose' } },
  )
  expect(outputs[1]).toMatch(/rule 1, it has no line "Reason: …"/)
  expect(outputs[2]).toBe(pretty({ rules: parsed }))
  expect(outputs[3]).toMatch(
    /^Schema.*\n {2}- rules\.2: .*mode verbose.*rule 3, it has no line "Reason: …".*\n[^-]*$/,
  )
  expect(outputs[4]).toBe(pretty({ rules }))
  expect(await project.read('rules.md')).toBe(`${rules.join('\n\n')}\n`)
})
