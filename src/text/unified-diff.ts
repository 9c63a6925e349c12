/**
 * Makes the unified diff of two texts, which the permission prompt and the screen show. The library is loaded when it is
 * needed first.
 */
export const unifiedDiff = async (name: string, before: string, after: string): Promise<string> =>
  (await import('./hunks.ts')).formatDiff(name, before, after)
