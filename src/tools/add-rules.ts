/** The tool add-rules: adds rules to an instruction file, and shows the new lines. */
import type { ToolDefinition } from '@opencode-ai/plugin'
import { relative } from 'node:path'
import * as z from 'zod'
import { type AddedLine, appendRules } from '../append.ts'
import { namedPaths } from '../instructions/named-paths.ts'
import { isInProject, resolvePath, withSlashes } from '../paths/boundary.ts'
import { realPathOrSelf } from '../paths/real-path.ts'
import { FormatResponseSchema, ModeSchema } from '../rule-schema.ts'
import { fail, ok, type Result } from '../safe.ts'
import { markName } from '../text/hidden-characters.ts'
import { pluralize } from '../text/pluralize.ts'
import { excerpt, firstLines } from '../text/quoted-name.ts'
import { throwIfRefused } from '../writing/ask-host.ts'
import { runWriterInTurn, type WriterContext } from './call-order.ts'
import { answer, argument, defineTool, pathsArgument } from './define-tool.ts'
import { ARGUMENTS } from './descriptions.ts'
import { inCode, joinFirst } from './notes.ts'
import type { DiscoverToolOptions } from './pipeline-state.ts'
import { NOTHING_DISCOVERED } from './rewrite-rules.ts'
import { rulesToWrite } from './rules-to-write.ts'

const ONE_FILE = '"file" names more than one file. Call add-rules once for each file.'

const defaultFile = async ({ discovered, workspace, find }: WriterContext): Promise<string> => {
  const isHere = (path: string) => isInProject(workspace, path)
  const shown = discovered.paths()
  const loaded = (await Promise.all((await find()).paths.map(realPathOrSelf))).filter(isHere)
  return loaded.find((path) => shown.includes(path)) ?? shown.find(isHere) ?? loaded[0] ?? shown[0]!
}

const namedFile = async (
  { workspace: { directory } }: WriterContext,
  file: string | Array<string>,
): Promise<Result<string>> => {
  const named = await namedPaths(directory, file)
  // `namedPaths` fails only if there are too many paths.
  if (named.error !== null || named.data.length > 1) return fail(ONE_FILE)
  return resolvePath(directory, named.data[0] ?? '')
}

// Example: `AGENTS.md:24: - Run the tests.`
const formatLines = (path: string, lines: Array<AddedLine>): string => {
  const name = markName(withSlashes(path))
  return firstLines(lines.map(({ line, text }) => `${name}:${line}: ${excerpt(text.trim())}`)).join('\n')
}

export const createAddTool = (options: DiscoverToolOptions): ToolDefinition =>
  defineTool({
    description: options.description,
    args: {
      rules: argument(FormatResponseSchema.optional()),
      file: pathsArgument(ARGUMENTS.fileToAddTo),
      after: argument(z.string().optional().describe(ARGUMENTS.after)),
      mode: argument(ModeSchema.optional()),
    },
    execute: ({ file, after, ...args }, context) =>
      runWriterInTurn(options, context, async (writer) => {
        if (writer.discovered.paths().length === 0) return NOTHING_DISCOVERED
        const toAdd = rulesToWrite(writer.session, { rules: args.rules?.rules, mode: args.mode })
        if (toAdd.error !== null) return answer('no rules', toAdd.error)
        const { rules, mode, notes } = toAdd.data
        const target = file === undefined ? ok(await defaultFile(writer)) : await namedFile(writer, file)
        if (target.error !== null) return answer('nothing added', `Nothing was added: ${target.error}`)
        const filePath = target.data
        const name = markName(filePath)
        const added = await appendRules({ filePath, rules, mode, after, writeContext: writer })
        if (added.status !== 'success') {
          throwIfRefused([added])
          return answer('nothing added', `Nothing was added to ${name}: ${added.error}`)
        }
        const { rulesCount, present } = added
        const names = joinFirst(present.map(inCode))
        const leftOut = names === ''
          ? []
          : [`Not added, because the file already has these rules (reasons are not compared): ${names}`]
        const lines = formatLines(relative(writer.workspace.directory, filePath), added.lines)
        writer.show(lines)
        const output = [`Added ${rulesCount} rule(s) to ${name}`, lines, ...leftOut, ...notes]
        return answer(pluralize(rulesCount, 'rule'), output.join('\n\n'))
      }),
  })
