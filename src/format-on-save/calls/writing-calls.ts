/** Lets a call run on a file's believed text (the text that the model expects), then records the new believed text. */
import { targetsOf } from '../../steps/call.ts'
import { writesWholeFile } from '../../steps/edits.ts'
import { readSaved, withText } from '../../steps/saved-file.ts'
import type { CallFile, HostCall, StepCall } from '../../steps/step-call.ts'
import { restoreFile } from '../run/restore-file.ts'
import type { FormattingContext, KnownFile } from './known-files.ts'
import { trackOtherFiles } from './other-files.ts'
import { replaceReadOutput } from './read-output.ts'

type Args = Record<string, unknown>

/** Replaces the believed text on the disk with the formatted `text`, or the reverse. Returns whether it did. */
const exchangeText = async (file: KnownFile | undefined, wanted: 'text' | 'believed'): Promise<boolean> => {
  if (!file) return false
  const [old, next] = wanted === 'text' ? [file.believed, file.text] : [file.text, file.believed]
  if (next === null || old === next) return false
  // If others changed the file during a call, the exchange could undo their change.
  if (file.newCalls.some(({ hasForeignChange }) => hasForeignChange)) return false
  const saved = await readSaved(file.real)
  if (saved?.text !== old) return false
  await restoreFile(withText(saved, next), saved)
  return true
}

export const trackWritingCalls = (context: FormattingContext) => {
  const { directory, formatter, hostFormatter, knownFiles, log, steps } = context
  const otherFiles = trackOtherFiles(context)

  const isTracked = ({ sessionID }: HostCall, { file, real }: CallFile): boolean => {
    // A known file without a formatter is tracked, too, because the formatter of another file may have changed it.
    const path = knownFiles.pathOf({ path: file.path, real: real.to })
    return hostFormatter !== undefined || formatter.hasCommand(path)
      || knownFiles.of(sessionID).has(real.from)
  }

  const prepareFile = async (call: StepCall, callFile: CallFile): Promise<void> => {
    const { file, real: { from: real } } = callFile
    await steps.readBefore(callFile)
    if (callFile.isShared) knownFiles.markChanged(real)
    const findKnown = () => knownFiles.of(call.host.sessionID).get(real)
    const { believed = null, text = null } = findKnown() ?? {}
    // If the call's edits fit only the text on the disk, the model has seen this text through a shell.
    const matchesOnlyDisk = believed !== text && file.apply(believed) === null && file.apply(text) !== null
    const isExchanged = !matchesOnlyDisk && await exchangeText(findKnown(), 'believed')
    if (isExchanged) callFile.before = { text: believed }
    call.whenFailed(async () => void await exchangeText(findKnown(), 'text'))
  }

  const recordWritten = async (callFile: CallFile, { tool, sessionID, callID }: HostCall): Promise<void> => {
    const { real, before, after, replayed, isShared } = callFile
    const { text, error } = after!
    const { file, args } = replayed!
    if (text === null) return
    const isText = text !== undefined
    if (!isText) log('warn', `A file was not formatted: ${error}`, { file: file.path })
    // A file that is not text is recorded only if the host's formatter may have changed it.
    if (!isText && !hostFormatter) return
    const textBefore = before!.text ?? null
    const textAfterCall = text ?? ''
    const ownResult = isText ? replayed!.applied : null
    const applied = ownResult ?? { raw: textAfterCall, changes: [] }
    const last = knownFiles.of(sessionID).get(real.from)
    const wasUnsure = last?.believed === null && last.text === textBefore
    // Without a formatter of the host, the text on the disk is the call's own result.
    const isResultSure = ownResult !== null || !hostFormatter
    // An edit shows the model only a part of the file, so an uncertain belief stays uncertain.
    const isSure = writesWholeFile(applied) || (isResultSure && !wasUnsure)
    const isDueToHostFormatter = hostFormatter !== undefined && !isShared
    const hasForeignChange = ownResult !== null && ownResult.raw !== text && !isDueToHostFormatter
    const call = { ...file, callID, tool, args, before: textBefore ?? '' }
    const done = { ...call, applied, textAfterCall, hasForeignChange }
    const failure = await hostFormatter?.failureOf(file.path, applied.raw !== textAfterCall) ?? null
    knownFiles.recordWrite(sessionID, done, real, { believed: isSure ? applied.raw : null, failure })
  }

  return {
    /** Waits for earlier calls on the same files and for formatters, then prepares the files that the call writes. */
    async start(hostCall: HostCall, args: Args): Promise<void> {
      const call = await steps.start(hostCall, args, otherFiles.locksOf)
      const tracked = call.files.filter((file) => isTracked(hostCall, file))
      const paths = call.named.flatMap((file) => [knownFiles.pathOf(file), file.real])
      call.whenEnded(await formatter.startCall(paths))
      call.throwIfEnded()
      if (call.state === 'superseded' || hostCall.tool === 'read') return
      await otherFiles.watch(call)
      for (const file of tracked) await prepareFile(call, file)
    },

    async finish(hostCall: HostCall, args: Args): Promise<void> {
      const call = await steps.finish(hostCall, args)
      if (!call) return
      for (const file of call.files) if (file.after) await recordWritten(file, hostCall)
      await otherFiles.recordChanged(call)
    },

    /** Records a read. If earlier calls on the file are corrected in the history, its output is corrected, too. */
    async finishRead({ tool, sessionID, callID }: HostCall, args: Args, output: string): Promise<void> {
      const [file] = targetsOf(tool, args, directory)
      const saved = file && await readSaved(file.path)
      if (!saved) return
      const { text, realPath: real } = saved
      const last = knownFiles.of(sessionID).get(real)
      const path = knownFiles.pathOf({ path: file.path, real })
      const believed = last?.text === text && formatter.whenOf(path) === 'save' ? last.believed : null
      const mayBeCorrected = believed !== null && (believed !== text || last!.newCalls.length > 0)
      if (!mayBeCorrected || replaceReadOutput(output, args, { shown: text, now: '' }) === null) {
        return knownFiles.recordRead(sessionID, { path, real, text })
      }
      const applied = { raw: believed, changes: [] }
      const call = { ...file, callID, tool, args: { ...args }, before: believed }
      last!.newCalls.push({ ...call, applied, textAfterCall: text, hasForeignChange: false })
      if (last!.state === 'known') last!.state = 'toCompare'
    },
  }
}
