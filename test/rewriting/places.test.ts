/** Each form that a file has: order, numbers and emphasis stay, and each rule comes where its sentence stood, to the byte. */
import { expect } from 'bun:test'
import { readFileSync } from 'node:fs'
import { sharedHost } from '../harness/host.ts'
import { inProcess } from '../harness/in-process.ts'
import { story } from '../harness/story.ts'
import { answersIn, DISCOVER, discover, format, parse, restore, start, write } from './writer-calls.ts'

/** The words that a rule restates, its sentence, and how it is parsed where that does not show. */
type Rule = [source: string, sentence: string, parsed?: { strength: string; action: string; target: string }]

/** A text, its rules, and the text after. */
type Form = { before: string; rules: Array<Rule>; after: string }

const FORMS: Record<string, Form> = {
  'one rule.md': {
    before: '- Crate names begin with `x-`. For example, `x-core`.\n',
    rules: [['Crate names begin with `x-`.', 'Rule: Prefix crate names with `x-`.']],
    after: '- Prefix crate names with `x-`. For example, `x-core`.\n',
  },
  'numbered.md': {
    before: '3. **Do not commit `dist/`.** `noEmit` is on; keep it so. The build is `vite build`.\n',
    rules: [
      ['Do not commit `dist/`.', 'Rule: Never commit `dist/`.'],
      ['`noEmit` is on; keep it so.', 'Rule: Keep `noEmit` on.'],
    ],
    after: '3. **Never commit `dist/`.**\n   - Keep `noEmit` on. The build is `vite build`.\n',
  },
  'lead-in.md': {
    before: '- **CSS:** variables in `a.css`. No hex colours elsewhere. The palette is Teal.\n',
    rules: [
      ['variables in `a.css`.', 'Rule: Put variables into `a.css`.'],
      ['No hex colours elsewhere.', 'Rule: Do not use hex colours elsewhere.'],
    ],
    after:
      '- **CSS:**\n  - Put variables into `a.css`.\n  - Do not use hex colours elsewhere. The palette is Teal.\n',
  },
  'one of two sentences.md': {
    before: 'Have a look at `docs`, please. The rest is history.\n',
    rules: [['Have a look at `docs`, please.', 'Rule: Before you start, read `docs`.']],
    after: 'Before you start, read `docs`. The rest is history.\n',
  },
  'paragraph.md': {
    before: 'We are a small shop. Prices are in cents; no floats, we lost money on that once.\n',
    rules: [
      ['Prices are in cents', 'Rule: Keep prices in cents.'],
      [
        'no floats, we lost money on that once.',
        'Rule: Never use floats for money.\nReason: We lost money on that once.',
      ],
    ],
    after:
      'We are a small shop.\n\n- Keep prices in cents.\n- Never use floats for money. We lost money on that once.\n',
  },
  'nested.md': {
    before:
      '- Tests:\n    * Run them all, please. They take 3 s.\n    * Name them after the bug. No mocks!\n- Ship on Fridays.\n',
    rules: [
      ['Run them all, please.', 'Rule: Run all tests.'],
      ['Name them after the bug.', 'Rule: Name tests after the bug.'],
      ['No mocks!', 'Rule: Do not use mocks.'],
    ],
    after:
      '- Tests:\n    * Run all tests. They take 3 s.\n    * Name tests after the bug.\n    * Do not use mocks.\n- Ship on Fridays.\n',
  },
  'procedure.md': {
    before:
      '1. Fork. Clone your fork.\n\n   ```sh\n   git clone x\n   ```\n\n2. Build it. Takes long.\n   - No cache!\n3. See step 2.\n',
    rules: [
      ['Fork.', 'Rule: Fork the repository.'],
      ['Clone your fork.', 'Rule: Clone the fork.'],
      ['No cache!', 'Rule: Do not use the cache.'],
    ],
    after:
      '1. Fork the repository.\n   - Clone the fork.\n\n   ```sh\n   git clone x\n   ```\n\n2. Build it. Takes long.\n   - Do not use the cache.\n3. See step 2.\n',
  },
  'loose.md': {
    before: '- Use tabs, ok? Always run the linter.\n\n- The moon is far.\n',
    rules: [['Use tabs, ok?', 'Rule: Use tabs.'], [
      'Always run the linter.',
      'Rule: Always run the linter first.',
    ]],
    after: '- Use tabs.\n\n- Always run the linter first.\n\n- The moon is far.\n',
  },
  'boxes.md': {
    before: '- [ ] Bump the version pls. Then tag it, ok?\n- [x] Say *hello*.\n',
    rules: [['Bump the version pls.', 'Rule: Bump the version.'], ['Then tag it, ok?', 'Rule: Tag it then.']],
    after: '- [ ] Bump the version.\n- [ ] Tag it then.\n- [x] Say *hello*.\n',
  },
  'quotation.md': {
    before: '> Ann owns the numbers. Ask Ann, would you? Call Bob too, mostly.\n>\n> Thanks.\n',
    rules: [['Ask Ann, would you?', 'Rule: Ask Ann.'], ['Call Bob too, mostly.', 'Rule: Call Bob.']],
    after: '> Ann owns the numbers.\n>\n> - Ask Ann.\n> - Call Bob.\n>\n> Thanks.\n',
  },
  'alert.md': {
    before: '> [!WARNING]\n> dont push to `main`!! It deploys.\n',
    rules: [['dont push to `main`!!', 'Rule: Never push to `main`.']],
    after: '> [!WARNING]\n> Never push to `main`. It deploys.\n',
  },
  'tags.md': {
    before: '<rules>\n<rule id="1">Use spaces, ok?</rule>\n<rule id="2">The moon is far.</rule>\n</rules>\n',
    rules: [['Use spaces, ok?', 'Rule: Use spaces.']],
    after: '<rules>\n<rule id="1">Use spaces.</rule>\n<rule id="2">The moon is far.</rule>\n</rules>\n',
  },
  'wrapped.md': {
    before:
      'The shop sells tea to people in\nthree towns. Please do always ask\nAnn before you change a price.\nShe knows.\n',
    rules: [[
      'Please do always ask … price.',
      'Rule: Always ask Ann before you change any price of the shop.',
    ]],
    after:
      'The shop sells tea to people in\nthree towns. Always ask Ann\nbefore you change any price of\nthe shop.\nShe knows.\n',
  },
  'windows.md': {
    before:
      '\uFEFF---\r\ntitle: x\r\n---\r\n\r\n1. use tabs pls\r\n2. Fork. Run it, ok?\r\n\r\n| a |\r\n| - |',
    rules: [
      ['use tabs pls', 'Rule: Use tabs.'],
      ['Fork.', 'Rule: Fork it.'],
      ['Run it, ok?', 'Rule: Run it.\nReason: It is fast.'],
    ],
    after:
      '\uFEFF---\r\ntitle: x\r\n---\r\n\r\n1. Use tabs.\r\n2. Fork it.\r\n   - Run it. It is fast.\r\n\r\n| a |\r\n| - |',
  },
  'japanese.md': {
    before:
      '# 規約\n\n- **`any` は使わないでね。** 型がなくなります。\n1. 変更の前に `make` を実行してね。\n',
    rules: [
      [
        '`any` は使わないでね。',
        'Rule: `any` を使わないこと。',
        { strength: 'forbidden', action: '使う', target: '`any` を' },
      ],
      ['変更の前に `make` を実行してね。', 'Rule: 変更の前に `make` を実行する。'],
    ],
    after: '# 規約\n\n- **`any` を使わないこと。** 型がなくなります。\n1. 変更の前に `make` を実行する。\n',
  },
  'german.md': {
    before: '**Preise:** immer in Cent, ja? Keine Kommazahlen. Das war 2019 teuer.\n',
    rules: [
      ['immer in Cent, ja?', 'Rule: Speichere Preise immer in Cent.'],
      [
        'Keine Kommazahlen.',
        'Rule: Verwende keine Kommazahlen.',
        { strength: 'forbidden', action: 'verwenden', target: 'Kommazahlen' },
      ],
    ],
    after:
      '**Preise:**\n\n- Speichere Preise immer in Cent.\n- Verwende keine Kommazahlen. Das war 2019 teuer.\n',
  },
  'clear.md': {
    before: '- Keep it small. Never log names.\n- dont shout at Bob!\n',
    rules: [
      ['Keep it small.', 'Rule: Keep it small.'],
      ['Never log names.', 'Rule: Never log names.'],
      ['dont shout at Bob!', 'Rule: Do not shout at Bob.'],
    ],
    after: '- Keep it small. Never log names.\n- Do not shout at Bob.\n',
  },
}

