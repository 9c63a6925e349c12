import { expect, test } from 'bun:test'
import { type Mode, MODES } from '../rule-schema.ts'
import { SourcedText } from './index.ts'

const withBreaks = (words: string): string => words.replaceAll('↵', '\n')

/** A rule as `source => sentence`, or `source + source => sentence`; without a source where nothing stands before. */
const toRule = (text: string): { sources: Array<string>; sentence: string } => {
  const [sources = '', sentence = ''] = text.split(' => ')
  return {
    sources: sources === '' ? [] : sources.split(' + ').map(withBreaks),
    sentence: withBreaks(sentence),
  }
}

const sourced = (before: string, rules: Array<string>): SourcedText =>
  new SourcedText(before, rules.map((rule) => toRule(rule).sources))

const rewrite = (before: string, rules: Array<string>, mode?: Mode): string => {
  const text = sourced(before, rules)
  expect(text.faults).toEqual([])
  return text.withRules(rules.map((rule) => toRule(rule).sentence), mode)
}

// The name of each case, the text before, its rules, the text after: ↵ is a line end, ␍ one of Windows, ⇥ a tab.
const CASES = `
concise has no reason [concise]
  - Use tabs!↵
  Use tabs! => - use tabs↵Reason: x
  - use tabs↵
a number stays with the first rule, the others stand nested below it
  8. A. B.↵9. C↵↵   \`\`\`sh↵   c↵   \`\`\`↵10. D↵
  A. => a ¦ B. => b
  8. a↵   - b↵9. C↵↵   \`\`\`sh↵   c↵   \`\`\`↵10. D↵
so it is where numbers do not count
  1. A. B.↵1. C↵
  A. => a ¦ B. => b
  1. a↵   - b↵1. C↵
and with letters; rules stand in the order of their words
  a. A. B.↵b. C↵
  B. => y ¦ A. => x
  a. x↵   - y↵b. C↵
a check box stays
  - [ ] A. B.↵- [x] C↵
  A. => a ¦ B. => b ¦ [x] C => c
  - [ ] a↵- [ ] b↵- [x] c↵
lines of one tag stay around what stands between them
  <rules>↵- A.↵- B.↵</rules>↵C.↵
  A. => a ¦ B. => b
  <rules>↵- a↵- b↵</rules>↵C.↵
a tag in a text stays with its counterpart
  <x>A. B.</x>↵↵<x>C. D.</x> E.↵↵- <b>F.</b> G.↵
  A. => a ¦ D. => d ¦ F. => f
  <x>a. B.</x>↵↵<x>C. d.</x> E.↵↵- <b>f.</b> G.↵
lines in a tag each stand for themselves, with all of their rules
  <rules>↵<rule id="1">A.</rule>↵<rule id="2">B. C.</rule>↵  <rule> D. </rule>↵<x-y>E</x-y>↵</rules>↵
  A. + E => a ¦ B. => b ¦ C. => c ¦ D. => <rule>d</rule>
  <rules>↵<rule id="1">a</rule>↵<rule id="2">b. c</rule>↵  <rule> d </rule>↵</rules>↵
a tag around an item stays with the first rule
  1. <x>A. B. C.</x>↵   - below↵2. <b>D: e f.</b>↵
  A. => a ¦ B. => b ¦ e f. => D: e.
  1. <x>a</x>↵   - b. C.↵   - below↵2. <b>D: e.</b>↵
lines around one in a tag are not in it, and further lines of its rule are not indented
  > Some words.↵> <R>Do x.</R>↵> More words.↵
  Do x. => x↵Reason: y
  > Some words.↵> <R>x. y</R>↵> More words.↵
a tag around several lines stays, one around a part of a line is words
  <x>A.↵B.</x>↵↵See↵<kbd>C</kbd> and <kbd>D</kbd>↵there. E.↵
  A. => a ¦ B. => b ¦ E. => e
  <x>a.↵b</x>↵↵See↵<kbd>C</kbd> and <kbd>D</kbd>↵there. e↵
a paragraph of a quotation stays one
  > A↵> B.↵>↵> C↵
  A B. => a
  > a↵>↵> C↵
a lead-in keeps one rule on its line
  * **Dates:** show them so. They vary.↵  - X↵
  show them so. They vary. => Rule: Show dates so.↵Reason: They vary.
  * **Dates:** Show dates so. They vary.↵  - X↵
and several below it, before those that stand there
  - **Dates:** A; b.↵  * X↵
  A => a ¦ b. => b
  - **Dates:**↵  * a↵  * b↵  * X↵
a lead-in of a paragraph, too
  **Dates:** A. B.↵C.↵
  A. => a ¦ B. C. => b
  **Dates:**↵↵- a↵- b↵
what stays after a rule stays with it, also in a footnote
  **Save:** Do a. Do b. Fact. Do c.↵End.↵↵> So: Do d. Fact.↵↵[^1]: Do e. Fact.↵
  Do a. => a ¦ Do b. => b ¦ Do c. => c ¦ Do d. => d ¦ Do e. => e
  **Save:**↵↵- a↵- b. Fact.↵- c.↵  End.↵↵> So: d. Fact.↵↵[^1]: e. Fact.↵
a bold label is a lead-in
  - **Freeze.** No merges.↵- **Tags** – none.↵
  No merges. => Do not merge. ¦ none. => Use no tags.
  - **Freeze.** Do not merge.↵- **Tags** – Use no tags.↵
sentences that no rule restates stay where they stood
  Fact one. Do↵it. Fact↵two.↵↵Next↵
  Do it. => do
  Fact one.↵do. Fact↵two.↵↵Next↵
what introduces something keeps it right below
  Do it. Like this:↵↵\`\`\`↵x↵\`\`\`↵
  Do it. => do
  do. Like this:↵↵\`\`\`↵x↵\`\`\`↵
a sentence is restated as a whole
  Fact. It is big, so use b here. More.↵
  use b => b
  Fact. b. More.↵
dots in code, numbers and names end no sentence
  See \`a. B\` and v1.2 and node.js here. Use b, e.g. \`c\`. Done.↵
  Use b => b
  See \`a. B\` and v1.2 and node.js here. b. Done.↵
Japanese sentences
  事実です。使わないこと。次です。↵
  使わないこと。 => 使わない。
  事実です。使わない。次です。↵
German sentences
  Das ist so. „Nie!“ gilt immer. Ändere das nicht.↵
  Ändere das nicht. => Nicht ändern.
  Das ist so. „Nie!“ gilt immer. Nicht ändern.↵
emphasis that is cut keeps both its marks
  *A fact. Do it.* End. **Do b. Fact c.**↵
  Do it. => a ¦ Do b. => b
  *A fact.*↵↵- *a.* End.↵- **b. Fact c.**↵
a line without the indentation of its item keeps its words when it moves up
  > > 1. A. B.↵**C:** D. Fact it is.↵
  **C:** D. + A. + B. => d
  d. Fact it is.↵
a second source goes, and an item that says nothing more
  - A↵- B↵↵## R↵↵1. A!↵2. C↵
  A + A! => a
  - a↵- B↵↵## R↵↵2. C↵
what stood below an item that goes moves up
  - A↵- B↵  - C↵    more↵  - D↵- E↵
  A + B => a
  - a↵- C↵  more↵- D↵- E↵
a heading stays though all below it goes
  - A↵↵## R↵↵- B↵- C↵↵## S↵
  A + B + C => a
  - a↵↵## R↵↵## S↵
a rule without a source stands after the one before it, a first one before the next
  - A↵- B↵
   => x ¦ A => a ¦  => y ¦ B => b
  - x↵- a↵- y↵- b↵
a source between two others is the one between them
  Run it.↵↵A↵↵Run it.↵↵B↵↵Run it.↵
  A => a ¦ Run it. => run ¦ B => b
  Run it.↵↵a↵↵run↵↵b↵↵Run it.↵
a whole sentence is meant rather than a part of one
  - no pandas↵- Use no pandas here↵
  no pandas => x
  - x↵- Use no pandas here↵
shortened sources, markers, marks and kinds of quotes do not count
  > - **“Never”** use↵>   \`x(...)\` here, *or* there.↵
  - "Never" … there. => x
  > - x↵
a paragraph with one rule stays a paragraph, in the line ends of the file
  ## H␍A␍\`\`\`␍c␍\`\`\`␍
  A => a
  ## H␍a␍\`\`\`␍c␍\`\`\`␍
a space before CRLF breaks no sentence
  Never push ␍to main. Fact.␍
  to main. => a
  a. Fact.␍
two spaces and a backslash before CRLF do
  Facts.  ␍Never push\\␍Ask Ann\\␍End.␍
  Never push => a
  Facts.  ␍a\\␍Ask Ann\\␍End.␍
a file without a line break at its end has none where its last item goes
  - A↵- B
  A + B => a
  - a
frontmatter stays
  ---↵a: A↵---↵A↵
  A => a
  ---↵a: A↵---↵a↵
a bold lead-in keeps its closing mark
  **IMPORTANT: Never push.**↵
  Never push. => Rule: Never push.
  **IMPORTANT: Never push.**↵
a line that is broken by hand ends a sentence
  Facts here.  ↵Never push\\↵Ask Ann.↵
  Never push => Never push.
  Facts here.  ↵Never push.\\↵Ask Ann.↵
<br> ends a sentence
  - Never push.<br>Facts.↵
  Never push. => a
  - a. <br>Facts.↵
lines without full stops, where the source is one
  Tech: React↵Never push↵Runs at five↵
  Never push => a
  Tech: React↵a↵Runs at five↵
the edge of a source ends a sentence after a full stop, before a small letter
  Facts. npm must not be used. npm is slow.↵
  npm must not be used. => a
  Facts. a. npm is slow.↵
the mark of a footnote belongs to its sentence
  Never push.[^1] Facts.↵↵[^1]: Why↵
  Never push. => a[^1]
  a[^1]. Facts.↵↵[^1]: Why↵
a danda ends a sentence
  तथ्य है। पुश न करें। अंत।↵
  पुश न करें। => a
  तथ्य है। a. अंत।↵
indented code stays code
  Never push by hand.↵↵    make push↵
  Never push by hand. => Rule: Never push by hand.
  Never push by hand.↵↵    make push↵
what introduces a list is no item of it
  Trust this. You must do all of these:↵↵- lint↵
  Trust this. => Trust. ¦ You must … these: => Do all of these.
  Trust.↵↵Do all of these:↵↵- lint↵
and its colon stays last, before what it introduces
  Do these:↵- lint↵
  Do these: => Do these.↵Reason: r.
  Do these. r:↵- lint↵
what moves up from an item that goes keeps its blank line
  - A↵- B↵↵  para↵↵- F↵
  A + B => a
  - a↵↵para↵↵- F↵
items of another kind stay with the item before
  1. A↵2. B↵    - C↵3. F↵
  A + B => a
  1. a↵    - C↵3. F↵
numbers stay across code
  1. A. B.↵↵\`\`\`↵x↵\`\`\`↵↵2. C↵↵# H↵↵3. D↵
  A. => a ¦ B. => b
  1. a↵   - b↵↵\`\`\`↵x↵\`\`\`↵↵2. C↵↵# H↵↵3. D↵
tabs stay tabs
  -⇥A↵⇥-⇥B↵
  B => b↵Reason: r
  -⇥A↵⇥-⇥b. r↵
the kind of an alert and a labelled line right below it keep their lines, with several rules too
  > [!NOTE]↵> **Size:** small. Do it.↵> **OS:** any↵
  **Size:** small. => a ¦ Do it. => b
  > [!NOTE]↵> a. b↵> **OS:** any↵
a paragraph after code in an item stays one
  - A↵↵  \`\`\`↵  x↵  \`\`\`↵  B.↵
  B. => b
  - A↵↵  \`\`\`↵  x↵  \`\`\`↵  b↵
a source may say the comment that stands beside it
  - A. <!-- x --> B. C↵- <!-- y -->↵
  A. <!-- x --> B. => a
  - a. <!-- x --> C↵- <!-- y -->↵
an emoji whose second half is the mark of a removed line stays
  - 👌🏿 A↵- B↵↵🏿↵↵- C 🏿<!-- 🏿 -->. D↵
  B + D => b
  - 👌🏿 A↵- b↵↵🏿↵↵- C 🏿<!-- 🏿 -->.↵
blank lines that meet are one, and a lead-in that is part of the source goes
  > A <!-- x -->↵> **B:** b↵>↵> C↵
  A + B: b => a
  > a <!-- x -->↵>↵> C↵
a bold line in an item keeps its line
  * **Style**↵  Use tabs.↵* **Tests** – Run all. Ask.↵
  Use tabs. => a ¦ Run all. => b ¦ Ask. => c
  * **Style**↵  a↵* **Tests** –↵  - b↵  - c↵
lines with signs, or numbers that are no list, stand for themselves
  So:↵✅ Use tabs↵❌ Push. Fact.↵↵• A↵• B↵• C↵↵1.1 D. E↵1.2 F↵↵G v↵1.2 H.↵
  ✅ Use tabs => a ¦ Push. => b ¦ B => c ¦ D. => d ¦ E => e↵Reason: r ¦ G v 1.2 H. => g
  So:↵✅ a↵❌ b. Fact.↵↵• A↵• c↵• C↵↵1.1 d↵   - e. r↵1.2 F↵↵g↵
a line with a sign that goes
  • A↵• B↵↵⚠️ C↵
  A + B => a ¦ C => c
  • a↵↵⚠️ c↵
a source that is a line but for the marks around it
  (Use a)↵(Use b) ✓↵(Use c)↵
  Use b => b
  (Use a)↵b↵(Use c)↵
a reason stays with its rule, unless that brings its own
  - A.↵  Reason: Old↵  one.↵- B and c↵  Reason: r↵- D.↵  Reason: old↵↵Rule: E.↵Reason: r↵
  A. => a ¦ B and c => b ¦ B and c => c ¦ D. => d↵Reason: new ¦ E. => e
  - a.↵  Reason: Old↵  one.↵- b↵- c↵  Reason: r↵- d↵  Reason: new↵↵Rule: e.↵Reason: r↵
the line of an import, or of a title, stays above the sentences of its paragraph
  @docs/a.md↵@docs/b.md↵Please use tabs. Ask.↵↵Style↵Use x. Use y↵Next↵
  use tabs. => a ¦ Ask. => b ¦ Use x. => x ¦ Use y => y
  @docs/a.md↵@docs/b.md↵↵- a↵- b↵↵Style↵↵- x↵- y↵  Next↵
what introduces items stays while one of them does, though it is a source
  Never do:↵- A↵- B↵↵1. Always do:↵   - C↵   - D↵
  Never do: + A => a ¦ Always do: + D => d
  Never do:↵- a↵- B↵↵1. Always do:↵   - C↵   - d↵
so does a title of items
  **Git**↵- Do a↵- Do b↵↵Tests↵↵- Do c↵- Do d↵↵**So**↵• Do e↵• Do f↵
  **Git** + Do a => a ¦ Tests + Do c => c ¦ **So** + Do e => e
  **Git**↵- a↵- Do b↵↵Tests↵↵- c↵- Do d↵↵**So**↵• e↵• Do f↵
and goes with the last of them
  Never do:↵- A↵- B↵↵Always do:↵- C↵
  Never do: + A => a ¦ Never do: + B => b ¦ C + Always do: => c
  - a↵- b↵↵- c↵
a key below items is a label, as in a file of settings
  rules:↵  - A↵  - B↵facts:↵  - C↵
  A => a ¦ B => b
  rules:↵  - a↵  - b↵facts:↵  - C↵
a short sentence above items is no title
  使う。↵- A.↵
  使う。 + A. => a
  a↵
a source that was copied with other capitals and signs
  - Use \`tabs\`, always!↵- Keep it short (see x)↵
  use tabs, always. => a ¦ keep it short, see x => b
  - a↵- b↵
a rule that is sent with a marker, a box or a bold label has those of its item
  - [ ] A↵  Reason: q↵1. B↵* C↵- D↵
  A => - [ ] **Rule:** a↵**Reason:** r ¦ B => 3. b ¦ C => * c ¦ D => **Rule**: d
  - [ ] a↵  Reason: r↵1. b↵* c↵- d↵
a sign or a lead-in that a rule repeats is there once
  ✅ A↵⚠️ B↵↵- **Dates:** C. D.↵- Tags: E.↵- **So:** F.↵- 🔒 **To:** G.↵
  A => Rule: ✅ a ¦ B => ⚠️ b ¦ C. => **Dates:** c ¦ D. => Rule: Dates: **d** d ¦ E. => **Tags:** e ¦ F. => **So: f** ¦ G. => 🔒 **To**: g
  ✅ a↵⚠️ b↵↵- **Dates:**↵  - c↵  - **d** d↵- Tags: e↵- **So:** **So: f**↵- 🔒 **To:** g↵
a tag of HTML is the name of a section as well
  <style>↵A.↵</style>↵
  A. => a
  <style>↵a↵</style>↵
a label right below a list stays below its last item
  So:↵- A↵- B. Fact.↵Code style:↵- C↵  - D↵  **Next**↵1. E. F.↵Then:↵\`\`\`↵x↵\`\`\`↵
  A => a ¦ B. => b ¦ C => c ¦ D => d ¦ E. => e ¦ F. => f
  So:↵- a↵- b. Fact.↵Code style:↵- c↵  - d↵  **Next**↵1. e↵   - f↵Then:↵\`\`\`↵x↵\`\`\`↵
a line that goes on without the indentation of its item is none
  - A b↵c d. See:↵- E↵- F↵  G:↵
  A b c d. => a ¦ F G: => f
  - a. See:↵- E↵- f↵
a bold number, or a letter, is a lead-in
  **1. A.** B.↵↵**2. C.** D.↵↵E. F. G.↵
  A. => a↵Reason: r ¦ B. => b ¦ C. D. => d ¦ F. G. => f
  **1. a.** r↵   - b↵↵**2. d**↵↵E. f↵
a lead-in goes with its words where no rule comes and nothing stands below
  **DE:** A!↵**EN:** B!↵↵E↵↵- **C:** C!↵- **D:** D!↵  - x↵↵**F:** F!↵↵|x|↵|-|↵↵**G:** G!↵↵> q↵
  A! + B! + C! + D! + F! + G! => a
  **DE:** a↵↵E↵↵- **D:**↵  - x↵↵**F:**↵↵|x|↵|-|↵↵**G:**↵↵> q↵
an introduction goes with items that are said elsewhere
  1. A.↵2. B.↵↵So:↵- a!↵- b!↵
  A. + So: + a! => x ¦ B. + b! => y
  1. x↵2. y↵
a comment beside restated words stays in its place
  - A. <!-- $& -->↵- B. C. <!-- d -->↵  - x↵- D. <!-- e -->↵
  A. + D. => a↵Reason: r ¦ B. => b ¦ C. => c
  - a. r. <!-- $& -->↵- b↵- c. <!-- d -->↵  - x↵- <!-- e -->↵
no sentence ends in brackets
  Do it first (takes approx. 20 s, see Sect. 4). Fact (a. B). (C. D.) E.↵
  Do it first => do
  do. Fact (a. B). (C. D.) E.↵
a bracket that is cut keeps both its marks in each part
  Run x (it is slow. Never on CI). (Never a. Fact.) (B. Never c.) （事実（b）だ。禁止。）↵
  Never on CI). => x ¦ Never a. => a ¦ Never c. => c ¦ 禁止。 => d
  Run x (it is slow.)↵↵- (x)↵- (a. Fact.) (B.)↵- (c.) （事実（b）だ。）↵- （d）↵
what introduces something stays in an item, too
  1. Do a. See:↵   - B↵2. C↵
  Do a. => a
  1. a. See:↵   - B↵2. C↵
numerals and capital letters are numbers, with bullets below
  i) Do a. Do b.↵ii) C↵↵I. E↵   A. Do f. Do g.↵   B. H↵II. J↵   A. Do k↵
  Do a. => a ¦ Do b. => b ¦ Do f. => f ¦ Do g. => g ¦ Do k => k
  i) a↵   - b↵ii) C↵↵I. E↵   A. f↵      - g↵   B. H↵II. J↵   A. k↵
a line of bold words among lines with signs
  **So**↵• A↵• B↵**Next**↵• Do c. D↵
  A => a ¦ B => b ¦ Do c. => c ¦ D => d
  **So**↵• a↵• b↵**Next**↵• c↵• d↵
words right after a comment at the start of a line
  <!-- x --> Do a. B.↵<!-- y -->↵- <!-- z --> C↵
  Do a. => a ¦ C => c
  <!-- x --> a. B.↵<!-- y -->↵- <!-- z --> c↵
a tag or a note in brackets after the words stays after the rule
  - Do a. [S-1]↵- Do b. (See \`x\`.)↵- Do c. {#c}↵
  Do a. => a↵Reason: r ¦ Do b. => b ¦ Do c. => c
  - a. r. [S-1]↵- b. (See \`x\`.)↵- c. {#c}↵
a tag before the words is a lead-in
  - [S-6] Do a.↵- **S-7 (MUST)** Do b.↵- \`S-8\` — Do c.↵- *Tests* - do d.↵- S-9 Do e.↵- File names – do f.↵- It – so – do g.↵
  Do a. => a ¦ Do b. => b ¦ Do c. => c ¦ do d. => d ¦ Do e. => e ¦ do f. => f ¦ do g. => g
  - [S-6] a↵- **S-7 (MUST)** b↵- \`S-8\` — c↵- *Tests* - d↵- S-9 e↵- File names – f↵- It – so – g↵
lines that each begin with a label stand for themselves
  R1. Do a. Do b.↵R2. Do c.↵R3. Do d.↵↵Rule 1: do d↵Rule 2: do e. Do f.↵↵Style: do g↵Tests: do h↵Commits: do i↵↵Good: do j↵Bad: do k↵↵Rule 3: L↵Reason: m↵↵Must — do l↵May — do m↵↵-- Do n↵-- Do o↵
  Do a. => a ¦ Do b. => b ¦ R2. Do c. => c ¦ do d => d ¦ do e. => e ¦ Do f. => f ¦ do h => h ¦ do j↵Bad: do k => j ¦ L↵Reason: m => L↵Reason: n ¦ do m => m ¦ Do o => o
  R1. a↵   - b↵R2. c↵R3. Do d.↵↵Rule 1: d↵Rule 2:↵↵- e↵- f↵↵Style: do g↵Tests: h↵Commits: do i↵↵Good: j↵↵Rule 3: L↵Reason: n↵↵Must — do l↵May — m↵↵-- Do n↵-- o↵
lines with labels keep the lines of their reasons
  Rule 1: Do a.↵Reason: r↵Rule 2: Do b.↵Reason: s↵↵Rule 3: Do c.↵Reason: u.↵
  Do a. => a ¦ Do b. => b↵Reason: t ¦ Do c. => c↵Reason: v
  Rule 1: a.↵Reason: r↵Rule 2: b↵Reason: t↵↵Rule 3: c↵Reason: v↵
a rule keeps its label, though its source has that
  Rule: Do a.↵Reason: r↵↵Rule: Do b.↵
  Rule: Do a. => Rule: a ¦ Rule: Do b. => b↵Reason: s
  Rule: a.↵Reason: r↵↵Rule: b↵Reason: s↵
lines whose labels are restated stay lines
  **A:** do a\\↵**B:** do b↵**C:** do c↵↵**D:** do d. Do e.↵**F:** do f↵**G:** do g↵
  **A:** do a => a ¦ **B:** do b => b ¦ **C:** do c => c ¦ do d. => d ¦ Do e. => e ¦ **F:** do f => f
  a↵b↵c↵↵**D:** d. e↵f↵**G:** do g↵
a word alone below a list is a label as well
  So:↵- Do a↵- Do b↵Tests↵- Do c↵- Do d with↵The team↵
  Do a => a ¦ Do b => b ¦ Do c => c ¦ Do d with The team => d
  So:↵- a↵- b↵Tests↵- c↵- d↵
a source of several lines that are no one text stands for each of them
  ## Git↵So:↵- Do a↵- Do b.↵  - Do c↵↵Fact. Do d.↵↵- E↵↵Run it:↵\`\`\`↵Do x↵\`\`\`↵- Do x↵
  ## Git↵So:↵- Do a↵- Do b.↵  - Do c => a ¦ Do d.↵- E => d ¦ Run it:↵\`\`\`↵Do x => e
  ## Git↵- a↵↵Fact. d↵↵e:↵\`\`\`↵Do x↵\`\`\`↵- Do x↵
a source may leave the targets of links, and tags, out
  See [the guide](docs/x.md#y), and [ADR 7][7]. Fact.↵↵<b>Never</b> press <kbd>Alt</kbd>.↵
  See the guide, and ADR 7. => a ¦ Never press Alt. => b
  a. Fact.↵↵b↵
a number right below the items of the one before it begins an item
  1. A↵  - Do b. Do c.↵2. Do d. Do e.↵  - F↵3. G↵
  Do b. => b ¦ Do c. => c ¦ Do d. => d ¦ Do e. => e
  1. A↵  - b↵  - c↵2. d↵  - e↵  - F↵3. G↵
several numbers within a line stay in it
  (1) Do a. (2) Do b.↵↵(1) Do c. Do d.↵
  (1) Do a. => a ¦ Do b. => b ¦ Do c. => c ¦ Do d. => d
  (1) a. (2) b↵↵(1) c↵   - d↵
a number within a line stays
  1. Do a. 2. Do b. 3. Do c.↵
  Do b. => b
  1. Do a. 2. b. 3. Do c.↵
wrapped lines, and two of which one is a title, are a paragraph
  Use a. Do b↵with c.↵Do d.↵↵Style↵Do e.↵↵Nutzt immer die Regeln von Anna und Bernd, nie die von↵Clara, denn diese stehen nur im Archiv der Abteilung↵Einkauf.↵
  Do b with c. => b ¦ Do e. => e ¦ Nutzt immer … Abteilung Einkauf. => f
  Use a. b.↵Do d.↵↵Style↵e↵↵f↵
the answer to a question keeps its label
  **Q: A?**↵A: Do b. Fact.↵↵Q: C?↵A: Do d.↵
  Do b. Fact. => b ¦ Do d. => d
  **Q: A?**↵A: b↵↵Q: C?↵A: d↵
keys of settings keep their lines
  - id: A↵  text: do a↵  must: yes↵↵style:↵  b: do b↵  c: do c↵
  do a => a ¦ do b => b ¦ do c => c
  - id: A↵  text: a↵  must: yes↵↵style:↵  b: b↵  c: c↵
words in nested tags are none of code, however deep
  <p>↵  <t>↵    A. Fact.↵  </t>↵  <l x="y">↵    - B. C.↵      more.↵    - D.↵  </l>↵↵  <r>↵    <e>↵      Do e.↵      Do f.↵    </e>↵  </r>↵</p>↵
  A. => a ¦ B. => b ¦ D. => d ¦ Do e. Do f. => e↵Reason: r
  <p>↵  <t>↵    a. Fact.↵  </t>↵  <l x="y">↵    - b. C.↵      more.↵    - d↵  </l>↵↵  <r>↵    <e>↵      e. r↵    </e>↵  </r>↵</p>↵
Chinese and Cyrillic numbers of lines stay
  1、使用。禁止。↵2、测试。↵↵（一）A。↵（二）B。↵↵１．C。↵２．D。↵↵① E↵② F↵↵а) G.↵б) H.↵
  禁止。 => 不要。 ¦ A。 => a ¦ B。 => b ¦ D。 => d ¦ F => f ¦ G. => g
  1、使用。不要。↵2、测试。↵↵（一）a↵（二）b↵↵１．C。↵２．d↵↵① E↵② f↵↵а) g↵б) H.↵
a tag in Chinese brackets is a lead-in
  - 【强制】使用。↵
  使用。 => 必须使用。
  - 【强制】必须使用。↵
a line after a comma begins no sentence
  数据，↵禁止提交。测试。↵
  禁止提交。 => 不要提交。
  不要提交。测试。↵
what stays below a label in a quotation keeps its mark
  > **Note**↵> Do c.↵> Fact.↵
  Do c. => c
  > **Note**↵> c.↵> Fact.↵
numbered steps are labels, check boxes without a marker are signs
  Step 1. Do a.↵Step 2. Do b. Do c.↵↵[ ] Do d↵[x] Do e↵
  Do a. => a ¦ Do b. => b ¦ Do c. => c ¦ Do d => d
  Step 1. a↵Step 2. b↵   - c↵↵[ ] d↵[x] Do e↵
a picture below the words of an item stays there
  1. Do a. Do b.↵   ![x](y.png)↵2. Do c. [More](x)↵
  Do a. => a↵Reason: r ¦ Do b. => b ¦ Do c. => c
  1. a. r↵   - b.↵     ![x](y.png)↵2. c. [More](x)↵
signs of which one rule has several are none of its own
  - ❌ A↵- ✅ B↵↵❌ C ✅ D↵↵✅ E↵✅ F↵
  ❌ A + ✅ B => b ¦ ❌ C ✅ D => d ¦ E + F => e
  - b↵↵d↵↵✅ e↵
wrapped words are broken at the width of the longest line, and what stays keeps its own lines
  Facts about tea, and↵more of them. Use a.↵It is so. Use b.↵
  Use a. => Always use the first of the letters. ¦ Use b. => Do not use another one.
  Facts about tea, and↵more of them.↵↵- Always use the↵  first of the↵  letters.↵  It is so.↵- Do not use another↵  one.↵
so are those of one rule
  - Facts. Use↵  tabs, please. It helps.↵
  Use tabs, please. => Use tabs and never spaces.
  - Facts. Use tabs and↵  never spaces. It helps.↵
lines of one sentence each are not wrapped
  Use a.↵It is so.↵
  Use a. => Always use the first of the letters.
  Always use the first of the letters.↵It is so.↵
lines over 120 characters are not wrapped
  Use a, which is very very very very very very very very very very very very very very very very very very very very very very very very long. Use↵b.↵
  Use b. => Use the letter that is called b.
  Use a, which is very very very very very very very very very very very very very very very very very very very very very very very very long. Use the letter that is called b.↵
code is not broken
  Facts are↵here. Use a.↵
  Use a. => Run \`a b c d\` first, then \`\` e \` f \`\` and g.
  Facts are↵here. Run↵\`a b c d\`↵first, then↵\`\` e \` f \`\`↵and g.↵
no line begins with what would begin a block
  Facts are↵here. Use a.↵
  Use a. => Use a - b 1. c # d.
  Facts are↵here. Use a -↵b 1. c # d.↵
verbose has a line for each reason, right below its rule [verbose]
  - A. B. Fact.↵↵C.↵
  A. => a.↵Reason: r. ¦ B. => b.↵Reason: s. ¦ C. => c.↵Reason: t.
  - a.↵  Reason: r.↵- b.↵  Reason: s.↵  Fact.↵↵c.↵Reason: t.↵
a reason is a sentence after its rule, in the language of the file
  - 使う。↵- Use it↵- 见文。↵
  使う。 => 使うこと↵Reason: 速い ¦ Use it => Use "it"↵Reason: It is fast ¦ 见文。 => 看文。↵Reason: 快。
  - 使うこと。速い↵- Use "it." It is fast↵- 看文。快。↵
a reason that stays next to its rule is not said again
  - Tabs are small; really. use tabs! More.↵
  use tabs! => Use tabs.↵Reason: Tabs are small.
  - Tabs are small; really. Use tabs. More.↵
a sentence in bold gives its marks to the rule, unless that has some, and to none of a part of it
  - **A.** B.↵- *C*.↵- __D.__↵- **E, f.**↵- **G** h.↵
  A. + B. => a. ¦ C. => c. ¦ D. => **Never** d. ¦ E => e. ¦ f. => f. ¦ G h. => g.
  - **a.**↵- *c.*↵- **Never** d.↵- **e.**↵- **f.**↵- g.↵
bold around several sentences stays around each part
  **A. B.** C.↵↵- **D. E.** F.↵
  A. => a. ¦ D. => **d** x. ¦ E. => e.
  **a. B.** C.↵↵- **d x.**↵- **e.** F.↵
items of a loose list are loose
  - A. B.↵↵- C.↵↵- D.↵
  A. => a. ¦ B. => b.
  - a.↵↵- b.↵↵- C.↵↵- D.↵
several rules next to a list are paragraphs
  - x↵↵A. B.↵↵C. D.↵↵- y↵↵E. F. G.↵- z↵
  A. => a. ¦ B. => b. ¦ D. => d. ¦ F. => f. ¦ G. => g.
  - x↵↵a.↵↵b.↵↵C. d.↵↵- y↵↵E.↵↵f.↵↵g.↵- z↵
several rules above indented code are paragraphs
  A. B.↵↵    code↵↵1. C. D.↵↵       code↵
  A. => a. ¦ B. => b. ¦ C. => c. ¦ D. => d.
  a.↵↵b.↵↵    code↵↵1. c.↵↵   d.↵↵       code↵
several rules below a bold line are a list, and a rule after another sign stays in its line
  **Git**↵A. B.↵↵✅ C. D.↵❌ E.↵↵⚠️ F. G.↵
  A. => a. ¦ B. => b. ¦ C. => c. ¦ D. => d. ¦ F. => f. ¦ G. => g.
  **Git**↵↵- a.↵- b.↵↵✅ c. d.↵❌ E.↵↵- ⚠️ f.↵- g.↵
rules in the form of SAT keep it
  Rule: A. B.↵Reason: r↵↵Rule: C.↵
  A. => Rule: a.↵Reason: s ¦ B. => Rule: b. ¦ C. => Rule: c.
  Rule: a.↵Reason: s↵↵Rule: b.↵Reason: r↵↵Rule: c.↵
a label in bold within a line stays with what follows it, also right after a Chinese full stop
  **原因：** 未初始化。**解决：** 消息排队，无需处理。↵↵**Cause:** A. **Fix:** Do b. Do c. **Note:** D.↵
  消息排队，无需处理。 => 无需处理消息。 ¦ Do b. => b. ¦ Do c. => c.
  **原因：** 未初始化。**解决：** 无需处理消息。↵↵**Cause:** A.↵↵- **Fix:** b.↵- c. **Note:** D.↵
a label stays with the first rule, a fact before the rules with none
  - [A-1] Do a. Do b.↵- Fact. Do c. It is so. Do d.↵
  Do a. => a. ¦ Do b. => b. ¦ Do c. => c. ¦ Do d. => d.
  - [A-1] a.↵- b.↵- Fact.↵  - c. It is so.↵  - d.↵`

