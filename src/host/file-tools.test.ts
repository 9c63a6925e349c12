import { expect, test } from 'bun:test'
import { filesOfCall } from './file-tools.ts'

const PATCH = `*** Begin Patch
*** Add File: new.ts
+*** Update File: not.ts
*** Update File: a b.ts
*** Move to: c.ts
@@
-x
+y
*** Delete File: gone.ts\r
*** End Patch`

test.each<[string, Record<string, unknown>, Array<string>]>([
  ['read', { filePath: '/p/a.ts' }, ['/p/a.ts']],
  ['write', { filePath: 'a.ts', content: '' }, ['a.ts']],
  ['edit', { filePath: 5 }, []],
  ['edit', {}, []],
  ['bash', { filePath: 'a.ts' }, []],
  ['apply_patch', { patchText: PATCH }, ['new.ts', 'a b.ts', 'c.ts', 'gone.ts']],
  ['apply_patch', {}, []],
])('%s %j names %j', (tool, args, files) => {
  expect(filesOfCall(tool, args)).toEqual(files)
})
