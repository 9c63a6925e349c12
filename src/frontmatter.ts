/** A text in two: its frontmatter with the `---` lines around it (empty where there is none), and the rest. */
export type SplitText = { frontmatter: string; body: string }

const BLOCK = /^---[ \t]*\r?\n(?:([\s\S]*?)\r?\n)?---[ \t]*(?:\r?\n|$)/

// Two rulers with prose between them are no frontmatter: in YAML's block style a line is a key, an item, a comment,
// or it is indented under one.
const isYamlLine = (line: string): boolean =>
  /^(?:\s.*|#.*|-(?:\s.*)?|["']?[\w$.-]+["']?\s*:(?:\s.*)?)?$/.test(line)

/** Splits a text at the end of its frontmatter (spec.md, Frontmatter is not a rule). */
export const splitFrontmatter = (text: string): SplitText => {
  const found = BLOCK.exec(text)
  if (!found || !(found[1] ?? '').split(/\r?\n/).every(isYamlLine)) return { frontmatter: '', body: text }
  return { frontmatter: found[0], body: text.slice(found[0].length) }
}
