/** Unit test of `test/brief.ts`, which shortens the output of the test runner. */
import { expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { scratchFolder, writeFileAt } from '../harness/scratch.ts'

test('passed tests are only counted, and failed and skipped tests are printed in full', () => {
  const folder = scratchFolder()
  const brief = join(import.meta.dirname, '..', 'brief.ts')
  const run = () => {
    const { stdout, status } = spawnSync(process.execPath, [brief, process.execPath, 'test'], { cwd: folder })
    return { output: String(stdout).trim(), status }
  }
  const write = (name: string, tests: string) =>
    writeFileAt(join(folder, name), `import { expect, test } from 'bun:test'\n${tests}`)
  write('good.test.ts', "test('one', () => {}); test('two', () => {})")
  const good = run()
  expect(good.status).toBe(0)
  expect(good.output)
    .toMatch(/^bun test.*\ngood\.test\.ts: 2 passed\n 2 pass\n 0 fail\nRan 2 tests across 1 file.*$/)
  write(
    'bad.test.ts',
    "test('fine', () => {}); test('wrong', () => expect('a').toBe('b')); test.skip('left', () => {})",
  )
  const bad = run()
  expect(bad.status).toBe(1)
  expect(bad.output).toMatch(
    /bad\.test\.ts: 1 passed\n[^]*Expected: "b"\n[^]*\(fail\) wrong[^]*\(skip\) left[^]*\nRan 5 tests across 2 files.*$/,
  )
  expect(bad.output).not.toContain('(pass)')
})
