import { expect } from 'bun:test'
import { join } from 'node:path'
import { CHECKOUT } from '../harness/host.ts'
import { story } from '../harness/story.ts'
import { edit, startWith, write } from './session.ts'

const lsp = {
  words: {
    command: [process.execPath, join(import.meta.dirname, 'language-server.mjs')],
    extensions: ['.js', '.ts'],
  },
}

/** Puts each statement on a line of its own. */
const LINES = "sed -i 's/; *\\(.\\)/;\\n\\1/g' {path}"

/** The errors that a text has, as the language server of the stories finds them and the host writes them. */
const errorsIn = (text: string): Array<string> =>
  text.split('\n').flatMap((line, index) =>
    [...line.matchAll(/WRONG\w*/g)].map((found) =>
      `ERROR [${index + 1}:${found.index + 1}] ${found[0]} is wrong`
    )
  )

const errorsSaid = (output: string): Array<string> => output.match(/^ERROR .*$/gm) ?? []

story('errors of language servers name the lines of the formatted file', async () => {
  const { project, session } = await startWith({
    lsp,
    plugin: [[CHECKOUT, { format_on_save: { '*.js': LINES } }]],
  })
  const turn = await session.turn(
    'go',
    write(project, 'a.js', 'a; b; WRONG;\nc; WRONGER;\n'),
    edit(project, 'a.js', 'c;', 'c; d; WRONGEST;'),
  )
  const text = await project.read('a.js')
  expect(errorsSaid(turn.outputs[0]!)).toEqual(['ERROR [3:1] WRONG is wrong', 'ERROR [5:1] WRONGER is wrong'])
  expect(errorsSaid(turn.outputs[1]!)).toEqual(errorsIn(text))
  const { diagnostics } = turn.tools[1]!.state.metadata as {
    diagnostics: Record<string, Array<{ range: { start: { line: number } }; message: string }>>
  }
  const lines = text.split('\n')
  for (const { range, message } of diagnostics[project.path('a.js')]!) {
    expect(`${lines[range.start.line]!.replace(';', '')} is wrong`).toBe(message)
  }
})
