import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

// Node has no call for ACLs and extended attributes. GNU's cp can copy them without the text, that of macOS with it;
// BusyBox's cannot, and Windows has none.
const COPY = process.platform === 'darwin' ? ['-p'] : ['--attributes-only', '--preserve=all']

let isAble: Promise<boolean> | undefined

/** Whether this system can give a new file the ACL and the extended attributes of another. */
export const canCopyAttributes = (): Promise<boolean> =>
  isAble ??= process.platform === 'darwin'
    ? Promise.resolve(true)
    : run('cp', [...COPY, '--version']).then(() => true, () => false)

/**
 * Makes a file at `to` with the owner, mode, ACL and extended attributes of the one at `from`. Its text is the caller's
 * to write: with some systems it is empty, with others a copy.
 *
 * @throws why it could not be made
 */
export const copyAttributes = async (from: string, to: string): Promise<void> => {
  try {
    await run('cp', [...COPY, '--', from, to])
  } catch (thrown) {
    // Such as `cp: cannot create regular file '…': No space left on device`.
    const said = String(Object(thrown).stderr ?? '').trim()
    throw new Error(/no space left/i.test(said) ? 'the disk is full' : said || 'cp failed', { cause: thrown })
  }
}
