/** @jsxImportSource @opentui/solid */
import type { TuiDialogSelectOption, TuiPluginApi } from '@opencode-ai/plugin/tui'
import { readFile } from 'node:fs/promises'
import { isAbsolute, join, relative } from 'node:path'
import { markName } from '../text/hidden-characters.ts'
import { cutPath, type SessionView, tokensOf, whyOf } from './session-view.ts'
import { showText } from './text-dialog.tsx'

/** What Enter shows: the text of a file, under a title and a note. */
type Entry = { title: string; path: string; note: string }

// The host cuts a line at its end, where the name of the file is.
const WHY_WIDTH = 32

type Option = TuiDialogSelectOption<Entry>

const inForceOptions = ({ inForce }: SessionView): Array<Option> =>
  inForce.map((rule) => {
    const since = (file: string) => (rule.why === 'file' ? `since ${file}` : 'always')
    const short = since(cutPath(whyOf(rule), WHY_WIDTH))
    return {
      title: rule.name,
      description: rule.description ? `${short}; ${rule.description}` : short,
      category: 'In force',
      footer: `${tokensOf(rule.bytes)} tokens`,
      value: { title: rule.name, path: rule.path, note: `In force: ${since(whyOf(rule))}.` },
    }
  })

const waitingOptions = ({ waiting }: SessionView): Array<Option> =>
  waiting.map(({ name, path, globs, description }) => ({
    title: name,
    description: [globs.join(', '), description].filter(Boolean).join('; '),
    category: 'Waiting for a file',
    value: { title: name, path, note: `Joins when a file in the session matches ${globs.join(', ')}.` },
  }))

const offeredOptions = ({ offered }: SessionView): Array<Option> =>
  offered.map(({ name, path, description }) => ({
    title: name,
    description,
    category: 'Offered to the model by its description',
    value: { title: name, path, note: `The model reads it where this applies: ${description}` },
  }))

const otherAgentsOptions = ({ otherAgents }: SessionView): Array<Option> =>
  otherAgents.map(({ name, path, agents }) => ({
    title: name,
    description: `for ${agents.join(', ')}`,
    category: 'For other agents',
    value: { title: name, path, note: `Not in force: it is for ${agents.join(', ')}.` },
  }))

const leftOutOptions = ({ leftOut }: SessionView): Array<Option> =>
  leftOut.map(({ path, line, reason }) => {
    const place = line === undefined ? path : `${path}:${line}`
    return {
      title: place,
      description: reason,
      category: 'Left out',
      value: { title: place, path, note: `Left out: ${reason}` },
    }
  })

const hostOptions = ({ instructions, folders }: SessionView): Array<Option> => [
  ...instructions.map(({ path }) => ({
    title: path,
    category: 'From OpenCode itself',
    value: { title: path, path, note: 'An instruction file that OpenCode sends itself.' },
  })),
  ...folders.map((path) => ({
    title: path,
    description: 'name it in rules.directories to have it read',
    category: "Other tools' folders, not read",
    value: { title: path, path, note: '' },
  })),
]

const NONE = [
  'No rules were sent to this session: they go with its first message.',
  'They are read from .opencode/rules and the folders in rules.directories.',
]

/** Makes the entries of the list, in their order. */
const optionsOf = (view: SessionView): Array<Option> => [
  ...inForceOptions(view),
  ...waitingOptions(view),
  ...offeredOptions(view),
  ...otherAgentsOptions(view),
  ...leftOutOptions(view),
  ...hostOptions(view),
]

const absolute = (directory: string, path: string): string => isAbsolute(path) ? path : join(directory, path)

/** Shortens a path inside the project to the path from there; any other stays. */
const shortPath = (directory: string, path: string): string => {
  const inside = relative(directory, path)
  return inside === '' || inside.startsWith('..') || isAbsolute(inside) ? path : inside
}

const showEntry = async (api: TuiPluginApi, { title, path, note }: Entry): Promise<void> => {
  const { textMuted, warning } = api.theme.current
  const text = await readFile(path, 'utf8').catch((thrown: Error) => thrown)
  const isRead = typeof text === 'string'
  const lines = isRead ? text.trimEnd().split(/\r?\n/).map((line) => ({ text: line })) : [
    { text: `It cannot be read now: ${text.message}`, fg: warning },
  ]
  const { directory } = api.state.path
  showText(api, title, [
    ...(note === '' ? [] : [{ text: note, fg: textMuted }]),
    { text: shortPath(directory, path), fg: textMuted },
    { text: '' },
    ...lines,
  ])
}

/**
 * Opens the list of a session's rules; Enter shows the text of one.
 *
 * @param folders the other tools' rule folders that are there, named where the session has no rules yet
 */
export const showRules = (api: TuiPluginApi, view: SessionView | null, folders: Array<string>): void => {
  const { directory, worktree } = api.state.path
  const options = view === null ? [] : optionsOf(view)
  if (options.length === 0) {
    const others = folders.map((path) => `There is ${shortPath(directory, path)}, another tool's.`)
    showText(api, 'Rules of this session', [...NONE, ...others].map((text) => ({ text })))
    return
  }
  const shown = options.map((option) => ({
    ...option,
    title: markName(shortPath(directory, option.title)),
    value: { ...option.value, path: absolute(worktree || directory, option.value.path) },
  }))
  api.ui.dialog.replace(() => (
    <api.ui.DialogSelect
      title='Rules of this session'
      placeholder='Search rules'
      options={shown}
      onSelect={(option: Option) => void showEntry(api, option.value)}
    />
  ))
  api.ui.dialog.setSize('large')
}
