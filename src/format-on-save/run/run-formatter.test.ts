import { expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { toScript } from './choose-command.ts'
import { runFormatter } from './run-formatter.ts'

const inFolder = async (command: string, limit = 10_000) => {
  const folder = mkdtempSync(join(tmpdir(), 'sat-run-'))
  const { script } = toScript(command)
  const result = await runFormatter(
    { words: command, script, wholeProject: false, ok: [0], hint: '', when: 'save' },
    join(folder, 'x'),
    folder,
    limit,
  )
  return { folder, result, end: () => rmSync(folder, { recursive: true, force: true }) }
}

test.each([
  ['a status', 'echo out; echo err >&2; exit 3', {
    status: 'status 3',
    // Nothing orders what comes through two pipes.
    output: expect.stringMatching(/^(out\nerr|err\nout)$/),
  }],
  ['a signal', 'kill -9 $$', { status: 'ended by SIGKILL', output: '' }],
  ['much output', 'yes line | head -n 100000; exit 1', {
    status: 'status 1',
    output: Array(12).fill('line').join('\n'),
  }],
  ['no such program', 'no-such-formatter', {
    status: 'status 127',
    output: expect.stringContaining('not found'),
  }],
])('a failure is told: %s', async (_, command, failure) => {
  const { result, end } = await inFolder(command)
  expect(result.failure).toEqual(failure)
  end()
})

test('it runs in the folder, without input, and a daemon left behind holds nothing up', async () => {
  const { folder, result, end } = await inFolder('cat; pwd > place; sleep 20 & echo $! > daemon')
  expect(result.failure).toBeNull()
  expect(readFileSync(join(folder, 'place'), 'utf8').trim()).toEndWith(folder)
  process.kill(Number(readFileSync(join(folder, 'daemon'), 'utf8')), 'SIGKILL')
  end()
})

/** Runs a formatter that ends with 0 and leaves a daemon behind; says whether it was still waited for at the limit. */
const runWithDaemon = async (limit: number) => {
  const start = performance.now()
  const { result, folder, end } = await inFolder('sleep 20 & echo $! > daemon; exit 0', limit)
  const isBeyondLimit = performance.now() - start > limit
  if (result.failure === null) process.kill(Number(readFileSync(join(folder, 'daemon'), 'utf8')), 'SIGKILL')
  end()
  return { isBeyondLimit, failure: result.failure }
}

test('a formatter that ended with 0 is not timed out while its pipes drain', async () => {
  // How long the shell takes to end is the machine's; one of the limits falls into the 200 ms behind it, in which the
  // daemon's pipe is waited for.
  for (let limit = 100; limit < 3_000; limit += 100) {
    const { isBeyondLimit, failure } = await runWithDaemon(limit)
    if (isBeyondLimit && failure === null) return
  }
  throw new Error('Whatever the limit, the formatter was timed out')
})

test('nor is one that ended in time while the host was busy beyond it', async () => {
  const done = join(mkdtempSync(join(tmpdir(), 'sat-run-')), 'done')
  const limit = 400
  const running = inFolder(`: > '${done}'`, limit)
  await Bun.sleep(20)
  while (!existsSync(done)) Bun.sleepSync(20)
  Bun.sleepSync(limit)
  const { result, end } = await running
  expect(result.failure).toBeNull()
  end()
  rmSync(dirname(done), { recursive: true })
})

test.each([
  ['nothing', 'sleep 0.01; exit 1', 0],
  ['what it prints is no file', 'echo words; echo more >&2; exit 1', 0],
  ['a file, by a child of a child', 'sh -c "sh -c \'printf 12345 > a\'; printf 67 > b"', 7],
])('it tells how much was written: %s', async (_, command, bytes) => {
  const { result, end } = await inFolder(command)
  expect(result.bytesWritten).toBe(process.platform === 'linux' ? bytes : null)
  end()
})

test('beyond its time the whole group is ended, also what ignores the asking', async () => {
  const { folder, result, end } = await inFolder(
    'trap "" TERM; (trap "" TERM; sleep 30) & echo $! > child; wait',
    1_000,
  )
  expect(result.failure?.status).toBe('timed out after 1 s')
  const child = Number(readFileSync(join(folder, 'child'), 'utf8'))
  const state = () => {
    try {
      return readFileSync(`/proc/${child}/stat`, 'utf8').split(' ')[2]
    } catch {
      return 'gone'
    }
  }
  while (!['gone', 'Z'].includes(state() ?? '')) await Bun.sleep(20)
  end()
})
