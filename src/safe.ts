/** Represents failures as values, and turns thrown errors into failures. */

/** A value, or the reason why there is none. */
export type Result<T, E = string> = { data: T; error: null } | { data: null; error: E }

export const ok = <T>(data: T): { data: T; error: null } => ({ data, error: null })
export const fail = <E>(error: E): { data: null; error: E } => ({ data: null, error })

export const NO_SUCH_FILE = 'no such file'

const DISK_ERRORS: Record<string, string> = {
  EACCES: 'permission denied',
  EISDIR: 'it is a folder, not a file',
  ELOOP: 'its links form a circle',
  ENAMETOOLONG: 'the path is too long',
  ENOENT: NO_SUCH_FILE,
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of the path is not a folder',
  EPERM: 'operation not permitted',
  ENXIO: 'it is a device, a pipe or a socket, not a file',
  EROFS: 'the disk is read-only',
}

/** Returns a plain description of a common disk error, and the message of any other error. */
export const reasonOf = (thrown: unknown): string => {
  if (!(thrown instanceof Error)) return String(thrown)
  const code = 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : ''
  return DISK_ERRORS[code] ?? thrown.message
}

export const safe = <T>(work: () => T): Result<T> => {
  try {
    return ok(work())
  } catch (thrown) {
    return fail(reasonOf(thrown))
  }
}

export const safeAsync = async <T>(work: () => Promise<T>): Promise<Result<T>> => {
  try {
    return ok(await work())
  } catch (thrown) {
    return fail(reasonOf(thrown))
  }
}

/** Returns a failure if `work` rejects or takes too long, but does not stop late work. */
export const withTimeout = <T>(limitMs: number, work: Promise<T>): Promise<Result<T>> =>
  new Promise((resolve) => {
    const timer = setTimeout(() => resolve(fail(`no answer within ${limitMs} ms`)), limitMs)
    void safeAsync(() => work).then(resolve).finally(() => clearTimeout(timer))
  })
