/** Cases of rewrites: a file, rules whose texts replace words of it (their sources), and the file after the rewrite. */
import type { Mode } from '../../src/rule-schema.ts'

const withBreaks = (words: string): string => words.replaceAll('↵', '\n')

/** The sources of a rule, and its text. */
type Rule = { sources: Array<string>; text: string }

/** Reads a rule from `source => text`; several sources have ` + ` between them. */
const toRule = (rule: string): Rule => {
  const [sources = '', text = ''] = rule.split(' => ')
  return { sources: sources.split(' + ').map(withBreaks), text: withBreaks(text) }
}

/** The text of a file before and after a rewrite, and the rules that are written in the given mode. */
export type Case = { name: string; before: string; rules: Array<Rule>; after: string; mode?: Mode }

// Four lines for each case: its name (and mode, as in `[concise]`), the text before, the rules with ¦ between them, the
// text after. ↵ is a line break.
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
new items are separated like the other items of their list; a text may begin with a line break
  - Use a, b.↵↵- Ask. Wait.↵
  Use a, b. => Use a. ¦ Use a, b. => - Use b. ¦ Ask. Wait. => Ask. ¦ Ask. Wait. => ↵Wait.
  - Use a.↵↵- Use b.↵↵- Ask.↵  Wait.↵
a paragraph becomes a list; the items within a text keep their columns
  We like a. Also b.↵↵- C and d↵
  We like a. => - Prefer a. ¦ Also b. => - Do b. ¦ C and d => C:↵  - d↵  - e
  - Prefer a.↵- Do b.↵↵- C:↵  - d↵  - e↵
