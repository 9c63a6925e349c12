import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { matcherOf } from './globs.ts'
import type { Entry, EntryPart, History } from './history.ts'
import type { Rule } from './rule-files.ts'
import { SessionRules } from './session-rules.ts'

const rule = (name: string, ...globs: Array<string>): Rule => ({
  path: `/rules/${name}.md`,
  realPath: `/rules/${name}.md`,
  name,
  body: `BODY-${name}.`,
  applies: globs.length === 0 ? null : matcherOf(globs),
})

const entry = (id: string, role: 'user' | 'assistant', files: Array<string> = []): Entry => {
  const ids = { sessionID: 'ses_1', messageID: id }
  const parts = files.map((file, index) => ({
    ...ids,
    id: `prt_${id}_${index}`,
    type: 'text',
    text: `reads ${file}`,
  }))
  return { info: { id, role, sessionID: 'ses_1', time: { created: 0 } }, parts } as unknown as Entry
}

const filesOf = (part: EntryPart): Array<string> =>
  part.type === 'text' ? [part.text.replace('reads ', '')] : []

/** The history that a model would get: each message by its words, those of SAT by the rules that they name. */
const shown = (rules: SessionRules, history: History): Array<string> => {
  const request = structuredClone(history)
  rules.join(request, filesOf)
  rules.insertInto(request)
  return request.map(({ info, parts }) =>
    info.id.startsWith('msg_sat')
      ? parts.flatMap((part) => part.type === 'text' ? part.text.match(/BODY-\w+/g) ?? [] : []).join(' ')
      : info.id
  )
}

const ALL = [rule('one'), rule('ts', '**/*.ts'), rule('py', '*.py'), rule('two')]

test('what always applies stands first, what joins behind the tool that showed the file, or before the person who attached it', () => {
  const rules = new SessionRules(ALL)
  const history = [entry('u1', 'user'), entry('a1', 'assistant', ['x.js', 'a.ts', 'b.ts'])]
  expect(shown(rules, history)).toEqual(['BODY-one BODY-two', 'u1', 'a1', 'BODY-ts'])
  history.push(entry('u2', 'user', ['a.py']))
  expect(shown(rules, history)).toEqual(['BODY-one BODY-two', 'u1', 'a1', 'BODY-ts', 'BODY-py', 'u2'])
})

test('a rule whose place was compacted or undone away stands in front; renewed, all do', () => {
  const rules = new SessionRules(ALL)
  shown(rules, [entry('u1', 'user'), entry('a1', 'assistant', ['a.ts'])])
  const rest = [entry('u2', 'user')]
  expect(shown(rules, rest)).toEqual(['BODY-one BODY-two BODY-ts', 'u2'])
  rules.renew([rule('one'), rule('ts', '**/*.ts'), rule('py', '*.py')])
  expect(shown(rules, rest)).toEqual(['BODY-one BODY-ts', 'u2'])
  expect(rules.paths).toEqual(['/rules/one.md', '/rules/ts.md'])
})

test('what was stored is told again in its own words, and joins no more', () => {
  const berth = { messageID: 'msg_1', partID: 'prt_1', created: 0 }
  const rules = new SessionRules(ALL, { ...berth, text: 'BODY-old', paths: ['/rules/ts.md'] })
  const history = [entry('u1', 'user'), entry('a1', 'assistant', ['a.ts', 'a.py'])]
  expect(shown(rules, history)).toEqual(['BODY-old', 'u1', 'a1', 'BODY-py'])
})

test('where nothing applies the history is left alone', () => {
  const history = [entry('u1', 'user', ['a.js'])]
  expect(shown(new SessionRules([rule('py', '*.py')]), history)).toEqual(['u1'])
  expect(new SessionRules([rule('py', '*.py')]).text).toBe('')
})

test('whatever a session does, each rule that applies is shown once in each request', () => {
  const message = fc.record({
    role: fc.constantFrom('user' as const, 'assistant' as const),
    files: fc.array(fc.constantFrom('a.ts', 'b/a.ts', 'a.py', 'a.js')),
  })
  const step = fc.oneof(
    { weight: 4, arbitrary: message },
    fc.constantFrom('compact' as const, 'renew' as const),
  )
  fc.assert(fc.property(fc.array(step), (steps) => {
    const rules = new SessionRules(ALL)
    const touched = new Set<string>()
    let history: History = [entry('u0', 'user')]
    steps.forEach((step, index) => {
      if (step === 'renew') return rules.renew(ALL)
      if (step === 'compact') history = [entry(`u${index}`, 'user')]
      else {
        history.push(entry(`m${index}`, step.role, step.files))
        for (const file of step.files) touched.add(file.replace(/.*\./, ''))
      }
      const words = shown(rules, history).join(' ').match(/BODY-\w+/g) ?? []
      const wanted = ALL.filter(({ name, applies }) => applies === null || touched.has(name))
      expect(words.toSorted()).toEqual(wanted.map(({ name }) => `BODY-${name}`).toSorted())
    })
  }))
})