const LINES = CASES.slice(1).split('\n').map((line) => line.replaceAll('␍', '\r\n').replaceAll('⇥', '\t'))

const TITLES = LINES.flatMap((line, index) => (index % 4 === 0 ? [[line, index] as const] : []))

test.each(TITLES)('%s', (title, index) => {
  const [before = '', rules = '', after = ''] = LINES.slice(index + 1, index + 4).map((line) => line.slice(2))
  const mode = MODES.find((one) => title.endsWith(` [${one}]`))
  expect(rewrite(withBreaks(before), rules.split(' ¦ '), mode)).toBe(withBreaks(after))
})

const MISSING: Array<[before: string, rules: Array<string>, rule: number, source: string]> = [
  ['A\n', ['B => b'], 0, 'B'],
  ['A\n\nB\n', ['A => a', 'A B => b'], 1, 'A B'],
  ['- A\n  - B\n', ['A B => b'], 0, 'A B'],
  ['Never log a card number\n', ['never log a card. => b'], 0, 'never log a card.'],
  ['cinnopandas\n', ['no pandas => b'], 0, 'no pandas'],
  ['no pandas\n', ['no panda => b'], 0, 'no panda'],
  ['- A\n- B\n', ['- A↵- C => b'], 0, '- C'],
]

test.each(MISSING)('%j: the source of %j is missing', (before, rules, rule, source) => {
  expect<Array<object>>(sourced(before, rules).faults).toEqual([{ rule, source, kind: 'missing' }])
})

