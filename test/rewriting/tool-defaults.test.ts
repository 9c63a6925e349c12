/** What the tools of the rules pipeline do where an argument is left out, names too much, or was refused before. */
import { expect } from 'bun:test'
import { readFileSync } from 'node:fs'
import { inProcess } from '../harness/in-process.ts'
import type { Call } from '../harness/model.ts'
import { story } from '../harness/story.ts'
import {
  add,
  answersIn,
  DISCOVER,
  discover,
  format,
  parse,
  restore,
  rewrite,
  start,
  taken,
  textsOf,
  twice,
  write,
} from './writer-calls.ts'

const CALL_FORMAT = 'Call format-rules first'
const RULE = { strength: 'forbidden', action: 'use', target: 'eval', reason: 'unsafe' }
const NEW = { rules: ['- new'] }

story('add-rules adds to one file: the first of the project, or else the first of all', async () => {
  const outside = (await inProcess()).project({ files: { 'outside.md': 'outside\n' } }).path('outside.md')
  const project = await start({ 'a.md': 'a\n', 'b.md': 'b\n' }, { instructions: [outside, 'b.md', 'a.md'] })
  const several = ['a.md, b.md', ['a.md', 'b.md']].map((file) => add({ ...NEW, file }))
  const [shown = '', text, list, added] = await answersIn(project, DISCOVER, ...several, add(NEW))
  expect(shown.indexOf(outside)).toBeLessThan(shown.indexOf('b.md'))
  expect(text).toMatch(/"file" names more than one file/)
  expect(list).toMatch(/\bfile\b/)
  expect(added).toBe(`Added 1 rule(s) to ${project.path('b.md')}\n\nb.md:3: - new`)
  expect(await textsOf(project, 'a.md', 'b.md')).toEqual(['a\n', 'b\n\n- new\n'])
  // The project's own file has to be shown first.
  const [, refused] = await answersIn(project, discover([outside]), add(NEW))
  expect(refused).toMatch(/added to .*b\.md: discover-rules has not shown it/)
  expect(readFileSync(outside, 'utf8')).toBe('outside\n')
})

story(
  'sets without sources go each to the file written before the next, never to one of sources',
  async () => {
    const project = await start({
      'a.md': 'Tabs!\n',
      'b.md': 'Spaces?\n',
      'c.md': 'First!\n',
      'd.md': 'Tabs?\n',
    })
    const of = (target: string, source?: string) =>
      parse({ strength: 'obligatory', action: 'use', target, source })
    const [tabs, spaces] = ['tabs', 'spaces'].map((target) => format([`Rule: use ${target}`])) as [Call, Call]
    const toB = write({ files: 'b.md' })
    const outputs = await answersIn(
      project,
      ...[DISCOVER, of('tabs', 'Tabs!'), rewrite('a.md, c.md', '- first'), tabs, toB],
      [of('tabs'), of('spaces'), tabs, spaces, toB],
      [of('spaces'), spaces, toB, of('tabs'), tabs, write({ files: 'd.md' })],
    )
    expect(outputs[2]).toContain(`${project.path('a.md')}: Nothing was written: these are not the rules`)
    expect(outputs[4]).toMatch(/these rules belong to `.*a\.md`, by their sources/)
    expect(outputs[9]).toContain('several sets of rules without sources came in one message')
    expect(await textsOf(project, 'a.md', 'b.md', 'c.md', 'd.md'))
      .toEqual(['Tabs!\n', 'Rule: use spaces\n', '- first\n', 'Rule: use tabs\n'])
  },
)

