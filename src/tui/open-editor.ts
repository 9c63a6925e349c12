/** Opens a file in the person's editor, like the host's command `/editor`. */
import type { TuiPluginApi } from '@opencode-ai/plugin/tui'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { reasonOf } from '../safe.ts'
import { notify } from './text-dialog.tsx'

const runOnScreen = async ({ renderer }: TuiPluginApi, program: string, args: Array<string>) => {
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

export const openEditor = async (api: TuiPluginApi, path: string): Promise<void> => {
  // Split at spaces, as the host does.
  const [program = '', ...args] = (process.env['VISUAL'] || process.env['EDITOR'] || '').split(' ')
  if (program === '') {
    api.renderer.copyToClipboardOSC52(path)
    return notify(api, 'success', `The path is copied, because neither VISUAL nor EDITOR is set: ${path}`)
  }
  try {
    await runOnScreen(api, program, [...args, path])
  } catch (thrown) {
    notify(api, 'error', `${program} could not be run: ${reasonOf(thrown)}`)
  }
}
