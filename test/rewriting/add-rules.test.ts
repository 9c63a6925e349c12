/** Tests to which file add-rules adds rules, and at which place. */
import { expect } from 'bun:test'
import { readFileSync } from 'node:fs'
import { inProcess } from '../harness/in-process.ts'
import { story } from '../harness/story.ts'
import { add, DISCOVER, discover, rewrite } from './calls.ts'
import { anyAnswer, expectAnswers, projectOf, textsOf } from './play.ts'

story('add-rules adds only to a shown file, and only to one', async () => {
  const project = await projectOf({ 'a.md': 'a\n', 'b.md': 'b\n' })
  const rules = ['- new']
  const nothingShown = 'No files were discovered yet. Call discover-rules first, then call this tool again.'
  await expectAnswers(
    project,
    [[add({ rules, file: 'a.md' }), rewrite({ rules, files: 'a.md' })], nothingShown, nothingShown],
    ...anyAnswer(DISCOVER),
    [add({ rules, file: ['a.md', 'b.md'] }), '"file" names more than one file'],
  )
  expect(await textsOf(project, 'a.md', 'b.md')).toEqual(['a\n', 'b\n'])
})

story('without "file", add-rules adds to the first shown file in the project', async () => {
  const outside = (await inProcess()).project({ files: { 'outside.md': 'outside\n' } }).path('outside.md')
  const files = { 'a.md': 'a\n', 'b.md': 'b\n', 'own.md': 'own\n' }
  const project = await projectOf(files, { instructions: [outside, 'b.md', 'a.md'] })
  const adding = add({ rules: ['- new'] })
  const added = (name: string) => ({ is: `Added 1 rule(s) to ${project.path(name)}\n\n${name}:3: - new` })
  await expectAnswers(project, [DISCOVER, new RegExp(`${outside}[^]*b\\.md`)], [adding, added('b.md')])
  await expectAnswers(project, [discover('own.md')], [adding, added('own.md')])
  // No file in the project was shown, so the default is the first one there that the host loads; but it is refused.
  const refused = /added to .*b\.md: discover-rules has not shown it/
  await expectAnswers(project, [discover([outside])], [adding, refused])
  expect(await textsOf(project, 'a.md', 'b.md')).toEqual(['a\n', 'b\n\n- new\n'])
  expect(readFileSync(outside, 'utf8')).toBe('outside\n')
})

story('add-rules adds to the section of "after" only what the file does not say yet', async () => {
  const project = await projectOf({ 'a.md': '# Rules\n\n- Use pnpm.\n\n# Tests\n' })
  const rule = 'Rule: use tabs. Never mix them\nReason: the formatter does so'
  const item = '- use tabs. Never mix them. the formatter does so'
  const adding = add({ rules: [rule], after: '# Rules' })
  const addingTwo = add({ rules: [rule, 'Rule: ask'], after: '# Rules' })
  const path = project.path('a.md')
  const refused = { is: `Nothing was added to ${path}: the file says this already, in these words` }
  const added = (line: string) => ({ is: `Added 1 rule(s) to ${path}\n\na.md:${line}` })
  await expectAnswers(
    project,
    ...anyAnswer(DISCOVER),
    // Twice in one message, and once more in the next.
    [[adding, adding], added(`4: ${item}`), refused],
    [adding, refused],
    [addingTwo, added('5: - ask\n\nLeft out 1 of 2: the file says that already, in these words.')],
  )
  expect(await project.read('a.md')).toBe(`# Rules\n\n- Use pnpm.\n${item}\n- ask\n\n# Tests\n`)
})
