import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { frontmatterOf, splitEntries, splitFrontmatter } from './frontmatter.ts'

const FRONTMATTER = [
  // malformed, but frontmatter because of a rule file's key, such as `globs`
  '---\nglobs: [\n"a.ts",\nb.ts\n]\n---\n¦body',
  '---\ndescription: x\nsome stray words\n---\n¦body',
  '---\nglobs:*.ts\n---\n¦body',
  // frontmatter in several forms
  '---\n{title: x, tags: [a]}\n---\n¦body',
  '---\nlast update: 1\n---\n¦body',
  '---\na/b: 1\n"c: d": 2\ngröße: 3\n\'e\':\n---\n¦body',
  '---\ntags: [\na,\nb\n]\n---\n¦body',
  '---\ntext: |\n  two\n\n  lines\n# note\nlist:\n- x\n---\n¦body',
  '---\n# a comment\n---\n¦body',
  '---\n  globs: a.ts\n\n  alwaysApply: false\n---\n¦body',
  '--- # for tests\nglobs: a.ts\n---\n¦body',
  '---\na: 1\n...\n¦body',
  '--- \na: 1\n---\t\n¦body',
  '---\na: 1\n---¦',
  '---\n---\n¦body',
  '---\r\na: 1\r\n---\r\n¦body',
  '---\ra: 1\r---\r¦body',
  '\uFEFF---\na: 1\n---\n¦body',
  '---\nglobs: a.ts\n¦\nbody',
  '---\nglobs: a.ts¦',
  // not frontmatter
  '¦---\na: 1\nnever closed',
  '¦---\nProse between two horizontal rules.\n---\nbody',
  '¦---\nA note: prose goes on\nwithout a key here.\n---\nbody',
  '¦---\n- a list\n---\nbody',
  '¦----\na: 1\n----\n',
  '¦words\n---\na: 1\n---\n',
]

test.each(FRONTMATTER)('the frontmatter ends at ¦: %j', (marked) => {
  const [frontmatter = '', body = ''] = marked.split('¦')
  expect(splitFrontmatter(frontmatter + body)).toEqual({ frontmatter, body })
})

test('each key has the lines of its value, numbered from the start of the file', () => {
  const block = frontmatterOf('---\n# x\na: 1\nb: [\nc: d,\n]\n  e\n"f g": |\n  h: i\n---\n')
  const { entries } = splitEntries(block!.lines)
  expect(entries.map(({ key, value, lines }) => [key, value, lines.map(({ number }) => number)])).toEqual([
    ['a', ' 1', [3]],
    ['b', ' [', [4, 5, 6, 7]],
    ['f g', ' |', [8, 9]],
  ])
})

test('removing the body of a text does not change the frontmatter', () => {
  const piece = fc.constantFrom(...'---|...|a: 1|globs: [|]|- x| |\n|\r\n|\r|{|words'.split('|'))
  fc.assert(fc.property(fc.array(piece), (pieces) => {
    const { frontmatter } = splitFrontmatter(pieces.join(''))
    expect(splitFrontmatter(frontmatter).frontmatter).toBe(frontmatter)
  }))
})
