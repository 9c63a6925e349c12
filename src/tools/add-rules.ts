import type { ToolDefinition } from '@opencode-ai/plugin'
import { appendRules } from '../append.ts'
import { findInstructions, type HostView } from '../discover.ts'
import { hostViewOf } from '../host/instruction-files.ts'
import { namedPaths } from '../instructions/named-paths.ts'
import { isInside, resolvePath } from '../paths/boundary.ts'
import { FormatResponseSchema } from '../rule-schema.ts'
import { markName } from '../text/hidden-characters.ts'
import { pluralize } from '../text/pluralize.ts'
import { throwRefusal } from '../writing/ask-permission.ts'
import type { WriteContext } from '../writing/write-context.ts'
import { inCallOrder } from './call-order.ts'
import { answer, defineTool, json, optional, paths, type ToolAnswer } from './define-tool.ts'
import { FILE_ARG, OPTIONAL_RULES_SHOWN } from './descriptions.ts'
import { nothingDiscovered, type RewriteToolOptions, SAME_MODE } from './rewrite-rules.ts'
import { rulesToAdd, type RulesToWrite } from './rules-to-write.ts'

/** What add-rules is made from. */
export type AddToolOptions = RewriteToolOptions

const CHANGED_BEFORE =
  'The rules stand after a text that discover-rules has not shown as it is now: call discover-rules to see the whole.'

const ONE_FILE = 'Nothing was added: "file" names more than one file. Call add-rules once for each.'

/** Gives the file to add to where the call names none: the project's own first. */
const ownFile = async ({ discovered, place }: WriteContext, host: HostView): Promise<Array<string>> => {
  const shown = discovered.paths()
  const own = shown.find((path) => isInside(place, path))
  if (own !== undefined) return [own]
  const { paths } = await findInstructions(place.directory, host)
  const unshown = paths.find((path) => isInside(place, path))
  return unshown === undefined ? shown.slice(0, 1) : [unshown]
}

/**
 * Adds rules to the one file that a call names.
 *
 * @throws PermissionRefused where a permission was refused
 */
const addToFile = async (
  writeContext: WriteContext,
  { rules, mode, notes }: RulesToWrite,
  file: string | Array<string>,
): Promise<ToolAnswer> => {
  const { directory } = writeContext.place
  const named = await namedPaths(directory, file)
  const [spelling = '', ...others] = named.data ?? []
  if (named.error !== null || others.length > 0) return answer('nothing added', ONE_FILE)
  const target = resolvePath(directory, spelling)
  if (target.error !== null) return answer('nothing added', `Nothing was added: ${target.error}`)
  const filePath = target.data
  const added = await appendRules({ filePath, rules, mode, writeContext })
  if (added.status !== 'success') {
    throwRefusal([added])
    return answer('nothing added', `Nothing was added to ${markName(filePath)}: ${added.error}`)
  }
  const said = `Added ${rules.length} rule(s) to ${markName(filePath)}`
  const output = [said, ...(added.isKnown ? [] : [CHANGED_BEFORE]), ...notes].join('\n\n')
  return answer(pluralize(rules.length, 'rule'), output, { files: [filePath] })
}

/** Makes add-rules, which adds rules after what is in an instruction file. */
export const createAddTool = (
  { description, sessions, config, ...options }: AddToolOptions,
): ToolDefinition =>
  defineTool({
    description,
    args: {
      rules: optional(json(FormatResponseSchema, OPTIONAL_RULES_SHOWN)),
      file: optional(paths(FILE_ARG)),
      mode: optional(SAME_MODE),
    },
    execute: ({ rules, file, mode }, context) =>
      inCallOrder(options, context, async (writeContext) => {
        if (writeContext.discovered.paths().length === 0) return nothingDiscovered()
        const toAdd = rulesToAdd(sessions.of(context.sessionID), { rules: rules?.rules, mode })
        if (toAdd.error !== null) return answer('no rules', toAdd.error)
        const target = file ?? await ownFile(writeContext, hostViewOf(context, config?.()))
        return addToFile(writeContext, toAdd.data, target)
      }),
  })