lines of a text are indented to the content of their item or quotation; code also keeps its own indentation
  - Run it↵  > Ask↵- > Go↵- b↵
  Run it => Run:↵\`\`\`sh↵a↵  b↵\`\`\`↵Then c. ¦ Ask => Ask Ann.↵↵Or me. ¦ Go => Go.↵↵Run.
  - Run:↵  \`\`\`sh↵  a↵    b↵  \`\`\`↵  Then c.↵  > Ask Ann.↵  >↵  > Or me.↵- > Go.↵  >↵  > Run.↵- b↵
a text that begins with a line break or a marker is not on the line of the words before it
  Facts are a. Use b.↵- C. Use d.↵
  Use b. => ↵↵Use b! ¦ Use d. => - Use d!
  Facts are a.↵↵Use b!↵- C.↵- Use d!↵
of several sources of a rule, the text replaces the one named first; the others are removed
  - A.↵- B, b. C.↵- D.↵↵E.↵↵F.↵
  D. + A. + b. + E. => d
  - B, C.↵- d↵↵F.↵
the markers and emphasis of removed words are removed, and so are doubled blank lines
  # A↵↵B↵↵- [ ] **C**↵↵> d↵> e↵↵f↵
  B + C + d + f => b
  # A↵↵b↵↵> e↵
words that are a source of two rules get the text of the rule whose first source they are
  - A↵- B↵
  A + B => a ¦ B => b
  - a↵- b↵
a text in place of several lines is wrapped at their width, but not in code or before what would begin a block
  > Use one or two words↵> here, and ask \`a b\`↵> then - more. End↵
  Use one or two words here, and ask \`a b\` then - more. => Use no more than one word, and run \`a b c d\` first, so then - more.
  > Use no more than one↵> word, and run↵> \`a b c d\` first, so↵> then - more. End↵
Japanese, German and Hindi
  事実です。使わないこと。次です。↵↵Das ist so. „Nie!“ gilt. Ändre das nicht.↵↵तथ्य है। पुश न करें।↵
  使わないこと。 => 使わない。 ¦ 次です。 => 次。 ¦ Ändre das nicht => Ändere das nicht ¦ पुश न करें => पुश मत करो
  事実です。使わない。次。↵↵Das ist so. „Nie!“ gilt. Ändere das nicht.↵↵तथ्य है। पुश मत करो।↵
the labels "Rule:" and "Reason:" are removed, and the reason follows as a sentence
  - Use a↵- 使う↵
  Use a => Rule: Use b↵Reason: It is so. ¦ 使う => Rule: 使わない↵Reason: 理由
  - Use b. It is so.↵- 使わない。理由↵
labels stay where the source has them
  Rule: Use a↵Reason: So.↵↵Rule: Ask.↵
  Rule: Use a Reason: So. => Rule: Use b↵Reason: It is. ¦ Ask. => Rule: Ask Ann.
  Rule: Use b↵Reason: It is.↵↵Rule: Ask Ann.↵
verbose keeps the reason on a line of its own, indented to the content of the item [verbose]
  - Use a. Or c.↵
  Use a. Or c. => Rule: Use b.↵Reason: It is so. ¦ Use a. Or c. => Rule: Use d.
  - Use b.↵  Reason: It is so.↵- Use d.↵
in concise, the marker of a text is not inserted within a line [concise]
  - Use a.↵- Ask. Wait.↵
  Use a. => - Use b. ¦ Wait. => - Wait here.
  - Use b.↵- Ask. Wait here.↵
the same words in several places are told apart by the order of the rules
  - Run it↵- A↵- Run it↵- B↵- Run it↵
  A => a ¦ Run it => run ¦ B => b
  - Run it↵- a↵- run↵- b↵- Run it↵
four sources with the words of two places: each place gets two texts
  Do it. Do it.↵
  Do it. => a1 ¦ Do it. => a2 ¦ Do it. => b1 ¦ Do it. => b2
  a1 a2 b1 b2↵
a source may differ in capitals, quotation marks, dashes, hidden characters, Unicode form and Japanese line breaks
  Use “tabs” – ALWAYS…↵Für\u200Balle!↵↵STRASSE ΣΊΣΥΦΟΣ İİ NIE.↵↵使うこと。必ず↵確認する。↵
  use "tabs" - always... => Use tabs. ¦ Fu\u0308ralle! => x ¦ straße => Weg ¦ σίσυφος => Σ ¦ nie => nicht ¦ 必ず確認する。 => 見る。
  Use tabs.↵x↵↵Weg Σ İİ nicht.↵↵使うこと。見る。↵
a source may lack the emphasis of its words; marks that would be left over are removed
  **Never push** to main, and *ask* first.↵**Use tabs.** Or not.↵_Run_ my_own_x.↵
  Never push to main => Never push ¦ and ask first => ask ¦ Use tabs. Or => Or ¦ Run my_own_x => Run it
  Never push, ask.↵Or not.↵Run it.↵
the same words in code, a comment or frontmatter, or ending within a longer word, are not replaced
  ---↵a: use a↵---↵\`\`\`↵use a↵\`\`↵\`\`\`↵<!-- use a -->↵use as is, use a↵↵x↵↵    use a↵
  use a => use b
  ---↵a: use a↵---↵\`\`\`↵use a↵\`\`↵\`\`\`↵<!-- use a -->↵use as is, use b↵↵x↵↵    use a↵
a numbered list that is indented like code is text
  # A↵↵    1. Explain that.↵    2. Wait.↵
  Explain that. => Explain it. ¦ Wait. => Wait for Ann.
  # A↵↵    1. Explain it.↵    2. Wait for Ann.↵
a checkbox that a source names without its list marker stays unless the text has one
  - [ ] Ask↵- [ ] Wait↵1. [x] Go↵
  [ ] Ask => Ask Ann ¦ [ ] Wait => - [x] Wait here ¦ [x] Go => [ ] Go on
  - [ ] Ask Ann↵- [x] Wait here↵1. [ ] Go on↵
an underlined heading keeps its underline, is removed as a whole, and is not wrapped
  Run it↵======↵↵Ask me↵------↵↵a↵↵Wait↵----↵↵b↵↵C d↵===↵
  Run it => # Run all ¦ Ask me ------ => ## Ask Ann first ¦ a + Wait => a c ¦ C d === => C d e f
  Run all↵======↵↵## Ask Ann first↵↵a c↵↵b↵↵C d e f↵===↵
texts in a heading or a table row stay on its one line, whatever markers they have
  ## Run it and ask↵↵a | b↵-|-↵Use c, d | e↵f | g↵h | i↵↵Wait.↵
  Run it and ask => - Run it. ¦ Run it and ask => - Ask. ¦ Use c, d => - Use c. ¦ Use c, d => - Use d. ¦ f | g h | i => f and h | g i ¦ Wait. => Wait!
  ## Run it. Ask.↵↵a | b↵-|-↵Use c. Use d. | e↵f and h | g i↵↵Wait!↵
the emphasis and the full stop of removed words are removed, too
  - a↵- **b**.↵- c, **d** \`e\` f↵
  a + b + d + e => a b
  - a b↵- c, f↵
an emphasis mark in a source is removed together with its counterpart outside of the source
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
