/** Rewrites with exact words, case by case: a file, the sources and texts of rules, and the file after the rewrite. */
import type { Mode } from '../../src/rule-schema.ts'

const withBreaks = (words: string): string => words.replaceAll('↵', '\n')

/** The sources of a rule, and its text. */
type Rule = { sources: Array<string>; text: string }

/** Reads a rule as `source => text`, several sources with ` + ` between them. */
const toRule = (rule: string): Rule => {
  const [sources = '', text = ''] = rule.split(' => ')
  return { sources: sources.split(' + ').map(withBreaks), text: withBreaks(text) }
}

/** A file, the rules that replace words of it, and the file after them. */
export type Case = { name: string; before: string; rules: Array<Rule>; after: string; mode?: Mode }

// Four lines for each case: its name (and mode), the text before, the rules with ¦ between them, the text after. ↵ is a
// line end.
const TABLE = `
words within a sentence
  Keep it short, dont ask, and so on.↵
  dont ask => do not ask
  Keep it short, do not ask, and so on.↵
a marker that is in a source but not in its text stays
  * [x] Use tabs↵2) Ask↵## Run↵> Wait↵
  * [x] Use tabs => Use spaces ¦ 2) Ask => Ask Ann ¦ ## Run => Run all ¦ > Wait => Wait here
  * [x] Use spaces↵2) Ask Ann↵## Run all↵> Wait here↵
a full stop or emphasis around a source is not doubled, an ellipsis stays
  **Use tabs**. (ask). Wait.↵↵**Use a** and \`npm\` now. Go! (Run?) Use b. c↵
  Use tabs => Use spaces. ¦ ask => ask Ann. ¦ Wait => Wait... ¦ Use a => **Use d** ¦ npm => \`pnpm\` ¦ Go => Go on. ¦ Run => Run it. ¦ Use b. => Rule: Use e.↵Reason: It is so
  **Use spaces**. (ask Ann). Wait....↵↵**Use d** and \`pnpm\` now. Go on! (Run it?) Use e. It is so. c↵
new items have the gaps of their list, and a text may begin a line of its own
  - Use a, b.↵↵- Ask. Wait.↵
  Use a, b. => Use a. ¦ Use a, b. => - Use b. ¦ Ask. Wait. => Ask. ¦ Ask. Wait. => ↵Wait.
  - Use a.↵↵- Use b.↵↵- Ask.↵  Wait.↵
a paragraph becomes a list, an item at the column that it names
  We like a. Also b.↵↵- C and d↵
  We like a. => - Prefer a. ¦ Also b. => - Do b. ¦ C and d => C:↵  - d↵  - e
  - Prefer a.↵- Do b.↵↵- C:↵  - d↵  - e↵
lines of a text are indented to the content of their item or quotation, code keeps its own indentation
  - Run it↵  > Ask↵- > Go↵- b↵
  Run it => Run:↵\`\`\`sh↵a↵  b↵\`\`\`↵Then c. ¦ Ask => Ask Ann.↵↵Or me. ¦ Go => Go.↵↵Run.
  - Run:↵  \`\`\`sh↵  a↵    b↵  \`\`\`↵  Then c.↵  > Ask Ann.↵  >↵  > Or me.↵- > Go.↵  >↵  > Run.↵- b↵
a text that begins with a line break, or with a marker, does not follow the words before it
  Facts are a. Use b.↵- C. Use d.↵
  Use b. => ↵↵Use b! ¦ Use d. => - Use d!
  Facts are a.↵↵Use b!↵- C.↵- Use d!↵
several sources of a rule: the text replaces the first in the list, the others go with their lines
  - A.↵- B, b. C.↵- D.↵↵E.↵↵F.↵
  D. + A. + b. + E. => d
  - B, C.↵- d↵↵F.↵
markers and emphasis of removed words go, and so do doubled blank lines
  # A↵↵B↵↵- [ ] **C**↵↵> d↵> e↵↵f↵
  B + C + d + f => b
  # A↵↵b↵↵> e↵
a source of two rules gets the text of the rule that names it first
  - A↵- B↵
  A + B => a ¦ B => b
  - a↵- b↵
words over several lines are wrapped at their width, never in code, nor before what begins a block
  > Use one or two words↵> here, and ask \`a b\`↵> then - more. End↵
  Use one or two words here, and ask \`a b\` then - more. => Use no more than one word, and run \`a b c d\` first, so then - more.
  > Use no more than one↵> word, and run↵> \`a b c d\` first, so↵> then - more. End↵
Japanese, German and Hindi
  事実です。使わないこと。次です。↵↵Das ist so. „Nie!“ gilt. Ändre das nicht.↵↵तथ्य है। पुश न करें।↵
  使わないこと。 => 使わない。 ¦ 次です。 => 次。 ¦ Ändre das nicht => Ändere das nicht ¦ पुश न करें => पुश मत करो
  事実です。使わない。次。↵↵Das ist so. „Nie!“ gilt. Ändere das nicht.↵↵तथ्य है। पुश मत करो।↵
labels are removed, and the reason becomes a sentence
  - Use a↵- 使う↵
  Use a => Rule: Use b↵Reason: It is so. ¦ 使う => Rule: 使わない↵Reason: 理由
  - Use b. It is so.↵- 使わない。理由↵
labels stay where the source has them
  Rule: Use a↵Reason: So.↵↵Rule: Ask.↵
  Rule: Use a Reason: So. => Rule: Use b↵Reason: It is. ¦ Ask. => Rule: Ask Ann.
  Rule: Use b↵Reason: It is.↵↵Rule: Ask Ann.↵
verbose keeps the reason on the next line, at the content of its rule [verbose]
  - Use a. Or c.↵
  Use a. Or c. => Rule: Use b.↵Reason: It is so. ¦ Use a. Or c. => Rule: Use d.
  - Use b.↵  Reason: It is so.↵- Use d.↵
concise adds a marker to each text, but not within a line [concise]
  - Use a.↵- Ask. Wait.↵
  Use a. => - Use b. ¦ Wait. => - Wait here.
  - Use b.↵- Ask. Wait here.↵
the same words in several places are told apart by the order of the rules
  - Run it↵- A↵- Run it↵- B↵- Run it↵
  A => a ¦ Run it => run ¦ B => b
  - Run it↵- a↵- run↵- b↵- Run it↵
as many sources as places, or a multiple: the same number for each place
  Do it. Do it.↵
  Do it. => a1 ¦ Do it. => a2 ¦ Do it. => b1 ¦ Do it. => b2
  a1 a2 b1 b2↵
capitals of every script, quotation marks, dashes, hidden characters, accents and Japanese line breaks are ignored
  Use “tabs” – ALWAYS…↵Für\u200Balle!↵↵STRASSE ΣΊΣΥΦΟΣ İİ NIE.↵↵使うこと。必ず↵確認する。↵
  use "tabs" - always... => Use tabs. ¦ Fu\u0308ralle! => x ¦ straße => Weg ¦ σίσυφος => Σ ¦ nie => nicht ¦ 必ず確認する。 => 見る。
  Use tabs.↵x↵↵Weg Σ İİ nicht.↵↵使うこと。見る。↵
emphasis is ignored, and marks that would be left over go with the words
  **Never push** to main, and *ask* first.↵**Use tabs.** Or not.↵_Run_ my_own_x.↵
  Never push to main => Never push ¦ and ask first => ask ¦ Use tabs. Or => Or ¦ Run my_own_x => Run it
  Never push, ask.↵Or not.↵Run it.↵
the same words in code, a comment or frontmatter, or as a part of a word, are not a place
  ---↵a: use a↵---↵\`\`\`↵use a↵\`\`↵\`\`\`↵<!-- use a -->↵use as is, use a↵↵x↵↵    use a↵
  use a => use b
  ---↵a: use a↵---↵\`\`\`↵use a↵\`\`↵\`\`\`↵<!-- use a -->↵use as is, use b↵↵x↵↵    use a↵
a numbered list that is indented like code is text
  # A↵↵    1. Explain that.↵    2. Wait.↵
  Explain that. => Explain it. ¦ Wait. => Wait for Ann.
  # A↵↵    1. Explain it.↵    2. Wait for Ann.↵
a box that a source has without its marker stays
  - [ ] Ask↵- [ ] Wait↵1. [x] Go↵
  [ ] Ask => Ask Ann ¦ [ ] Wait => - [x] Wait here ¦ [x] Go => [ ] Go on
  - [ ] Ask Ann↵- [x] Wait here↵1. [ ] Go on↵
an underlined heading keeps its line, goes as a whole, and is not wrapped
  Run it↵======↵↵Ask me↵------↵↵a↵↵Wait↵----↵↵b↵↵C d↵===↵
  Run it => # Run all ¦ Ask me ------ => ## Ask Ann first ¦ a + Wait => a c ¦ C d === => C d e f
  Run all↵======↵↵## Ask Ann first↵↵a c↵↵b↵↵C d e f↵===↵
a heading and a row of a table have one line, whatever marker a text has
  ## Run it and ask↵↵a | b↵-|-↵Use c, d | e↵f | g↵h | i↵↵Wait.↵
  Run it and ask => - Run it. ¦ Run it and ask => - Ask. ¦ Use c, d => - Use c. ¦ Use c, d => - Use d. ¦ f | g h | i => f and h | g i ¦ Wait. => Wait!
  ## Run it. Ask.↵↵a | b↵-|-↵Use c. Use d. | e↵f and h | g i↵↵Wait!↵
emphasis and a full stop of removed words go with them
  - a↵- **b**.↵- c, **d** \`e\` f↵
  a + b + d + e => a b
  - a b↵- c, f↵
marks of emphasis whose counterpart is not in the source go with the words
  ***Never*** push. Use **tabs and** two. _Ask **Ann and** me_.↵
  Never push. => Do not push. ¦ Use tabs => Use spaces ¦ Ann and me => Bob
  Do not push. Use spaces and two. _Ask Bob_.↵
`.trim().split('\n')

export const CASES: Array<Case> = Array.from({ length: TABLE.length / 4 }, (_, at) => {
  const [name = '', before = '', rules = '', after = ''] = TABLE.slice(4 * at, 4 * at + 4)
  const [, mode] = /\[(\w+)\]$/.exec(name) ?? []
  return {
    name,
    before: withBreaks(before.slice(2)),
    rules: rules.slice(2).split(' ¦ ').map(toRule),
    after: withBreaks(after.slice(2)),
    ...(mode ? { mode: mode as Mode } : {}),
  }
})
