import { expect, spyOn, test } from 'bun:test'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { scratchFolder } from '../../../test/harness/scratch.ts'
import { safe } from '../../safe.ts'
import { programOf, runFormatter } from './run-formatter.ts'

const scratch = scratchFolder()

const runInFolder = async (
  script: string,
  { limit = 10_000, ok = [0], aborter = new AbortController() } = {},
) => {
  const folder = mkdtempSync(join(scratch, 'run-'))
  const command = { text: script, script, wholeProject: false, ok, isGuess: false, when: 'save' } as const
  const workspace = { directory: folder, worktree: folder }
  const run = { command, path: join(folder, 'x'), workspace, limit, signal: aborter.signal }
  return { folder, result: await runFormatter(run) }
}

test('the result of a failed formatter has its exit code and its output, stderr first', async () => {
  const { result } = await runInFolder('echo out; sleep .1; echo err >&2; exit 3')
  expect(result).toEqual({ kind: 'failed', status: 'failed (status 3)', code: 3, output: 'err\n\nout' })
})

test('any exit code in `ok` is a success', async () => {
  const kinds = [127, 137, 0].map(async (code) =>
    (await runInFolder(`exit ${code}`, { ok: [127, 137] })).result.kind
  )
  expect(await Promise.all(kinds)).toEqual(['ok', 'ok', 'failed'])
})

test('the output has no colours, and hidden characters are marked', async () => {
  const printed = String.raw`[\033[31mred\033[39m] \033[1m>\033[0m \342\200\256 1\n`
  const { result } = await runInFolder(`printf '${printed}'`)
  expect(result.output).toBe('[red] > ⟦U+202E⟧ 1')
})

test("a formatter runs in the session's folder, without input", async () => {
  const { folder, result } = await runInFolder('cat; pwd > place')
  expect(result.kind).toBe('ok')
  expect(readFileSync(join(folder, 'place'), 'utf8').trim()).toEndWith(folder)
})

test('an abort after a formatter has ended does not kill the daemon that it left running', async () => {
  const aborter = new AbortController()
  const { folder, result } = await runInFolder('sleep 20 & echo $! > daemon', { aborter })
  expect(result.kind).toBe('ok')
  const kill = spyOn(process, 'kill')
  aborter.abort()
  expect(kill).not.toHaveBeenCalled()
  kill.mockRestore()
  process.kill(Number(readFileSync(join(folder, 'daemon'), 'utf8')), 'SIGKILL')
})

test('at the time limit, a formatter and its child processes are killed if they ignore SIGTERM', async () => {
  const command = 'trap "" TERM; (trap "" TERM; sleep 30) & echo $! > child; wait'
  const { folder, result } = await runInFolder(command, { limit: 1_000 })
  expect(result.status).toBe('timed out after 1 s')
  const stat = `/proc/${readFileSync(join(folder, 'child'), 'utf8').trim()}/stat`
  // The third field is the state, `Z` for a process that has ended.
  const childRuns = () => safe(() => readFileSync(stat, 'utf8').split(' ')[2] !== 'Z').data === true
  while (childRuns()) await Bun.sleep(20)
})

test.each<[platform: NodeJS.Platform, script: string | Array<string>, run: ReturnType<typeof programOf>]>([
  ['linux', 'a "$FILE"', { program: 'sh', args: ['-c', 'a "$FILE"'], shell: false }],
  // A path may contain `$&`, for which `String.replace` would insert the match.
  ['darwin', ['a', '--x', '$FILE'], { program: 'a', args: ['--x', '/p/$&.ts'], shell: false }],
  ['win32', 'a "$FILE"', { program: 'a "%FILE%"', args: [], shell: true }],
  ['win32', ['a', '--x', '$FILE'], { program: '"a" "--x" "%FILE%"', args: [], shell: true }],
])('on %s, the script %j is started as %j', (platform, script, run) => {
  expect(programOf(script, '/p/$&.ts', platform)).toEqual(run)
})

test('on Windows, `taskkill` ends a formatter and its child processes at the time limit', async () => {
  const { platform, env: { PATH } } = process
  const folder = mkdtempSync(join(scratch, 'windows-'))
  const taskkillArgs = join(folder, 'args')
  const script = `#!/bin/sh\necho "$@" > '${taskkillArgs}'\nkill -9 "$2"\n`
  writeFileSync(join(folder, 'taskkill'), script, { mode: 0o755 })
  process.env['PATH'] = `${folder}:${PATH}`
  Object.defineProperty(process, 'platform', { value: 'win32' })
  const { result } = await runInFolder('exec sleep 20', { limit: 300 }).finally(() => {
    Object.defineProperty(process, 'platform', { value: platform })
    process.env['PATH'] = PATH
  })
  expect(result.status).toBe('timed out after 0.3 s')
  expect(readFileSync(taskkillArgs, 'utf8')).toMatch(/^\/pid \d+ \/T \/F\n/)
})