const BARRED: Array<[before: string, where: string, line?: number]> = [
  ['```\nA\n```\n', 'code'],
  ['    A\n', 'code'],
  ['|x|\n|-|\n|A|\n', 'a table'],
  ['|x|\r\n|-|\r\n|A|\r\n', 'a table'],
  ['|x|\n|-| \n|A|\n', 'a table'],
  ['<pre>\nA\n</pre>\n', 'HTML'],
  ['# A\n', 'a heading'],
  ['A\n===\n', 'a heading'],
  ['<!-- A -->\n', 'a comment'],
  ['x <!-- A --> y\n', 'a comment'],
  ['x\n\n```sh\ny\nA\n', 'code', 3],
  ['---\nA: A\n---\n', 'frontmatter'],
]

test.each(BARRED)('%j: the source stands in %s', (before, where, line = 1) => {
  expect<Array<object>>(sourced(before, ['A => a']).faults)
    .toEqual([{ rule: 0, source: 'A', kind: 'barred', where, line }])
})

test('a source that stands in two places, with nothing to tell which, is ambiguous', () => {
  expect<Array<object>>(sourced('A.\r\rB.\r\n\nA.\n', ['A. => a']).faults)
    .toEqual([{ rule: 0, source: 'A.', kind: 'ambiguous', lines: [1, 5] }])
})

