import { expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { scratchFolder, writeFileAt } from '../harness/scratch.ts'

const FILES = {
  'good.test.ts': "test('one', () => {}); test('two', () => {})",
  'bad.test.ts':
    "test('fine', () => {}); test('wrong', () => expect('a').toBe('b')); test.skip('left', () => {})",
}

test('prints one line for a passing file, a failure in full, the totals last, and exits like the runner', () => {
  const folder = scratchFolder()
  const run = () => {
    const brief = join(import.meta.dirname, '..', 'brief.ts')
    const { stdout, status } = spawnSync(process.execPath, [brief, process.execPath, 'test'], { cwd: folder })
    return { lines: String(stdout).trim().split('\n'), status }
  }
  const write = (name: keyof typeof FILES) =>
    writeFileAt(join(folder, name), `import { expect, test } from 'bun:test'\n${FILES[name]}`)
  write('good.test.ts')
  expect(run()).toEqual({
    lines: [
      expect.stringMatching(/^bun test/),
      'good.test.ts: 2 passed',
      ' 2 pass',
      ' 0 fail',
      expect.stringMatching(/^Ran 2 tests across 1 file/),
    ],
    status: 0,
  })
  write('bad.test.ts')
  const { lines, status } = run()
  expect(status).toBe(1)
  expect(lines.join('\n')).toMatch(
    /bad\.test\.ts: 1 passed\n[^]*Expected: "b"\n[^]*\(fail\) wrong[^]*\(skip\) left/,
  )
  expect(lines.join('\n')).not.toContain('(pass)')
  expect(lines.at(-1)).toMatch(/^Ran 5 tests across 2 files/)
})
