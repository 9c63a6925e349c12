/** Measures how many of SAT's notes on stale names (of missing files, folders or scripts) are true. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { namesIn } from '../src/markdown/names-in-text.ts'
import { staleNames } from '../src/markdown/stale-names.ts'
import { askGit } from '../src/paths/git.ts'
import { makeProject, MISSING_ON_PURPOSE, SILENT, STALE } from '../test/corpora/stale-name-cases.ts'
import PUBLIC from '../test/corpora/stale-names.json' with { type: 'json' }
import { writeInto } from '../test/harness/host.ts'
import { type Bench, inFolder, type Row, sideBySide } from './measure.ts'

const FOLDERS = 40
const FILES = 2_000
const NAMES = 500

const writeRepository = (root: string, files: Record<string, string>): void => {
  writeInto(root, files)
  spawnSync('git', ['init', '-q'], { cwd: root })
}

const pathAt = (index: number): string => `src/part-${index % FOLDERS}/${index}.ts`

const nameAt = (index: number): string =>
  [pathAt(index), `src/gone-${index}/index.ts`, `npm run script-${index}`][index % 3]!

const countNotes = async (root: string, contents: Array<string>): Promise<number> => {
  const files = contents.map((content, index) => ({ path: join(root, `${index}.md`), content }))
  return (await staleNames(files, { root, directory: root })).length
}

const rowOfCases = (): Promise<Row> =>
  inFolder(async (root) => {
    makeProject(root)
    const stale = STALE.map(([line]) => line)
    const notStale = [...SILENT, ...MISSING_ON_PURPOSE]
    const trueNotes = await countNotes(root, stale)
    const falseNotes = await countNotes(root, notStale)
    const nameCount = [...stale, ...notStale].flatMap(namesIn).length
    return {
      label: 'stale names, in constructed cases',
      size: `${nameCount} names, ${stale.length} stale`,
      figure: `${trueNotes + falseNotes} notes`,
      baseline: `true ${trueNotes}, false ${falseNotes}`,
      ratio: `${(100 * trueNotes / (trueNotes + falseNotes)).toFixed(0)} % true`,
    }
  })

type RealFile = {
  file: string
  names: Array<string>
  /** The files and folders that the names could mean. */
  tree: Array<string>
  scripts?: Array<string>
  targets?: Array<string>
}

const countRealNotes = ({ file, names, tree, scripts, targets }: RealFile): Promise<number> =>
  inFolder(async (root) => {
    const toScripts = (list: Array<string>) => Object.fromEntries(list.map((name) => [name, 'x']))
    writeRepository(root, {
      // A path that ends with `/` is a folder.
      ...Object.fromEntries(tree.map((path) => [path.replace(/\/$/, '/file'), ''])),
      ...(scripts && { 'package.json': JSON.stringify({ scripts: toScripts(scripts) }) }),
      ...(targets && { Makefile: targets.map((target) => `${target}:\n\tx\n`).join('') }),
    })
    // A name such as `$ npm run x` is a line of a code block.
    const content = names.map((name) => name.replace(/^\$ .*/, '```sh\n$&\n```')).join('\n')
    return (await staleNames([{ path: join(root, file), content }], { root, directory: root })).length
  })

const rowOfRealFiles = async (label: string, files: Array<RealFile>, allAreStale: boolean): Promise<Row> => {
  let notes = 0
  for (const file of files) notes += await countRealNotes(file)
  const nameCount = files.flatMap(({ names }) => names).length
  const [staleCount, trueNotes] = allAreStale ? [nameCount, notes] : [0, 0]
  return {
    label: `stale names, ${label}`,
    size: `${nameCount} names, ${staleCount} stale`,
    figure: `${notes} notes`,
    baseline: `true ${trueNotes}, false ${notes - trueNotes}`,
    ratio: allAreStale ? `${(100 * notes / nameCount).toFixed(0)} % found` : '',
  }
}

const rowOfTime = (): Promise<Row> =>
  inFolder(async (root) => {
    const paths = Array.from({ length: FILES }, (_, index) => pathAt(index))
    const files = Object.fromEntries(paths.map((path) => [path, '']))
    writeRepository(root, { ...files, 'package.json': '{"scripts":{"build":"x"}}' })
    const content = Array.from({ length: NAMES }, (_, index) => `- See \`${nameAt(index)}\`.`).join('\n')
    return sideBySide(
      { label: 'stale names', size: `${NAMES} names, ${FILES} files`, baseline: 'git ls-files' },
      () => staleNames([{ path: join(root, 'AGENTS.md'), content }], { root, directory: root }),
      () => askGit(root, ['ls-files', '--others']),
    )
  })

const bench: Bench = async () => [
  await rowOfCases(),
  await rowOfRealFiles('as people reported them', PUBLIC.reports, true),
  await rowOfRealFiles('5 files of public repositories', PUBLIC.files, false),
  await rowOfTime(),
]

export default bench
