/** Cases of rewrites: each rule names words of a file (sources), which the rule's text replaces. */
import type { Mode } from '../../src/rule-schema.ts'

/** A rule's text replaces the first of its sources; the others are removed. */
type Rule = { sources: Array<string>; text: string }

export type Case = { name: string; before: string; rules: Array<Rule>; after: string; mode: Mode | undefined }

// Each case has four lines, in which ↵ is a line break:
//
//   name of the case, with the mode in brackets if it matters [concise]
//     text of the file before
//     source => text of a rule ¦ first source + second source => text of another rule
//     text of the file after

const TEXT = `
words within a sentence are replaced
  Keep it short, dont ask, and so on.↵
  dont ask => do not ask
  Keep it short, do not ask, and so on.↵
words in Japanese, German and Hindi are replaced
  事実です。使わないこと。次です。↵↵Das ist so. „Nie!“ gilt. Ändre das nicht.↵↵तथ्य है। पुश न करें।↵
  使わないこと。 => 使わない。 ¦ 次です。 => 次。 ¦ Ändre das nicht => Ändere das nicht ¦ पुश न करें => पुश मत करो
  事実です。使わない。次。↵↵Das ist so. „Nie!“ gilt. Ändere das nicht.↵↵तथ्य है। पुश मत करो।↵
a source may differ in capitals, punctuation, hidden characters, Unicode form, line breaks
  Use “tabs” – ALWAYS…↵Für\u200Balle!↵↵STRASSE ΣΊΣΥΦΟΣ İİ NIE.↵↵使うこと。必ず↵確認する。↵
  use "tabs" - always... => Use tabs. ¦ Fu\u0308ralle! => x ¦ straße => Weg ¦ σίσυφος => Σ ¦ nie => nicht ¦ 必ず確認する。 => 見る。
  Use tabs.↵x↵↵Weg Σ İİ nicht.↵↵使うこと。見る。↵
only whole words are replaced, and only outside of code, comments and frontmatter
  ---↵a: use a↵---↵\`\`\`↵use a↵\`\`↵\`\`\`↵<!-- use a -->↵use as is, use a↵↵x↵↵    use a↵
  use a => use b
  ---↵a: use a↵---↵\`\`\`↵use a↵\`\`↵\`\`\`↵<!-- use a -->↵use as is, use b↵↵x↵↵    use a↵
words of a numbered list that is indented like code are replaced
  # A↵↵    1. Explain that.↵    2. Wait.↵
  Explain that. => Explain it. ¦ Wait. => Wait for Ann.
  # A↵↵    1. Explain it.↵    2. Wait for Ann.↵
if a source is in several places, the order of the rules decides which place is meant
  - Run it↵- A↵- Run it↵- B↵- Run it↵
  A => a ¦ Run it => run ¦ B => b
  - Run it↵- a↵- run↵- b↵- Run it↵
if four rules share a source that is in two places, each place gets two texts, in order
  Do it. Do it.↵
  Do it. => a1 ¦ Do it. => a2 ¦ Do it. => b1 ¦ Do it. => b2
  a1 a2 b1 b2↵

a text replaces the source that its rule names first; the other sources are removed
  - A.↵- B, b. C.↵- D.↵↵E.↵↵F.↵
  D. + A. + b. + E. => d
  - B, C.↵- d↵↵F.↵
words that two rules name are replaced by the rule that has them as its first source
  - A↵- B↵
  A + B => a ¦ B => b
  - a↵- b↵
the markers and emphasis of removed words are removed, and so are doubled blank lines
  # A↵↵B↵↵- [ ] **C**↵↵> d↵> e↵↵f↵
  B + C + d + f => b
  # A↵↵b↵↵> e↵
within a line, the emphasis and the full stop of removed words are removed
  - a↵- **b**.↵- c, **d** \`e\` f↵
  a + b + d + e => a b
  - a b↵- c, f↵

a full stop or emphasis in both file and text is not doubled, but after the text "Wait..." the full stop stays
  **Use tabs**. (ask). Wait.↵↵**Use a** and \`npm\` now. Go! (Run?) Use b. c↵
  Use tabs => Use spaces. ¦ ask => ask Ann. ¦ Wait => Wait... ¦ Use a => **Use d** ¦ npm => \`pnpm\` ¦ Go => Go on. ¦ Run => Run it. ¦ Use b. => Rule: Use e.↵Reason: It is so
  **Use spaces**. (ask Ann). Wait....↵↵**Use d** and \`pnpm\` now. Go on! (Run it?) Use e. It is so. c↵
a source may omit the emphasis of its words; marks that would be left over are removed
  **Never push** to main, and *ask* first.↵**Use tabs.** Or not.↵_Run_ my_own_x.↵
  Never push to main => Never push ¦ and ask first => ask ¦ Use tabs. Or => Or ¦ Run my_own_x => Run it
  Never push, ask.↵Or not.↵Run it.↵
if a source's words contain only one of the two marks of an emphasis, both marks are removed
  ***Never*** push. Use **tabs and** two. _Ask **Ann and** me_.↵
  Never push. => Do not push. ¦ Use tabs => Use spaces ¦ Ann and me => Bob
  Do not push. Use spaces and two. _Ask Bob_.↵

a marker that is in a source but not in the rule's text stays
  * [x] Use tabs↵2) Ask↵## Run↵> Wait↵
  * [x] Use tabs => Use spaces ¦ 2) Ask => Ask Ann ¦ ## Run => Run all ¦ > Wait => Wait here
  * [x] Use spaces↵2) Ask Ann↵## Run all↵> Wait here↵
a source that begins at a checkbox keeps it, unless the rule's text has a checkbox
  - [ ] Ask↵- [ ] Wait↵1. [x] Go↵
  [ ] Ask => Ask Ann ¦ [ ] Wait => - [x] Wait here ¦ [x] Go => [ ] Go on
  - [ ] Ask Ann↵- [x] Wait here↵1. [ ] Go on↵
a text that begins with a line break or a marker begins a new line
  Facts are a. Use b.↵- C. Use d.↵
  Use b. => ↵↵Use b! ¦ Use d. => - Use d!
  Facts are a.↵↵Use b!↵- C.↵- Use d!↵
within a line, a concise text loses its marker [concise]
  - Use a.↵- Ask. Wait.↵
  Use a. => - Use b. ¦ Wait. => - Wait here.
  - Use b.↵- Ask. Wait here.↵
a second text for an item becomes a new item if it has a marker, a new line if it begins with a line break
  - Use a, b.↵↵- Ask. Wait.↵
  Use a, b. => Use a. ¦ Use a, b. => - Use b. ¦ Ask. Wait. => Ask. ¦ Ask. Wait. => ↵Wait.
  - Use a.↵↵- Use b.↵↵- Ask.↵  Wait.↵
texts with markers turn a paragraph into a list; items in a text keep their indentation
  We like a. Also b.↵↵- C and d↵
  We like a. => - Prefer a. ¦ Also b. => - Do b. ¦ C and d => C:↵  - d↵  - e
  - Prefer a.↵- Do b.↵↵- C:↵  - d↵  - e↵
texts in a heading or a table row stay on one line, whatever markers they have
  ## Run it and ask↵↵a | b↵-|-↵Use c, d | e↵f | g↵h | i↵↵Wait.↵
  Run it and ask => - Run it. ¦ Run it and ask => - Ask. ¦ Use c, d => - Use c. ¦ Use c, d => - Use d. ¦ f | g h | i => f and h | g i ¦ Wait. => Wait!
  ## Run it. Ask.↵↵a | b↵-|-↵Use c. Use d. | e↵f and h | g i↵↵Wait!↵
the underline of a heading stays unless all words of the heading are removed or "#" replaces the underline
  Run it↵======↵↵Ask me↵------↵↵a↵↵Wait↵----↵↵b↵↵C d↵===↵
  Run it => # Run all ¦ Ask me ------ => ## Ask Ann first ¦ a + Wait => a c ¦ C d === => C d e f
  Run all↵======↵↵## Ask Ann first↵↵a c↵↵b↵↵C d e f↵===↵

the labels "Rule:" and "Reason:" are removed, and the reason follows as a sentence
  - Use a↵- 使う↵
  Use a => Rule: Use b↵Reason: It is so. ¦ 使う => Rule: 使わない↵Reason: 理由
  - Use b. It is so.↵- 使わない。理由↵
labels stay where the file has them
  Rule: Use a↵Reason: So.↵↵Rule: Ask.↵
  Rule: Use a Reason: So. => Rule: Use b↵Reason: It is. ¦ Ask. => Rule: Ask Ann.
  Rule: Use b↵Reason: It is.↵↵Rule: Ask Ann.↵
a verbose reason stays on a line of its own, indented to the content of the item [verbose]
  - Use a. Or c.↵
  Use a. Or c. => Rule: Use b.↵Reason: It is so. ¦ Use a. Or c. => Rule: Use d.
  - Use b.↵  Reason: It is so.↵- Use d.↵

further lines of a text are indented like their item or quotation; code stays indented
  - Run it↵  > Ask↵- > Go↵- b↵
  Run it => Run:↵\`\`\`sh↵a↵  b↵\`\`\`↵Then c. ¦ Ask => Ask Ann.↵↵Or me. ¦ Go => Go.↵↵Run.
  - Run:↵  \`\`\`sh↵  a↵    b↵  \`\`\`↵  Then c.↵  > Ask Ann.↵  >↵  > Or me.↵- > Go.↵  >↵  > Run.↵- b↵
a text that replaces several lines is wrapped at their width, but not within code or before a "-"
  > Use one or two words↵> here, and ask \`a b\`↵> then - more. End↵
  Use one or two words here, and ask \`a b\` then - more. => Use no more than one word, and run \`a b c d\` first, so then - more.
  > Use no more than one↵> word, and run↵> \`a b c d\` first, so↵> then - more. End↵
`

const toCase = (fourLines: string): Case => {
  const lines = fourLines.split('\n  ').map((line) => line.replaceAll('↵', '\n'))
  const [name = '', before = '', rulesLine = '', after = ''] = lines
  const [, mode] = /\[(\w+)\]$/.exec(name) ?? []
  const pairs = rulesLine.split(' ¦ ').map((rule) => rule.split(' => '))
  const rules = pairs.map(([sources = '', text = '']) => ({ sources: sources.split(' + '), text }))
  return { name, before, rules, after, mode: mode as Mode | undefined }
}

export const CASES: Array<Case> = TEXT.trim().split(/\n+(?=\S)/).map(toCase)
