/** A value, or the reason why there is none. */
export type Result<T, E = string> = { data: T; error: null } | { data: null; error: E }

/** Makes a success of a value. */
export const ok = <T>(data: T): { data: T; error: null } => ({ data, error: null })

/** Makes a failure of a reason. */
export const fail = <E>(error: E): { data: null; error: E } => ({ data: null, error })

/** Why a file that is not there cannot be read. */
export const NO_SUCH_FILE = 'no such file'

const DISK_ERRORS: Record<string, string> = {
  EACCES: 'permission denied',
  EISDIR: 'it is a folder, not a file',
  ELOOP: 'its links go round in a circle',
  ENAMETOOLONG: 'the path is too long',
  ENOENT: NO_SUCH_FILE,
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of the path is not a folder',
  EPERM: 'operation not permitted',
  ENXIO: 'it is a device, a pipe or a socket, not a file',
  EROFS: 'the disk is read-only',
}

/** Says what went wrong: a disk's error code in plain English, anything else by its message. */
export const reasonOf = (thrown: unknown): string => {
  if (!(thrown instanceof Error)) return String(thrown)
  const code = 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : ''
  return DISK_ERRORS[code] ?? thrown.message
}

/** Runs `work`; a throw comes back as the reason. */
export const safe = <T>(work: () => T): Result<T> => {
  try {
    return ok(work())
  } catch (thrown) {
    return fail(reasonOf(thrown))
  }
}

/** Awaits `work`; a throw or a rejection comes back as the reason. */
export const safeAsync = async <T>(work: () => Promise<T>): Promise<Result<T>> => {
  try {
    return ok(await work())
  } catch (thrown) {
    return fail(reasonOf(thrown))
  }
}

/** Awaits `work` for `limit` milliseconds at most; fails after them, or with what it throws. The work itself goes on. */
export const within = async <T>(limit: number, work: Promise<T>): Promise<Result<T>> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<Result<T>>((resolve) => {
    timer = setTimeout(() => resolve(fail(`no answer within ${limit} ms`)), limit)
  })
  try {
    return await Promise.race([work.then(ok<T>), late])
  } catch (thrown) {
    return fail(reasonOf(thrown))
  } finally {
    clearTimeout(timer)
  }
}