const parsedOf = ([source, sentence, parsed]: Rule): object => {
  if (parsed !== undefined) return { ...parsed, source }
  const [, not, action, target, reason] = /^Rule: (Never |Do not )?(\S+) (.*?)\.?(?:\nReason: (.*))?$/.exec(
    sentence,
  )!
  return { strength: not === undefined ? 'obligatory' : 'forbidden', action, target, reason, source }
}

story('files of each form keep it, with the rules where their sentences stood', async () => {
  const forms = Object.entries(FORMS)
  const project = (await sharedHost()).project({
    files: Object.fromEntries(forms.map(([name, { before }]) => [name, before])),
    config: { instructions: ['*.md'] },
    git: true,
  })
  const session = await project.session()
  const { outputs } = await session.turn(
    'go',
    DISCOVER,
    forms.flatMap(([, { rules }]) => [
      parse(...rules.map(parsedOf)),
      format(rules.map(([, sentence]) => sentence)),
    ]),
    write(),
  )
  const textsNow = () => forms.map(([name]) => [name, readFileSync(project.path(name), 'utf8')])
  expect(textsNow()).toEqual(forms.map(([name, { after }]) => [name, after]))
  const [, changed = ''] = /\n```diff\n([^]*?)\n```\n/.exec(outputs.at(-1)!)!
  expect(changed).toStartWith(
    '--- one rule.md\n+++ one rule.md\n@@ -1,1 +1,1 @@\n-- Crate names begin with `x-`. For example, `x-core`.\n+- Prefix crate names with `x-`. For example',
  )
  expect(changed).toEndWith('\n… and 55 more lines')
  expect(changed.split('\n')).toHaveLength(61)
  await session.turn('back', restore(forms.map(([name]) => name)))
  expect(textsNow()).toEqual(forms.map(([name, { before }]) => [name, before]))
})

