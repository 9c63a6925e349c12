/** Opens a file in the person's editor, as the host opens a prompt in it. */
import type { TuiPluginApi } from '@opencode-ai/plugin/tui'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { reasonOf } from '../safe.ts'
import { tell } from './text-dialog.tsx'

/** Runs a program on the terminal, which the host leaves to it until it ends. */
const runOnScreen = async (
  { renderer }: TuiPluginApi,
  program: string,
  args: Array<string>,
): Promise<void> => {
  renderer.suspend()
  renderer.currentRenderBuffer.clear()
  try {
    await once(spawn(program, args, { stdio: 'inherit' }), 'exit')
  } finally {
    renderer.currentRenderBuffer.clear()
    renderer.resume()
    renderer.requestRender()
  }
}

/** Opens a file in `$VISUAL` or `$EDITOR`; where there is none, its path is copied. */
export const openEditor = async (api: TuiPluginApi, path: string): Promise<void> => {
  // The host splits the command at blanks, too.
  const [program = '', ...args] = (process.env['VISUAL'] || process.env['EDITOR'] || '').split(' ')
  if (program === '') {
    api.renderer.copyToClipboardOSC52(path)
    return tell(api, 'success', `Its path is copied, since neither VISUAL nor EDITOR is set: ${path}`)
  }
  try {
    await runOnScreen(api, program, [...args, path])
  } catch (thrown) {
    tell(api, 'error', `${program} could not be run: ${reasonOf(thrown)}`)
  }
}
