import { expect } from 'bun:test'
import { readFileSync } from 'node:fs'
import { inProcess } from '../harness/in-process.ts'
import { story } from '../harness/story.ts'
import { add, DISCOVER, discover, rewrite } from './calls.ts'
import { anyAnswer, expectAnswers, projectOf, textsOf } from './play.ts'

story('add-rules refuses to add to a file that was not shown, or to two files', async () => {
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

const withFileOutside = async () => {
  const outside = (await inProcess()).project({ files: { 'outside.md': 'outside\n' } }).path('outside.md')
  const files = { 'a.md': 'a\n', 'b.md': 'b\n', 'own.md': 'own\n' }
  return { outside, project: await projectOf(files, { instructions: [outside, 'b.md', 'a.md'] }) }
}

story('without "file", add-rules prefers shown files that are in the project and loaded', async () => {
  const { outside, project } = await withFileOutside()
  const adding = add({ rules: ['- new'] })
  const added = (name: string) => ({ is: `Added 1 rule(s) to ${project.path(name)}\n\n${name}:3: - new` })
  // DISCOVER shows the files of "instructions".
  await expectAnswers(project, [DISCOVER, new RegExp(`${outside}[^]*b\\.md`)], [adding, added('b.md')])
  const session = await expectAnswers(project, [discover('own.md')], [adding, added('own.md')])
  await expectAnswers(session, [discover('a.md')], [adding, added('a.md')])
  expect(await textsOf(project, 'a.md', 'b.md')).toEqual(['a\n\n- new\n', 'b\n\n- new\n'])
  expect(readFileSync(outside, 'utf8')).toBe('outside\n')
})

story('without "file", add-rules adds nothing if only a file outside the project was shown', async () => {
  const { outside, project } = await withFileOutside()
  // `b.md` is the first file of the project in "instructions".
  const refused = /added to .*b\.md: discover-rules has not shown it/
  await expectAnswers(project, [discover([outside])], [add({ rules: ['- new'] }), refused])
  expect(await textsOf(project, 'a.md', 'b.md')).toEqual(['a\n', 'b\n'])
  expect(readFileSync(outside, 'utf8')).toBe('outside\n')
})

story('add-rules adds to the section that "after" names, and omits rules that the file has', async () => {
  const project = await projectOf({ 'a.md': '# Rules\n\n- Use pnpm.\n\n# Tests\n' })
  const tabs = 'Rule: use tabs. Never mix them\nReason: the formatter does so'
  const addTabs = add({ rules: [tabs], after: '# Rules' })
  const addTabsAndAsk = add({ rules: [tabs, 'Rule: ask'], after: '# Rules' })
  const path = project.path('a.md')
  const addedTabs = `Added 1 rule(s) to ${path}\n\na.md:4: - use tabs. Never mix them. the formatter does so`
  const addedAsk = `Added 1 rule(s) to ${path}\n\na.md:5: - ask`
  const leftOut =
    'Not added, because the file already has these rules (reasons are not compared): `Rule: use tabs. Never mix them Reason: the formatter does so`'
  const refused = {
    is: `Nothing was added to ${path}: the file already has these rules (reasons are not compared)`,
  }
  await expectAnswers(
    project,
    ...anyAnswer(DISCOVER),
    [[addTabs, addTabs], { is: addedTabs }, refused],
    [addTabs, refused],
    [addTabsAndAsk, { is: `${addedAsk}\n\n${leftOut}` }],
  )
  expect(await project.read('a.md'))
    .toBe('# Rules\n\n- Use pnpm.\n- use tabs. Never mix them. the formatter does so\n- ask\n\n# Tests\n')
})