// What other tools read, with their frontmatter: each is named, for the host loads none of them.
const OTHERS: Record<string, [before: string, after: string]> = {
  '.cursorrules': ['You help us.\nuse tabs in 1 pls\n', 'You help us.\nUse tabs in 1.\n'],
  '.cursor/rules/x.mdc': [
    '---\ndescription: style\nglobs: ["*.ts"]\nalwaysApply: false\n---\n\n- use tabs in 2 pls\n',
    '---\ndescription: style\nglobs: ["*.ts"]\nalwaysApply: false\n---\n\n- Use tabs in 2.\n',
  ],
  '.github/copilot-instructions.md': [
    '# Copilot\r\n\r\n* use tabs in 3 pls',
    '# Copilot\r\n\r\n* Use tabs in 3.',
  ],
}

story('a file of another tool is named, rewritten in place and restored, as AGENTS.md is', async () => {
  const others = Object.entries(OTHERS)
  const project = (await inProcess()).project({
    files: {
      'AGENTS.md': 'Be nice.\n',
      ...Object.fromEntries(others.map(([name, [before]]) => [name, before])),
    },
  })
  const names = others.map(([name]) => name)
  const textsNow = () => names.map((name) => readFileSync(project.path(name), 'utf8'))
  const outputs = await answersIn(
    project,
    discover(names),
    ...others.map(([files], index) => {
      const words: Rule = [`use tabs in ${index + 1} pls`, `Rule: Use tabs in ${index + 1}.`]
      return [parse(parsedOf(words)), format([words[1]]), write(index === 0 ? {} : { files })]
    }),
    () => {
      expect(textsNow()).toEqual(others.map(([, [, after]]) => after))
      return restore(names)
    },
  )
  expect(outputs[3]).toMatch(/^\| \.cursorrules \| Success \| +1 \|/m)
  expect(textsNow()).toEqual(others.map(([, [before]]) => before))
  expect(await project.read('AGENTS.md')).toBe('Be nice.\n')
})

// What two rules of one item and one of a paragraph become in each mode.
const MODES: Record<string, string> = {
  verbose: '- Use tabs.\n  Reason: They are wide.\n- Never log names.\n\nAsk Ann.\nReason: She knows.\n',
  balanced: '- Use tabs. They are wide.\n- Never log names.\n\nAsk Ann. She knows.\n',
  concise: '- Use tabs\n- Never log names\n\nAsk Ann\n',
}

story('a reason stands below its rule, after it or not at all, as the mode says', async () => {
  for (const [mode, after] of Object.entries(MODES)) {
    const project = await start({ 'AGENTS.md': '- tabs! dont log names!\n\nask Ann pls\n' })
    const rules: Array<Rule> = [
      ['tabs!', 'Rule: Use tabs.\nReason: They are wide.'],
      ['dont log names!', 'Rule: Never log names.'],
      ['ask Ann pls', 'Rule: Ask Ann.\nReason: She knows.'],
    ]
    const sentences = rules.map(([, text]) =>
      mode === 'concise' ? text.replace(/Rule: (.*)\.(?:\n.*)?$/, '- $1') : text
    )
    await answersIn(project, DISCOVER, parse(...rules.map(parsedOf)), format(sentences, mode), write())
    expect(await project.read('AGENTS.md')).toBe(after)
  }
})
