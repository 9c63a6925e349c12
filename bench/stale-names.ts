/** Judging 500 names in backticks in a project of 2,000 files, against a bare listing of its files. */
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readMarkdown } from '../src/markdown/markdown.ts'
import { ProjectFiles } from '../src/markdown/project-files.ts'
import { staleNames } from '../src/markdown/stale-names.ts'
import { type Row, sideBySide } from './measure.ts'

const FOLDERS = 40
const FILES = 2_000
const NAMES = 500

const makeProject = (root: string): void => {
  for (let index = 0; index < FILES; index++) {
    const folder = join(root, 'src', `part-${index % FOLDERS}`)
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, `${index}.ts`), '')
  }
  writeFileSync(join(root, 'package.json'), '{"scripts":{"build":"x"}}')
}

const nameAt = (index: number): string =>
  [
    `src/part-${index % FOLDERS}/${index}.ts`,
    `src/gone-${index}/index.ts`,
    `npm run script-${index}`,
  ][index % 3]!

export default async (): Promise<Array<Row>> => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'sat-bench-')))
  makeProject(root)
  const text = Array.from({ length: NAMES }, (_, index) => `- See \`${nameAt(index)}\`.`).join('\n')
  const row = await sideBySide(
    { what: 'stale names', size: `${NAMES} names, ${FILES} files`, against: 'readdir of the files' },
    () => staleNames(join(root, 'AGENTS.md'), readMarkdown(text).codeSpans, root, new ProjectFiles(root)),
    () => readdirSync(root, { recursive: true, withFileTypes: true }),
  )
  rmSync(root, { recursive: true })
  return [row]
}