story('a restore is held to all that a rewrite is held to', async () => {
  const project = await start({ 'a.md': 'a\n', 'b.md': 'b\n', 'c.md': 'c\n' })
  const session = await project.session()
  const { outputs: [unnamed, unshown, , none, , , several, missing, foreign, two, neither] } = await session
    .turn(
      'go',
      ...[restore(), restore('a.md'), DISCOVER, restore(), ...twice(rewrite('a.md, b.md', '- x'))],
      [
        ...[restore(), restore('c.md'), restore('a.md', '/etc/hostname')],
        ...[write({ rules: ['- y'], restore: 'latest', files: 'a.md' }), write()],
      ],
    )
  expect(unnamed).toContain('No files were discovered yet. Call discover-rules first')
  expect(unshown).toContain('Call discover-rules first')
  expect(none).toBe(
    'None of the discovered files has such a backup, so nothing was written. Name the file in "files".',
  )
  expect(several).toContain(`Name one in "files": ${project.path('a.md')}, ${project.path('b.md')}`)
  expect(missing).toContain(`Not restored: ${project.path('c.md')}: it has no backup`)
  expect(foreign).toContain('it has no backup called /etc/hostname')
  expect(two).toContain('not both')
  expect(neither).toContain('"rules" was left out')
  expect(await project.read('a.md')).toBe('- x\n')

  project.write('a.md', 'by hand\n')
  const calls = [restore('a.md'), DISCOVER, restore('a.md'), restore('a.md, b.md, c.md')]
  const last = await session.turn('go on', ...calls)
  expect(last.outputs[0]).toContain('it changed since discover-rules showed it')
  expect(last.outputs[2]).toStartWith(`Restored ${project.path('a.md')} from `)
  expect(last.tools[3]?.state.title).toBe('2 files restored')
  expect(await project.read('b.md')).toBe('b\n')
})

story('texts are taken for the file that they fit, in whatever order all come at once', async () => {
  const project = await start({ 'a.md': '- Use tabs!\n', 'b.md': '- Never call eval!\n' })
  const tabs = parse({ strength: 'obligatory', action: 'use', target: 'tabs', source: 'Use tabs!' })
  const evil = parse({ strength: 'forbidden', action: 'call', target: 'eval', source: 'Never call eval!' })
  const sentences = [format(['Rule: never call eval']), format(['Rule: use tabs'])]
  const outputs = await answersIn(project, DISCOVER, [tabs, evil, ...sentences, write()])
  expect(outputs.at(-1)!.match(/^Written: /gm)).toHaveLength(1)
  expect(await textsOf(project, 'a.md', 'b.md')).toEqual(['- use tabs\n', '- never call eval\n'])
})

story('the writers write what was last validated in the session, in its mode, nothing else', async () => {
  const project = await start({ 'a.md': 'a\n', 'b.md': 'b\n' })
  const outputs = await answersIn(
    project,
    DISCOVER,
    write({ files: 'a.md' }),
    add({ file: 'a.md' }),
    format(['- use tabs', '- use semicolons'], 'concise'),
    write({ files: 'a.md', mode: 'verbose' }),
    write({ files: 'a.md', rules: null }),
    add({ file: 'b.md' }),
    format(['Rule: use tabs'], 'concise'),
    write({ files: 'b.md' }),
    ...[format(['- use spaces']), format([7]), write({ files: 'b.md' })],
    ...[format(['- use spaces']), parse(RULE), write({ files: 'b.md' })],
  )
  for (const index of [1, 2, 8, 11, 14]) expect(outputs[index]).toContain(CALL_FORMAT)
  expect(outputs[4]).toMatch(/mode verbose[\s\S]*rules\.0/)
  expect(outputs[5]).toContain('the 2 rules that format-rules last validated')
  expect(outputs[6]).toBe(
    `Added 2 rule(s) to ${
      project.path('b.md')
    }\n\nb.md:3: use tabs\nb.md:5: use semicolons\n\nWritten: the 2 rules that format-rules last validated.`,
  )
  expect(await textsOf(project, 'a.md', 'b.md'))
    .toEqual(['- use tabs\n- use semicolons\n', 'b\n\nuse tabs\n\nuse semicolons\n'])
  const apart = await answersIn(project, format(['Rule: write haiku']))
  expect(apart[0]).toBe(taken('Rule: write haiku'))
})
