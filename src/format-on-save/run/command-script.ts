/** Converts a person's command to a shell script: the placeholders for the file's path become `$FILE`. */

const PLACEHOLDER = String.raw`\{path\}|\$\{FILE\}|\$FILE(?![A-Za-z0-9_])`
const ESCAPE = String.raw`\\[^]`
const IN_SINGLE_QUOTES = String.raw`'[^']*'`
// Matches `$(realpath "{path}")`, whose quotes are independent of the quotes around it.
const SUBSTITUTION = String.raw`\$\((?:${ESCAPE}|${IN_SINGLE_QUOTES}|"(?:${ESCAPE}|[^"\\])*"|[^()'"\\])*\)`
const IN_DOUBLE_QUOTES = String.raw`"(?:${ESCAPE}|${SUBSTITUTION}|(?!${SUBSTITUTION})[^"\\])*"`

const PARTS = new RegExp(`${ESCAPE}|${IN_SINGLE_QUOTES}|${IN_DOUBLE_QUOTES}|${PLACEHOLDER}`, 'g')
const PLACEHOLDERS = new RegExp(PLACEHOLDER, 'g')
const ESCAPES_AND_PLACEHOLDERS = new RegExp(`${SUBSTITUTION}|${ESCAPE}|${PLACEHOLDER}`, 'g')
const ESCAPES_AND_QUOTED_PLACEHOLDERS = new RegExp(String.raw`(\\"|')?(?:${PLACEHOLDER})\1|${ESCAPE}`, 'g')

// Matches the words before a script for an inner shell, for example `bash -o pipefail -c ` or `su nobody -c `.
const BEFORE_INNER_SCRIPT =
  /(?<![\w.-])(?:(?:[bd]?a|fi|k|z)?sh|flock|runuser|script|su)(?:\s+[^\s'"|&;]+)*?\s+-[a-z]*c\s+$/

/**
 * Replaces placeholders with references to the variable `FILE`, so that the shell never parses a file's name:
 *
 * | placeholder | command | script |
 * | --- | --- | --- |
 * | without quotes | `f {path}` | `f "$FILE"` |
 * | in double quotes | `f "a/{path}"` | `f "a/$FILE"` |
 * | in single quotes | `f 'a/{path}'` | `f 'a/'"$FILE"''` |
 * | in a substitution in double quotes | `f "$(g {path})"` | `f "$(g "$FILE")"` |
 * | in an inner script in double quotes | `sh -c "f {path}"` | `sh -c "f \"\$FILE\""` |
 * | in an inner script in single quotes | `sh -c 'f {path}'` | `sh -c 'f "$FILE"'` |
 */
export const toScript = (command: string): { script: string; hasPlaceholder: boolean } => {
  let hasPlaceholder = false
  const replaceIn = (part: string, placeholdersAndEscapes: RegExp, reference: string): string =>
    part.replace(placeholdersAndEscapes, (match) => {
      if (/^\\[^]$/.test(match)) return match
      if (match.startsWith('$(')) return `$(${scriptOf(match.slice(2, -1))})`
      hasPlaceholder = true
      return reference
    })
  const scriptOf = (text: string): string =>
    text.replace(PARTS, (part, at: number) => {
      const isInnerScript = BEFORE_INNER_SCRIPT.test(text.slice(0, at))
      if (part.startsWith('"')) {
        return isInnerScript
          ? replaceIn(part, ESCAPES_AND_QUOTED_PLACEHOLDERS, '\\"\\$FILE\\"')
          : replaceIn(part, ESCAPES_AND_PLACEHOLDERS, '$FILE')
      }
      if (part.startsWith("'")) {
        return isInnerScript ? `'${scriptOf(part.slice(1, -1))}'` : replaceIn(part, PLACEHOLDERS, `'"$FILE"'`)
      }
      return replaceIn(part, ESCAPES_AND_PLACEHOLDERS, '"$FILE"')
    })
  return { script: scriptOf(command), hasPlaceholder }
}
