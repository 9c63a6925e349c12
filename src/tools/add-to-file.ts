import { appendRules } from '../append.ts'
import { findInstructions, type HostView } from '../discover.ts'
import { throwRefusal } from '../host/permissions.ts'
import { namedPaths } from '../instructions/named-paths.ts'
import { isInside, resolvePath } from '../paths/boundary.ts'
import { markName } from '../text/hidden-characters.ts'
import { pluralize } from '../text/pluralize.ts'
import type { WriteContext } from '../writing/write-context.ts'
import { answer, type ToolAnswer } from './define-tool.ts'
import type { RulesToWrite } from './rules-to-write.ts'

const CHANGED_BEFORE =
  'The rules stand after a text that discover-rules has not shown as it is now: call discover-rules to see the whole.'

/** Gives the file to add to where the call names none: the project's own first. */
export const ownFile = async (
  { discovered, place }: WriteContext,
  host: HostView,
): Promise<Array<string>> => {
  const shown = discovered.paths()
  const own = shown.find((path) => isInside(place, path))
  if (own !== undefined) return [own]
  const { paths } = await findInstructions(place.directory, host)
  const unshown = paths.find((path) => isInside(place, path))
  return unshown === undefined ? shown.slice(0, 1) : [unshown]
}

const ONE_FILE = 'Nothing was added: "file" names more than one file. Call add-rules once for each.'

/**
 * Adds rules to the one file that a call names.
 *
 * @throws PermissionRefused where a permission was refused
 */
export const addToFile = async (
  writeContext: WriteContext,
  { rules, mode, notes }: RulesToWrite,
  file: string | Array<string>,
): Promise<ToolAnswer> => {
  const { directory } = writeContext.place
  const named = await namedPaths(directory, file)
  const [spelling = ''] = named.data ?? []
  if (named.error !== null || named.data.length > 1) return answer('nothing added', ONE_FILE)
  const target = resolvePath(directory, spelling)
  if (target.error !== null) return answer('nothing added', `Nothing was added: ${target.error}`)
  const added = await appendRules({ filePath: target.data, rules, mode, writeContext })
  if (added.status !== 'success') {
    throwRefusal([added])
    return answer('nothing added', `Nothing was added to ${markName(target.data)}: ${added.error}`)
  }
  const said = `Added ${rules.length} rule(s) to ${markName(target.data)}`
  const unknown = added.isKnown ? [] : [CHANGED_BEFORE]
  return answer(pluralize(rules.length, 'rule'), [said, ...unknown, ...notes].join('\n\n'), {
    files: [target.data],
  })
}
