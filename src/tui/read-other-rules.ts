/** Adds another tool's rule folder or rule file to the config, after the person has confirmed the diff. */
import type { TuiPluginApi } from '@opencode-ai/plugin/tui'
import { resolve } from 'node:path'
import type { PluginEntry } from '../host/plugin-entries.ts'
import { isInProject, projectRoot } from '../paths/boundary.ts'
import { isFolder } from '../paths/real-path.ts'
import { fail, ok } from '../safe.ts'
import { hunksOf } from '../text/hunks.ts'
import { readText, withoutBom } from '../text/read.ts'
import { changeText, unguardedWriteContext, writeFile } from '../writing/write.ts'
import { type Block, diffBlock, notify, showText } from './text-dialog.tsx'

const CONTEXT_LINES = 2

const diffOf = (api: TuiPluginApi, before: string, after: string): Array<Block> =>
  (hunksOf(before, after, CONTEXT_LINES) ?? []).flatMap(({ lines }) =>
    // Drops the line `\ No newline at end of file`.
    lines.filter((line) => !line.startsWith('\\'))
      .map((line) => diffBlock(api, line[0] as '+' | '-' | ' ', line.slice(1)))
  )

/** Asks to add a folder to SAT's `rules.directories`, or a file to OpenCode's `instructions`. */
export const askToReadRules = async (
  api: TuiPluginApi,
  rulesPath: string,
  satEntry: PluginEntry | undefined,
  { onEsc, onWritten }: { onEsc: () => void; onWritten: () => void },
): Promise<void> => {
  const { withDirectory, withInstruction } = await import('../host/config-edits.ts')
  const isDirectory = await isFolder(resolve(projectRoot(api.state.path), rulesPath))
  const listName = isDirectory ? 'rules.directories' : 'instructions'
  const sayWhatToAdd = (why: string): void => {
    const text = `${why}, so nothing can be written. Add ${rulesPath} to ${listName} by hand.`
    showText(api, rulesPath, [{ text }], { onEsc })
  }
  if (!satEntry) return sayWhatToAdd('No config file names SAT')
  const { config: path, index } = satEntry
  const config = await readText(path)
  if (config.error !== null) return sayWhatToAdd(`${path} cannot be read: ${config.error}`)
  const text = withoutBom(config.data.text)
  const newText = isDirectory ? withDirectory(text, index, rulesPath) : withInstruction(text, rulesPath)
  const write = async (): Promise<void> => {
    const written = await writeFile(unguardedWriteContext(path), {
      kind: 'rewrite',
      path,
      toBytes: changeText((currentText) =>
        currentText === text ? ok(newText) : fail('the config changed meanwhile')
      ),
    })
    if (written.error) return notify(api, 'error', `Nothing was written: ${written.error}`)
    onWritten()
    notify(api, 'success', `${rulesPath} is in ${listName} now. It will be read after OpenCode restarts.`)
  }
  const alsoFor = isInProject(api.state.path, path)
    ? ''
    : ' This config is not in the project: other projects use it, too.'
  showText(api, path, diffOf(api, text, newText), {
    onEsc,
    confirm: {
      title: `Add ${rulesPath} to ${listName}?`,
      message: `Lines with + are added. They apply from the next start of OpenCode.${alsoFor}`,
      onConfirm: () => void write(),
    },
  })
}
