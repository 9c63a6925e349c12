/** @jsxImportSource @opentui/solid */
import type { TuiDialogSelectOption, TuiPluginApi } from '@opencode-ai/plugin/tui'
import { readFile, realpath } from 'node:fs/promises'
import { basename, relative } from 'node:path'
import { stateFolder } from '../paths/user-folders.ts'
import { reasonOf } from '../safe.ts'
import { unifiedDiff } from '../text/unified-diff.ts'
import { listProjectBackups, type ProjectBackup } from '../writing/backup.ts'
import { showText, type TextLine } from './text-dialog.tsx'

type Option = TuiDialogSelectOption<ProjectBackup>

const NONE = 'No backups of this project. What a rewrite of an instruction file replaces is kept here.'

const two = (number: number): string => String(number).padStart(2, '0')

/** Writes a time in the person's time zone, such as `2026-11-21 14:03:09`. */
export const timeOf = (at: Date): string => {
  const day = [at.getFullYear(), two(at.getMonth() + 1), two(at.getDate())].join('-')
  return `${day} ${[at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(':')}`
}

const diffLines = (api: TuiPluginApi, diff: string): Array<TextLine> => {
  const { diffAdded, diffRemoved, textMuted } = api.theme.current
  const colours: Record<string, TextLine['fg']> = { '+': diffAdded, '-': diffRemoved, '@': textMuted }
  // The first two lines name the file, which the title does.
  return diff.trimEnd().split('\n').filter((line) => !/^(?:---|\+\+\+) /.test(line))
    .map((text) => ({ text, fg: colours[text[0] ?? ''] }))
}

const showBackup = async (
  api: TuiPluginApi,
  name: string,
  { file, backup, at }: ProjectBackup,
): Promise<void> => {
  const { textMuted } = api.theme.current
  const [now, then] = await Promise.all([readFile(file, 'utf8').catch(() => ''), readFile(backup, 'utf8')])
  const how = { text: `To bring it back, send: /restore-rules ${name} ${basename(backup)}`, fg: textMuted }
  const diff = now === then
    ? [{ text: 'The file says the same now.' }]
    : [
      { text: 'From what the file says now to what it said then:', fg: textMuted },
      ...diffLines(api, await unifiedDiff(name, now, then)),
    ]
  showText(api, `${name}, ${timeOf(at)}`, [how, { text: '' }, ...diff])
}

/** Opens the list of the backups of this project's files; Enter shows what bringing one back would change. */
export const showBackups = async (api: TuiPluginApi): Promise<void> => {
  const say = (thrown: unknown) =>
    showText(api, 'Backups', [{ text: reasonOf(thrown), fg: api.theme.current.warning }])
  try {
    const { directory, worktree } = api.state.path
    const root = await realpath(worktree && worktree !== '/' ? worktree : directory)
    const backups = await listProjectBackups(stateFolder(), root)
    if (backups.length === 0) return showText(api, 'Backups', [{ text: NONE }])
    const options = backups.map((value): Option => ({
      title: relative(root, value.file),
      description: timeOf(value.at),
      footer: `${value.bytes} bytes`,
      value,
    }))
    api.ui.dialog.replace(() => (
      <api.ui.DialogSelect
        title='Backups of this project'
        placeholder='Search backups'
        options={options}
        onSelect={(option: Option) => void showBackup(api, option.title, option.value).catch(say)}
      />
    ))
    api.ui.dialog.setSize('large')
  } catch (thrown) {
    say(thrown)
  }
}
