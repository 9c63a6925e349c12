/** Lists a project's backups, and restores the backup that the person chooses. */
import type { TuiPluginApi } from '@opencode-ai/plugin/tui'
import { realpath } from 'node:fs/promises'
import { basename, relative } from 'node:path'
import { projectRoot } from '../paths/boundary.ts'
import { stateFolder } from '../paths/user-folders.ts'
import { reasonOf } from '../safe.ts'
import { markName } from '../text/hidden-characters.ts'
import { readText } from '../text/read.ts'
import { restoreFile } from '../writing/restore.ts'
import { unguardedWriteContext } from '../writing/write.ts'
import { showList } from './list-dialog.ts'
import { diffBlocks, listProjectBackups, type ProjectBackup, whyNotRestorable } from './project-backups.ts'
import { diffBlock, notify, showText } from './text-dialog.tsx'

const NO_BACKUPS =
  'No backups of files in this project. When a rewrite changes an instruction file, its previous text is kept here. For a file outside of the project: /restore-rules PATH'

// Such as `2026-11-21 14:03:09` (the Swedish format), in the person's time zone.
const { format: formatTime } = new Intl.DateTimeFormat('sv', { dateStyle: 'short', timeStyle: 'medium' })

const restoreBackup = async (api: TuiPluginApi, name: string, { file, backupPath }: ProjectBackup) => {
  const restored = await restoreFile(unguardedWriteContext(file), file, basename(backupPath))
  if (restored.status !== 'success') return notify(api, 'error', `${name} is not restored: ${restored.error}`)
  const kept = restored.backup === null ? '' : ' The replaced text is in /rules-backups.'
  notify(api, 'success', `${name} is restored.${kept}`)
}

const askToRestore = async (api: TuiPluginApi, name: string, backup: ProjectBackup): Promise<void> => {
  const [current, saved] = await Promise.all([readText(backup.file), readText(backup.backupPath)])
  const sameText = current.data?.text === saved.data?.text ? 'The file already has this text.' : null
  const reason = await whyNotRestorable(backup.file) ?? saved.error ?? sameText
  if (reason !== null) return showText(api, name, [{ text: reason }], { onEsc: () => void showBackups(api) })
  const changes = await diffBlocks(current.data?.text ?? '', saved.data!.text)
  const blocks = changes.map(({ sign, text }) => diffBlock(api, sign, text))
    .map((block) => ({ ...block, text: `${block.text}\n` }))
  const legend = changes.every(({ sign }) => sign === ' ')
    ? 'Only whitespace differs, such as blank lines.'
    : 'Removes lines with -, adds lines with +.'
  showText(api, `${name}, ${formatTime(backup.at)}`, blocks, {
    confirm: {
      title: `Bring ${name} back?`,
      message: `${legend} The present text is kept as a backup.`,
      onConfirm: () => void restoreBackup(api, name, backup),
    },
  })
}

export const showBackups = async (api: TuiPluginApi): Promise<void> => {
  try {
    const root = await realpath(projectRoot(api.state.path))
    const backups = await listProjectBackups(stateFolder(), root)
    if (backups.length === 0) return showText(api, 'Backups', [{ text: NO_BACKUPS }])
    const describe = ({ at, occasion, bytes }: ProjectBackup): string =>
      [formatTime(at), occasion && `before a ${occasion},`, `${bytes} bytes`].filter(Boolean).join(' ')
    const lines = backups.map((backup) => ({
      title: markName(relative(root, backup.file)),
      // No footer: in a small terminal, the host would cut the time to make room for it.
      description: describe(backup),
      value: backup,
    }))
    showList(api, {
      title: 'Backups of this project',
      placeholder: 'Search backups',
      lines: () => lines,
      onSelect: (backup) => void askToRestore(api, markName(relative(root, backup.file)), backup),
    })
  } catch (thrown) {
    showText(api, 'Backups', [{ text: reasonOf(thrown), fg: api.theme.current.warning }])
  }
}
