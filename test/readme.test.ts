import { expect } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CHECKOUT, sharedHost } from './host.ts'
import type { Call } from './model.ts'
import { story } from './story.ts'
import { TOOL_NAMES } from './tool-names.ts'

type Example = { call: Call; says: string }

/** The blocks of the README that start with a tool's name and its arguments; the rest is what it answers. */
const examplesIn = (readme: string): Array<Example> =>
  [...readme.matchAll(/^```\n([a-z]+-[a-z]+) (\{.*\})\n([\s\S]*?)^```$/gm)].map((
    [, tool = '', args = '', says = ''],
  ) => ({
    call: { tool, args: JSON.parse(args) as unknown },
    says: says.trimEnd(),
  }))

/** `…` stands for anything. */
const toPattern = (says: string): RegExp =>
  new RegExp(`^${says.split('…').map((part) => RegExp.escape(part)).join('[\\s\\S]*?')}$`)

story('the README: each tool answers as its example says', async () => {
  const file = (name: string) => readFileSync(join(CHECKOUT, name), 'utf8')
  const examples = examplesIn(file('README.md'))
  expect(examples.map(({ call }) => call.tool)).toEqual(TOOL_NAMES)
  const project = (await sharedHost()).project({
    files: { 'AGENTS.md': file('examples/messy-project/AGENTS.md') },
  })
  const { outputs } = await (await project.session()).turn('go', ...examples.map(({ call }) => call))
  examples.forEach(({ says }, index) => expect(outputs[index]?.trimEnd()).toMatch(toPattern(says)))
})
