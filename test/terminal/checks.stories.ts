import { expect } from 'bun:test'
import { edit, write } from '../formatting/session.ts'
import { CHECKOUT, sharedHost } from '../harness/host.ts'
import { close, command, KEYS, openTerminal, search, showsAll, terminalStory } from '../harness/terminal.ts'

const FILES = {
  '.opencode/rules/no-any.md': "---\nforbid: ':\\s*any\\b'\nrequire: ^let\n---\nNever use `any`.\n",
  '.opencode/rules/wrong.md': "---\nforbid: 'a'\nbad: b\n---\nWRONG\n",
  '.opencode/tui.json': JSON.stringify({ plugin: [CHECKOUT] }),
}

/** How bright a colour is, from 0 to 3 × 255. */
const brightness = (colour: number): number => (colour >> 16) + ((colour >> 8) & 255) + (colour & 255)

terminalStory('a line that breaks a rule stands in the sidebar and in /rules until it is gone', async () => {
  const host = await sharedHost()
  const project = host.project({ files: FILES })
  const session = await project.session()
  const lines = `${'let a\n'.repeat(10)}let x: any\n`
  await session.turn('go', write(project, 'src/a.ts', lines), 'the end')
  await using terminal = await openTerminal(host, project, {
    session: session.id,
    attached: true,
    isLight: true,
  })
  await showsAll(terminal, [/! no-any src\/a\.ts:11/, /! wrong\.md:3 not checked/, /• no-any always +~/])
  const [fault, name, why] = [/! no-any/, /• no-any/, /always +~/].map(terminal.colourOf)
  expect(new Set([fault, name, why]).size).toBe(3)
  // On a light screen all is dark; what is muted is grey on each.
  for (const colour of [fault, name]) expect(brightness(colour!)).toBeLessThan(400)
  await command(terminal, '/rules', /Which rules are in force/)
  await terminal.shows(/Breaks a rule.*\n.*no-any src\/a\.ts:11 let x: any/)
  expect(brightness(terminal.colourOf(/Rules of this session/))).toBeLessThan(400)
  await search(terminal, 'a.ts:11', /Not checked/)
  terminal.type(KEYS.enter)
  // The file from a little above the line on.
  await showsAll(terminal, [
    /It breaks no-any: let x: any/,
    /let a\n[^\n]*let a\n[^\n]*let a\n[^\n]*let x: any/,
  ])
  await close(terminal, /It breaks no-any/)
  await close(terminal, /Breaks a rule/)

  // The person mends it, and looks again.
  project.write('src/a.ts', 'let x\n')
  await command(terminal, '/rules', /Which rules are in force/)
  await terminal.shows(/Not checked.*\n.*wrong\.md:3 this bad example is not hit/)
  await terminal.hides(/no-any src/)
  await close(terminal, /Not checked/)
  const worse = edit(project, 'src/a.ts', 'let x', 'let x: any\nlet y: any')
  await session.turn('go', [worse, write(project, 'src/b.ts', 'const b\n')], 'the end')
  await terminal.shows(/! no-any src\/a\.ts:1[^]*! no-any src\/a\.ts:2[^]*! no-any src\/b\.ts/)
  expect(terminal.screen()).not.toContain('a.ts:11')
  project.write('src/b.ts', 'let b\n')
  await command(terminal, '/rules', /Which rules are in force/)
  await terminal.hides(/no-any src\/b/)
}, 1)
