/** One Enter has the rules of another tool read: the config that counts is changed as its diff shows. */
import type { TuiPluginApi } from '@opencode-ai/plugin/tui'
import { resolve } from 'node:path'
import type { PluginEntry } from '../host/plugin-entries.ts'
import { projectRoot } from '../paths/boundary.ts'
import { isFolder } from '../paths/real-path.ts'
import { fail, ok } from '../safe.ts'
import { hunksOf } from '../text/hunks.ts'
import { readText, withoutBom } from '../text/read.ts'
import { unguardedWriteContext } from '../writing/write-context.ts'
import { changeText, writeFile } from '../writing/write.ts'
import { type Block, coloured, showText, tell } from './text-dialog.tsx'

const CONTEXT = 2

const diffOf = (api: TuiPluginApi, before: string, after: string): Array<Block> =>
  (hunksOf(before, after, CONTEXT) ?? []).flatMap(({ lines }) =>
    lines.filter((line) => !line.startsWith('\\'))
      .map((line) => coloured(api, line[0] as '+' | '-' | ' ', line.slice(1)))
  )

/** Shows how the config would change, and asks. */
export const askToRead = async (
  api: TuiPluginApi,
  offer: string,
  acting: PluginEntry | undefined,
  onEsc: () => void,
  onWritten: () => void,
): Promise<void> => {
  const { withDirectory, withInstruction } = await import('../host/config-edits.ts')
  const isDirectory = await isFolder(resolve(projectRoot(api.state.path), offer))
  const list = isDirectory ? 'rules.directories' : 'instructions'
  const config = acting && await readText(acting.config)
  if (!acting || !config?.data) {
    const text = `No config names SAT, so that nothing can be written. Add ${offer} to ${list} by hand.`
    return showText(api, offer, [{ text }], { onEsc })
  }
  const text = withoutBom(config.data.text)
  const changed = isDirectory ? withDirectory(text, acting.index, offer) : withInstruction(text, offer)
  const write = async (): Promise<void> => {
    const path = acting.config
    const written = await writeFile(unguardedWriteContext(path), {
      kind: 'rewrite',
      path,
      toBytes: changeText((now) => now === text ? ok(changed) : fail('it was changed meanwhile')),
    })
    if (written.error) return tell(api, 'error', `Nothing was written: ${written.error}`)
    onWritten()
    tell(api, 'success', `${offer} is in ${list} now. Restart OpenCode: it is read from then on.`)
  }
  showText(api, acting.config, diffOf(api, text, changed), {
    onEsc,
    below: () =>
      api.ui.DialogConfirm({
        title: `Have ${offer} read?`,
        message: 'Lines with + are added. It counts from the next start of OpenCode.',
        onConfirm: () => void write(),
      }),
  })
}
