/** Creates rule files on disk for unit tests, and reads them as SAT does. */
import { afterAll } from 'bun:test'
import { mkdirSync, mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { rulesReporter } from '../../src/delivery/rule-warnings.ts'
import { rulesReader } from '../../src/delivery/rules-on-disk.ts'
import { scratchFolder, writeFileAt } from './scratch.ts'

type Files = Record<string, string | Uint8Array>

/**
 * Returns a function that creates files in the global rule folder and in the project's rule folder.
 * A path in `project` may begin with `w/` (the worktree) or `config/` (the global config folder).
 */
export const ruleProjects = () => {
  const scratch = scratchFolder()
  afterAll(() => delete process.env['OPENCODE_CONFIG_DIR'])
  return (global: Files, project: Files, directories: Array<string> = []) => {
    const root = mkdtempSync(join(scratch, 'root-'))
    const directory = join(root, 'w')
    const ruleFolder = join(directory, '.opencode/rules')
    mkdirSync(directory)
    const write = (path: string, text: string | Uint8Array) => writeFileAt(join(root, path), text)
    for (const [path, text] of Object.entries(global)) write(`config/rules/${path}`, text)
    for (const [path, text] of Object.entries(project)) {
      write(/^(?:w|config)\//.test(path) ? path : `w/.opencode/rules/${path}`, text)
    }
    process.env['OPENCODE_CONFIG_DIR'] = join(root, 'config')
    type Reported = Record<'logged' | 'toasts' | 'debugLines', Array<string>>
    const reported: Reported = { logged: [], toasts: [], debugLines: [] }
    const shortened = (words: string): string => words.replaceAll(directory, '…').replaceAll(root, '')
    const workspace = { directory, worktree: directory }
    const report = rulesReporter({
      workspace,
      log: (level, message) => reported.logged.push(`${level} ${shortened(message)}`),
      toast: (_, message) => reported.toasts.push(shortened(message)),
      debug: (line) => reported.debugLines.push(shortened(line)),
    })
    // The host sends `sent.md`, so SAT does not send it.
    const readRules = rulesReader(workspace, directories, async () => [join(ruleFolder, 'sent.md')])
    const read = async () => {
      const onDisk = await readRules('cached')
      report(onDisk)
      return onDisk
    }
    return {
      root,
      ruleFolder,
      write,
      reported,
      read,
      texts: async () => (await read()).rules.map(({ name, body }) => `${name}: ${body}`),
      faults: async () =>
        (await read()).leftOut.map(({ path, line, reason }) => `${shortened(path)}:${line ?? ''} ${reason}`),
    }
  }
}