test('a source may have the marks of hidden characters, with which the file was shown', () => {
  expect(rewrite('Use\u200B tabs.\n', ['Use⟦U+200B⟧ tabs. => a'])).toBe('a\n')
})

test('the sentences that rules restate, without what stays of them', () => {
  const text = sourced('- **Dates:** A b, c. D.\n- E.\n', ['A b => a', 'c. => c', 'E. => e'])
  expect(text.restated()).toEqual([
    { text: 'A b, c.', rules: [0, 1], under: '**Dates:**' },
    { text: 'E.', rules: [2], under: '' },
  ])
})

test('what no source takes in goes with its sentence, or stays: as a line, or as a piece of one', () => {
  const text = sourced(
    '# H\n\n- A\n- Never b.\n\nFact. C\n\n```\nx\n```\n\nKeep it (never a. Ask), so be. B, c.\n- [x] D. E.\n\n- **L:** F.\n',
    ['A => a', 'C => c', 'never a. => a', 'Ask => b', 'c. => d', 'B => c', 'E. => e', 'A + F. => a'],
  )
  expect(text.unsourced()).toEqual({
    goes: [{ text: 'Keep it (', line: 12 }, { text: '), so be.', line: 12 }, { text: '**L:**', line: 15 }],
    lines: [[1, 1], [4, 4], [9, 9]],
    pieces: [{ text: 'Fact.', line: 6 }, { text: 'D.', line: 13 }],
    sentences: [{ text: 'Never b.', line: 4 }, { text: 'Fact.', line: 6 }, { text: 'D.', line: 13 }],
  })
})
