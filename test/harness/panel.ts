/** Provides data for the unit tests of `src/tui`: an empty panel, and rules. */
import type { PanelRule } from '../../src/host/panel-schema.ts'

export const EMPTY_PANEL = {
  rules: [],
  joined: [],
  leftOut: [],
  broken: [],
  faults: [],
  instructions: [],
  folders: [],
}

export const ruleNamed = (name: string, fields: Partial<PanelRule> = {}): PanelRule => ({
  name,
  path: `${name}.md`,
  kind: 'always',
  bytes: 8,
  ...fields,
})
