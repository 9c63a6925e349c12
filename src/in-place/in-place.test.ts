import { expect, test } from 'bun:test'
import { type Mode, MODES } from '../rule-schema.ts'
import { SourcedText } from './index.ts'

const withBreaks = (words: string): string =>
  words.replaceAll('␍', '\r\n').replaceAll('↵', '\n').replaceAll('⇥', '\t')

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

// The name of each case, the text before with its rules in it as ‹source => sentence›, the text after. The rules have a line
// of their own where a source does not stand in the text as it is. ↵ is a line end, ␍ one of Windows, ⇥ a tab.
const CASES = `
a number stays with the first rule, the others stand nested below it, also where numbers do not count or code stands between
  8. ‹A. => a› ‹B. => b›↵9. C↵↵   \`\`\`sh↵   c↵   \`\`\`↵10. D↵↵# H↵↵1. ‹E. => e› ‹F. => f›↵1. G↵↵# H↵↵1. ‹K. => k› ‹L. => l›↵↵\`\`\`↵x↵\`\`\`↵↵2. C↵↵# H↵↵3. D↵
  8. a↵   - b↵9. C↵↵   \`\`\`sh↵   c↵   \`\`\`↵10. D↵↵# H↵↵1. e↵   - f↵1. G↵↵# H↵↵1. k↵   - l↵↵\`\`\`↵x↵\`\`\`↵↵2. C↵↵# H↵↵3. D↵
a label, a number or a title below an item is none of its words, though not indented
  **Setup**↵3. ‹O. => o› ‹P. => p›↵↵# H↵↵So:↵1. ‹A. => a› ‹B. => b›↵Code style:↵- **L:** ‹C. => c› ‹D. => d›↵Tests↵- E↵  - ‹F. => f› ‹G. => g›↵**Git**↵- H↵↵# H↵↵1. A↵  - ‹I. => i› ‹J. => j›↵2. ‹K. => k› ‹L. => l›↵  - **M:** ‹N. => n› ‹Q. => q›↵  - R↵
  **Setup**↵3. o↵   - p↵↵# H↵↵So:↵1. a↵   - b↵Code style:↵- **L:**↵  - c↵  - d↵Tests↵- E↵  - f↵  - g↵**Git**↵- H↵↵# H↵↵1. A↵  - i↵  - j↵2. k↵  - l↵  - **M:**↵    - n↵    - q↵  - R↵
rules of the same words stand in their own order, wherever the marks before these are copied
  1. [A][1], b. C.↵
  A][1], b. => a ¦ [A][1], b. => b ¦ C. => c
  1. a↵   - b↵   - c↵
and with letters; rules stand in the order of their words
  a. A. B.↵b. C↵
  B. => y ¦ A. => x
  a. x. y↵b. C↵
lines of one tag stay around what stands between them, also where it is one of HTML
  <rules>↵- ‹A. => a›↵- ‹B. => b›↵</rules>↵C.↵↵<style>↵‹D. => d›↵</style>↵
  <rules>↵- a↵- b↵</rules>↵C.↵↵<style>↵d↵</style>↵
a tag in a text stays with its counterpart, also around several lines, one around a part of a line is words
  <x>‹A. => a› B.</x>↵↵<x>C. ‹D. => d›</x> E.↵↵- <b>‹F. => f›</b> G.↵↵<x>‹H. => h›↵‹I. => i›</x>↵↵See↵<kbd>J</kbd> and <kbd>K</kbd>↵there. ‹L. => l›↵
  <x>a. B.</x>↵↵<x>C. d.</x> E.↵↵- <b>f.</b> G.↵↵<x>h.↵i</x>↵↵See↵<kbd>J</kbd> and <kbd>K</kbd>↵there. l↵
a tag around an item stays with the first rule
  1. <x>‹A. => a› ‹B. => b› C.</x>↵   - below↵2. <b>D: ‹e f. => D: e.›</b>↵
  1. <x>a</x>↵   - b. C.↵   - below↵2. <b>D: e.</b>↵
a reason on a line of its own stays in the tag of its rule [verbose]
  - <rule>A. ‹B. => Rule: b↵Reason: x›</rule>↵
  - <rule>A. b↵  Reason: x</rule>↵
lines in a tag each stand for themselves, with all of their rules
  <rules>↵<rule id="1">A.</rule>↵<rule id="2">B. C.</rule>↵  <rule> D. </rule>↵<x-y>E</x-y>↵</rules>↵
  A. + E => a ¦ B. => b ¦ C. => c ¦ D. => <rule>d</rule>
  <rules>↵<rule id="1">a.</rule>↵<rule id="2">b. c.</rule>↵  <rule>d. </rule>↵</rules>↵
a colon or a dash in brackets ends no lead-in
  - A (so: B – C) is D, so ‹use e. => e›↵- (Note: ‹do f. => f›)↵
  - e↵- f↵
a lead-in keeps one rule on its line, and several below it, before those that stand there
  * **Dates:** ‹show them so. They vary. => Rule: Show dates so.↵Reason: They vary.›↵  - X↵↵# H↵↵- **Times:** ‹A => a›; ‹b. => b›↵  * Y↵
  * **Dates:** Show dates so. They vary.↵  - X↵↵# H↵↵- **Times:**↵  * a↵  * b↵  * Y↵
what stays after a rule stays with it, also in a footnote
  **Save:** ‹Do a. => a› ‹Do b. => b› Fact. ‹Do c. => c›↵End.↵↵> So: ‹Do d. => d› Fact.↵↵[^1]: ‹Do e. => e› Fact.↵
  **Save:**↵↵- a↵- b. Fact.↵- c.↵  End.↵↵> So: d. Fact.↵↵[^1]: e. Fact.↵
a bold label is a lead-in, and a bold lead-in keeps its closing mark
  - **Freeze.** ‹No merges. => Do not merge.›↵- **Tags** – ‹none. => Use no tags.›↵↵**IMPORTANT: ‹Never push. => Rule: Never push.›**↵
  - **Freeze.** Do not merge.↵- **Tags** – Use no tags.↵↵**IMPORTANT: Never push.**↵
sentences that no rule restates stay where they stood, and a paragraph of a quotation stays one
  Fact one. Do↵it. Fact↵two.↵↵Next↵↵> A↵> B.↵>↵> C↵
  Do it. => do ¦ A B. => a
  Fact one.↵do. Fact↵two.↵↵Next↵↵> a↵>↵> C↵
what introduces something keeps it right below, in an item, too
  ‹Do it. => do› Like this:↵↵\`\`\`↵x↵\`\`\`↵↵1. ‹Do a. => a› See:↵   - B↵2. C↵
  do. Like this:↵↵\`\`\`↵x↵\`\`\`↵↵1. a. See:↵   - B↵2. C↵
a sentence is restated as a whole: dots in code, numbers, names and brackets end none
  Fact. It is big, so ‹use b => b› here. More.↵↵See \`a. B\` and v1.2 and node.js here. ‹Use c => c›, e.g. \`c\`. Done.↵↵‹Do it first => do› (takes approx. 20 s, see Sect. 4). Fact (a. B). (C. D.) E.↵
  Fact. b. More.↵↵See \`a. B\` and v1.2 and node.js here. c. Done.↵↵do. Fact (a. B). (C. D.) E.↵
Japanese, German and Hindi sentences
  事実です。‹使わないこと。 => 使わない。›次です。↵↵Das ist so. „Nie!“ gilt immer. ‹Ändere das nicht. => Nicht ändern.›↵↵‹Kurz ist gut, z. B. bei uns. => Sei kurz.› Und so.↵↵तथ्य है। ‹पुश न करें। => a› अंत।↵
  事実です。使わない。次です。↵↵Das ist so. „Nie!“ gilt immer. Nicht ändern.↵↵Sei kurz. Und so.↵↵तथ्य है। a. अंत।↵
emphasis that is cut keeps both its marks
  *A fact. ‹Do it. => a›* End. **‹Do b. => b› Fact c.**↵
  *A fact.*↵↵- *a.* End.↵- **b. Fact c.**↵
a second source goes, and an item that says nothing more; a heading stays though all below it goes
  - A↵- B↵↵## R↵↵1. A!↵2. C↵↵## T↵↵- D↵↵## U↵↵- E↵- F↵↵## S↵
  A + A! => a ¦ D + E + F => d
  - a↵- B↵↵## R↵↵2. C↵↵## T↵↵- d↵↵## U↵↵## S↵
what stood below an item that goes moves up with its blank line; items of another kind stay with the item before
  - A↵- B↵  - C↵    more↵  - D↵- E↵↵# H↵↵- G↵- H↵↵  para↵↵- F↵↵# I↵↵1. K↵2. L↵    - M↵3. F↵
  A + B => a ¦ G + H => g ¦ K + L => k
  - a↵- C↵  more↵- D↵- E↵↵# H↵↵- g↵↵para↵↵- F↵↵# I↵↵1. k↵- M↵3. F↵
a rule without a source stands after the one before it, a first one before the next
  - A↵- B↵
   => x ¦ A => a ¦  => y ¦ B => b
  - x↵- a↵- y↵- b↵
a source between two others is the one between them
  Run it.↵↵‹A => a›↵↵‹Run it. => run›↵↵‹B => b›↵↵Run it.↵
  Run it.↵↵a↵↵run↵↵b↵↵Run it.↵
a whole sentence is meant rather than a part of one
  - ‹no pandas => x›↵- Use no pandas here↵
  - x↵- Use no pandas here↵
sources may be shortened, or copied with other capitals, signs, markers, marks and kinds of quotes
  > - **“Never”** use↵>   \`x(...)\` here, *or* there.↵↵- Use \`tabs\`, always!↵- Keep it short (see x)↵
  - "Never" … there. => x ¦ use tabs, always. => a ¦ keep it short, see x => b
  > - x↵↵- a↵- b↵
a source may leave the targets of links, and tags, out
  See [the guide](docs/x.md#y), and [ADR 7][7]. Fact.↵↵<b>Never</b> press <kbd>Alt</kbd>.↵
  See the guide, and ADR 7. => a ¦ Never press Alt. => b
  a. Fact.↵↵b↵
two spaces and a backslash before CRLF break a sentence, one space does not
  Never push ␍‹to main. => a› Fact.␍␍Facts.  ␍‹Never ask => b›\\␍Ask Ann\\␍End.␍
  a. Fact.␍␍Facts.  ␍b\\␍Ask Ann\\␍End.␍
frontmatter stays, and a paragraph with one rule stays a paragraph, in the line ends of the file
  ---␍a: A␍---␍## H␍‹A => a›␍\`\`\`␍c␍\`\`\`␍
  ---␍a: A␍---␍## H␍a␍\`\`\`␍c␍\`\`\`␍
a source of several lines that are no one text stands for each of them; the answer to a question keeps its label
  - Do a↵- Do b.↵  - Do c↵↵**Q: A?**↵A: ‹Do b. Fact. => b›↵↵Q: C?↵A: ‹Do d. => d›↵
  - Do a↵- Do b.↵  - Do c => a ¦ Do b. Fact. => b ¦ Do d. => d
  - a↵↵**Q: A?**↵A: b↵↵Q: C?↵A: d↵
a line that is broken by hand, or <br>, ends a sentence
  Facts here.  ↵‹Never push => Never push.›\\↵Ask Ann.↵↵- ‹Never ask. => a›<br>Facts.↵
  Facts here.  ↵Never push.\\↵Ask Ann.↵↵- a. <br>Facts.↵
the edges of a source end a sentence: a line, but for the marks around it, and a full stop before a small letter
  Tech: React↵‹Never push => a›↵Runs at five↵↵Facts. ‹npm must not be used. => a› npm is slow.↵↵(Use a)↵(‹Use b => c›) ✓↵(Use c)↵
  Tech: React↵a↵Runs at five↵↵Facts. a. npm is slow.↵↵(Use a)↵c↵(Use c)↵
what introduces a list is no item of it, and its colon stays last, before what it introduces
  Trust this. You must do all of these:↵↵- lint↵↵# H↵↵Do these:↵- lint↵
  Trust this. => Trust. ¦ You must … these: => Do all of these. ¦ Do these: => Do these.↵Reason: r.
  Trust.↵↵Do all of these:↵↵- lint↵↵# H↵↵Do these. r:↵- lint↵
the kind of an alert and a labelled line right below it keep their lines, with several rules too
  > [!NOTE]↵> ‹**Size:** small. => a› ‹Do it. => b›↵> **OS:** any↵
  > [!NOTE]↵> a. b↵> **OS:** any↵
an emoji whose second half is the mark of a removed line stays
  - 👌🏿 A↵- B↵↵🏿↵↵- C 🏿<!-- 🏿 -->. D↵
  B + D => b
  - 👌🏿 A↵- b↵↵🏿↵↵- C 🏿<!-- 🏿 -->.↵
blank lines that meet are one, and a lead-in that is part of the source goes
  > A <!-- x -->↵> **B:** b↵>↵> C↵
  A + B: b => a
  > a <!-- x -->↵>↵> C↵
a bold line keeps its line, in an item and among lines with signs
  * **Style**↵  ‹Use tabs. => a›↵* **Tests** – ‹Run all. => b› ‹Ask. => c›↵↵# H↵↵**So**↵• ‹A => d›↵• ‹B => e›↵**Next**↵• ‹Do f. => f› ‹G => g›↵
  * **Style**↵  a↵* **Tests** –↵  - b↵  - c↵↵# H↵↵**So**↵• d↵• e↵**Next**↵• f↵• g↵
lines with signs, or numbers that are no list, stand for themselves; the last of them may go
  So:↵✅ Use tabs↵❌ Push. Fact.↵↵• A↵• B↵• C↵↵1.1 D. E↵1.2 F↵↵G v↵1.2 H.↵↵# H↵↵• K↵• L↵↵⚠️ M↵
  ✅ Use tabs => a ¦ Push. => b ¦ B => c ¦ D. => d ¦ E => e↵Reason: r ¦ G v 1.2 H. => g ¦ K + L => k ¦ M => m
  So:↵✅ a↵❌ b. Fact.↵↵• A↵• c↵• C↵↵1.1 d. e. r↵1.2 F↵↵g↵↵# H↵↵• k↵↵⚠️ m↵
a reason stays with its rule, unless that brings its own
  - A.↵  Reason: Old↵  one.↵- B and c↵  Reason: r↵- D.↵  Reason: old↵↵Rule: E.↵Reason: r↵
  A. => a ¦ B and c => b ¦ B and c => c ¦ D. => d↵Reason: new ¦ E. => e
  - a.↵  Reason: Old↵  one.↵- b↵- c↵  Reason: r↵- d↵  Reason: new↵↵Rule: e.↵Reason: r↵
the line of an import, or of a title, stays above the sentences of its paragraph
  @docs/a.md↵@docs/b.md↵Please ‹use tabs. => a› ‹Ask. => b›↵↵Style↵‹Use x. => x› ‹Use y => y›↵Next↵
  @docs/a.md↵@docs/b.md↵↵- a↵- b↵↵Style↵↵- x↵- y↵  Next↵
what introduces items, or is a title of them, stays while one of them does, though it is a source, and goes with the last of them
  Never do:↵- A↵- B↵↵1. Always do:↵   - C↵   - D↵↵# H↵↵**Git**↵- Do g↵- Do b↵↵Tests↵↵- Do c↵- Do d↵↵**So**↵• Do e↵• Do f↵↵# I↵↵Never say:↵- P↵- Q↵↵Always say:↵- R↵
  Never do: + A => a ¦ Always do: + D => d ¦ **Git** + Do g => g ¦ Tests + Do c => c ¦ **So** + Do e => e ¦ Never say: + P => p ¦ Never say: + Q => q ¦ R + Always say: => r
  Never do:↵- a↵- B↵↵1. Always do:↵   - C↵   - d↵↵# H↵↵**Git**↵- g↵- Do b↵↵Tests↵↵- c↵- Do d↵↵**e**↵• Do f↵↵# I↵↵- p↵- q↵↵- r↵
a paragraph whose rules restate whole lines of it stays one
  Use a↵No b, please↵Please c↵Try d↵↵Please e. Fact↵Please f.↵↵So↵Use g↵Do h; do i↵↵Use j.↵Use k.↵
  No b, please => No b ¦ Try d => Do d ¦ Please e. => e ¦ Please f. => f ¦ Use g => g ¦ Do h; do i => h ¦ Do h; do i => i ¦ Use j. => j ¦ Use k. => k
  Use a↵No b↵Please c↵Do d↵↵- e. Fact↵- f↵↵So↵↵- g↵- h↵- i↵↵- j↵- k↵
a line begins with a small letter in a script without them, and goes on with one in others
  回答は日本語で↵‹コメントも => a›↵‹git は確認 => b›↵↵日本語で↵‹使用 => c›↵git は↵↵Please do↵‹not push. => d› Fact.↵
  回答は日本語で↵a↵b↵↵日本語で↵c↵git は↵↵d. Fact.↵
keys of settings keep their lines, and one below items is a label
  rules:↵  - ‹A => a›↵  - ‹B => b›↵facts:↵  - C↵↵# H↵↵- id: A↵  text: ‹do a => a›↵  must: yes↵↵style:↵  b: ‹do b => b›↵  c: ‹do c => c›↵
  rules:↵  - a↵  - b↵facts:↵  - C↵↵# H↵↵- id: A↵  text: a↵  must: yes↵↵style:↵  b: b↵  c: c↵
a rule that is sent with a marker, a box or a bold label has those of its item
  - [ ] ‹A => - [ ] **Rule:** a↵**Reason:** r›↵  Reason: q↵1. ‹B => 3. b›↵* ‹C => * c›↵- ‹D => **Rule**: d›↵
  - [ ] a↵  Reason: r↵1. b↵* c↵- d↵
a sign or a lead-in that a rule repeats is there once
  ✅ ‹A => Rule: ✅ a›↵⚠️ ‹B => ⚠️ b›↵↵- **Dates:** ‹C. => **Dates:** c› ‹D. => Rule: Dates: **d** d›↵- Tags: ‹E. => **Tags:** e›↵- **So:** ‹F. => **So: f**›↵- 🔒 **To:** ‹G. => 🔒 **To**: g›↵
  ✅ a↵⚠️ b↵↵- **Dates:**↵  - c↵  - **d** d↵- Tags: e↵- **So:** **So: f**↵- 🔒 **To:** g↵
a bold number, or a letter, is a lead-in
  **1. A.** B.↵↵**2. C.** D.↵↵E. F. G.↵
  A. => a↵Reason: r ¦ B. => b ¦ C. D. => d ¦ F. G. => f
  **1. a.** r. b↵↵**2. d**↵↵E. f↵
a lead-in goes with its words where no rule comes and nothing stands below
  **DE:** A!↵**EN:** B!↵↵E↵↵- **C:** C!↵- **D:** D!↵  - x↵↵**F:** F!↵↵|x|↵|-|↵↵**G:** G!↵↵> q↵
  A! + B! + C! + D! + F! + G! => a
  **DE:** a↵↵E↵↵- **D:**↵  - x↵↵**F:**↵↵|x|↵|-|↵↵**G:**↵↵> q↵
a comment beside restated words stays in its place
  - A. <!-- $& -->↵- B. C. <!-- d -->↵  - x↵- D. <!-- e -->↵
  A. + D. => a↵Reason: r ¦ B. => b ¦ C. => c
  - a. r. <!-- $& -->↵- b↵- c. <!-- d -->↵  - x↵- <!-- e -->↵
a tag before the words is a lead-in; one after them, or a note in brackets, stays after the rule
  - [S-6] ‹Do a. => a›↵- **S-7 (MUST)** ‹Do b. => b›↵- \`S-8\` — ‹Do c. => c›↵- *Tests* - ‹do d. => d›↵- S-9 ‹Do e. => e›↵- File names – ‹do f. => f›↵- It – so – ‹do g. => g›↵- ‹Do h. => h↵Reason: r› [S-1]↵- ‹Do i. => i› (See \`x\`.)↵- ‹Do j. => j› {#c}↵
  - [S-6] a↵- **S-7 (MUST)** b↵- \`S-8\` — c↵- *Tests* - d↵- S-9 e↵- File names – f↵- It – so – g↵- h. r. [S-1]↵- i. (See \`x\`.)↵- j. {#c}↵
lines that each begin with a label stand for themselves, broken by hand or not
  Type: c\\↵Of: ‹do a => a›\\↵To: ‹do b => b›↵↵R1. ‹Do a. => a› ‹Do b. => b›↵‹R2. Do c. => c›↵R3. Do d.↵↵Rule 1: ‹do d => d›↵Rule 2: ‹do e. => e› ‹Do f. => f›↵↵Style: do g↵Tests: ‹do h => h›↵Commits: do i↵↵Good: ‹do j↵Bad: do k => j›↵↵Rule 3: ‹L↵Reason: m => L↵Reason: n›↵↵Must — do l↵May — ‹do m => m›↵↵-- Do n↵-- ‹Do o => o›↵
  Type: c\\↵Of: a\\↵To: b↵↵R1. a. b↵R2. c↵R3. Do d.↵↵Rule 1: d↵Rule 2: e. f↵↵Style: do g↵Tests: h↵Commits: do i↵↵Good: j↵↵Rule 3: L↵Reason: n↵↵Must — do l↵May — m↵↵-- Do n↵-- o↵
lines with labels keep the lines of their reasons
  Rule 1: ‹Do a. => a›↵Reason: r↵Rule 2: ‹Do b. => b↵Reason: t›↵Reason: s↵↵Rule 3: ‹Do c. => c↵Reason: v›↵Reason: u.↵
  Rule 1: a↵Reason: r↵Rule 2: b↵Reason: t↵↵Rule 3: c↵Reason: v↵
several numbers within a line stay in it
  ‹(1) Do a. => a› (2) ‹Do b. => b›↵↵(1) ‹Do c. => c› ‹Do d. => d›↵↵1. Do e. 2. ‹Do f. => f› 3. Do g.↵
  (1) a. (2) b↵↵(1) c. d↵↵1. Do e. 2. f. 3. Do g.↵
words in nested tags are none of code, however deep
  <p>↵  <t>↵    A. Fact.↵  </t>↵  <l x="y">↵    - B. C.↵      more.↵    - D.↵  </l>↵↵  <r>↵    <e>↵      Do e.↵      Do f.↵    </e>↵  </r>↵</p>↵
  A. => a ¦ B. => b ¦ D. => d ¦ Do e. Do f. => e↵Reason: r
  <p>↵  <t>↵    a. Fact.↵  </t>↵  <l x="y">↵    - b. C.↵      more.↵    - d↵  </l>↵↵  <r>↵    <e>↵      e. r↵    </e>↵  </r>↵</p>↵
an answer of several lines keeps its label, and wrapped lines with signs stay wrapped
  **Q: Is it so?**↵A: ‹No, never. => Never.› Ask first, even↵for typos.↵↵Is it so?↵No: ‹never do it, even↵once. => never do it at all, even once.›↵↵• ‹A line that↵  goes on. => A longer line here.› ‹B. => b.›↵• C↵
  **Q: Is it so?**↵A: Never. Ask first, even↵for typos.↵↵Is it so?↵No: never do it at↵all, even once.↵↵• A longer↵  line here.↵• b.↵• C↵
what stands below the line of a sign is indented [verbose]
  • ‹A. => a.↵Reason: r.› ‹B. => b.↵Reason: s.› Fact.↵• ‹C. => c.›↵↵(a) ‹D. => d.↵Reason: t.›↵(b) E↵↵• ‹F. => f.› ‹G. => g.›↵↵-- ‹H. => h.› ‹I. => i.›↵
  • a.↵  Reason: r.↵• b.↵  Reason: s.↵  Fact.↵• c.↵↵(a) d.↵    Reason: t.↵(b) E↵↵• f.↵• g.↵↵-- h.↵-- i.↵
Chinese and Cyrillic numbers of lines stay
  1、使用。‹禁止。 => 不要。›↵2、测试。↵↵（一）‹A。 => a›↵（二）‹B。 => b›↵↵１．C。↵２．‹D。 => d›↵↵① E↵② ‹F => f›↵↵а) ‹G. => g›↵б) H.↵↵1，‹I => i›↵2，J。↵↵1.‹K。 => k›↵2.L↵
  1、使用。不要。↵2、测试。↵↵（一）a↵（二）b↵↵１．C。↵２．d↵↵① E↵② f↵↵а) g↵б) H.↵↵1，i↵2，J。↵↵1.k↵2.L↵
a tag in Chinese brackets is a lead-in, and a line after a comma begins no sentence
  - 【强制】‹使用。 => 必须使用。›↵↵数据，↵‹禁止提交。 => 不要提交。›测试。↵
  - 【强制】必须使用。↵↵不要提交。测试。↵
numbered steps are labels, check boxes without a marker are signs
  Step 1. ‹Do a. => a›↵Step 2. ‹Do b. => b› ‹Do c. => c›↵↵[ ] ‹Do d => d›↵[x] Do e↵
  Step 1. a↵Step 2. b. c↵↵[ ] d↵[x] Do e↵
signs of which one rule has several are none of its own
  - ❌ A↵- ✅ B↵↵❌ C ✅ D↵↵✅ E↵✅ F↵
  ❌ A + ✅ B => b ¦ ❌ C ✅ D => d ¦ E + F => e
  - b↵↵d↵↵✅ e↵
wrapped words are broken at the width of the longest line, what stays keeps its own lines, and lines of one sentence each are not wrapped
  Facts about tea, and↵more of them. ‹Use a. => Always use the first of the letters.›↵It is so. ‹Use b. => Do not use another one.›↵↵‹Use c. => Always use the first of the letters.›↵It is so.↵
  Facts about tea, and↵more of them.↵↵- Always use the↵  first of the↵  letters.↵  It is so.↵- Do not use another↵  one.↵↵Always use the first of the letters.↵It is so.↵
a line with a long address is wrapped as the others are, and so is a reason on a line of its own [verbose]
  Facts about tea, it↵is so. ‹Use b. => Use tea and nothing else.↵Reason: It is all we have.›↵[More](https://example.org/a/very/long/address/that/goes/on/and/on/and/on/and/on/and/on/and/on/and/on/and/on/and/on/and/on).↵
  Facts about tea, it↵is so. Use tea and↵nothing else.↵Reason: It is all↵we have.↵[More](https://example.org/a/very/long/address/that/goes/on/and/on/and/on/and/on/and/on/and/on/and/on/and/on/and/on/and/on).↵
code is not broken, and no line begins with what would begin a block
  Facts are↵here. ‹Use a. => Run \`a b c d\` first, then \`\` e \` f \`\` and g.›↵↵Facts are↵here. ‹Use b. => Use a - b 1. c # d.›↵
  Facts are↵here. Run↵\`a b c d\`↵first, then↵\`\` e \` f \`\`↵and g.↵↵Facts are↵here. Use a -↵b 1. c # d.↵
verbose has a line for each reason, right below its rule [verbose]
  - ‹A. => a.↵Reason: r.› ‹B. => b.↵Reason: s.› Fact.↵↵‹C. => c.↵Reason: t.›↵
  - a.↵  Reason: r.↵- b.↵  Reason: s.↵  Fact.↵↵c.↵Reason: t.↵
a reason is a sentence after its rule, in the language of the file; one that stays next to it is not said again
  - ‹使う。 => 使うこと↵Reason: 速い›↵- ‹Use it => Use "it"↵Reason: It is fast›↵- ‹见文。 => 看文。↵Reason: 快。›↵- Tabs are small; really. ‹use tabs! => Use tabs.↵Reason: Tabs are small.› More.↵
  - 使うこと。速い↵- Use "it." It is fast↵- 看文。快。↵- Tabs are small; really. Use tabs. More.↵
a sentence in bold gives its marks to the rule, unless that has some, and to none of a part of it
  - **A.** B.↵- *C*.↵- __D.__↵- **E, f.**↵- **G** h.↵
  A. + B. => a. ¦ C. => c. ¦ D. => **Never** d. ¦ E => e. ¦ f. => f. ¦ G h. => g.
  - **a.**↵- *c.*↵- **Never** d.↵- **e.**↵- **f.**↵- g.↵
marks that end within the words of a rule are not its own, and a colon after marks stays after them
  - So: *What broke? Why?* + links↵- *E? F?*↵- **G. H** i.↵↵**Never do**:↵- x↵↵**Do:**↵- y↵
  What broke? Why? + links => say what broke. ¦ E? F? => e. ¦ G. H i. => g. ¦ Never do => Never do this: ¦ Do: => Do this:
  - So: say what broke.↵- *e.*↵- g.↵↵**Never do this**:↵- x↵↵**Do this:**↵- y↵
a numbered name of a line within a paragraph stays before its rule
  A fact.↵Rule #1: ‹Do a. => a.› Fact.↵
  A fact.↵Rule #1: a. Fact.↵
a rule that says what stands there changes nothing, one with another name or other words does
  - ‹Use **my** ↵  tabs. => Use my tabs›↵- ‹使用↵  制表。 => 使用制表。›↵- ‹Use myvar. => Use my_var.›↵- ‹Go to the back end. => Go to the backend.›↵
  - Use **my** ↵  tabs.↵- 使用↵  制表。↵- Use my_var.↵- Go to the backend.↵
items of a loose list are loose
  - ‹A. => a.› ‹B. => b.›↵↵- C.↵↵- D.↵
  - a.↵↵- b.↵↵- C.↵↵- D.↵
several rules next to a list, or above indented code, are paragraphs
  - x↵↵‹A. => a.› ‹B. => b.›↵↵C. ‹D. => d.›↵↵- y↵↵E. ‹F. => f.› ‹G. => g.›↵- z↵↵# H↵↵‹H. => h.› ‹I. => i.›↵↵    code↵↵1. ‹J. => j.› ‹K. => k.›↵↵       code↵
  - x↵↵a.↵↵b.↵↵C. d.↵↵- y↵↵E.↵↵f.↵↵g.↵- z↵↵# H↵↵h.↵↵i.↵↵    code↵↵1. j.↵↵   k.↵↵       code↵
several rules below a bold line are a list, and a rule after another sign stays in its line
  **Git**↵‹A. => a.› ‹B. => b.›↵↵✅ ‹C. => c.› ‹D. => d.›↵❌ E.↵↵⚠️ ‹F. => f.› ‹G. => g.›↵
  **Git**↵↵- a.↵- b.↵↵✅ c. d.↵❌ E.↵↵- ⚠️ f.↵- g.↵
rules in the form of SAT keep it
  Rule: ‹A. => Rule: a.↵Reason: s› ‹B. => Rule: b.›↵Reason: r↵↵Rule: ‹C. => Rule: c.›↵
  Rule: a.↵Reason: s↵↵Rule: b.↵Reason: r↵↵Rule: c.↵
a label in bold within a line stays with what follows it, also right after a Chinese full stop
  **原因：** 未初始化。**解决：** ‹消息排队，无需处理。 => 无需处理消息。›↵↵**Cause:** A. **Fix:** ‹Do b. => b.› ‹Do c. => c.› **Note:** D.↵
  **原因：** 未初始化。**解决：** 无需处理消息。↵↵**Cause:** A.↵↵- **Fix:** b.↵- c. **Note:** D.↵
a label stays with the first rule, a fact before the rules with none
  - [A-1] ‹Do a. => a.› ‹Do b. => b.›↵- Fact. ‹Do c. => c.› It is so. ‹Do d. => d.›↵
  - [A-1] a.↵- b.↵- Fact.↵  - c. It is so.↵  - d.↵`

const IN_TEXT = /‹((.*?) => .*?)›/g

test.each(CASES.trim().split(/\n(?! )/).map((lines) => lines.split('\n  ')))(
  '%s',
  (title, marked = '', ...more) => {
    const [after = '', own] = more.reverse()
    const rules = own?.split(' ¦ ') ?? Array.from(marked.matchAll(IN_TEXT), ([, rule = '']) => rule)
    const mode = MODES.find((one) => title!.endsWith(` [${one}]`))
    expect(rewrite(withBreaks(marked.replace(IN_TEXT, '$2')), rules, mode)).toBe(withBreaks(after))
  },
)

const MISSING = { kind: 'missing' }
const barredBy = (where: string) => ({ kind: 'barred', where, line: 1 })

// Others: a story in `test/rewriting/in-place.test.ts`.
const FAULTS: Array<[before: string, source: string, fault: object]> = [
  ['A\n\nB\n', 'A B', MISSING],
  ['cinnopandas\n', 'no pandas', MISSING],
  ['no pandas\n', 'no panda', MISSING],
  ['- A\n- B\n', '- A\n- C', MISSING],
  ['    A\n', 'A', barredBy('code')],
  ['|x|\r\n|-|\r\n|A|\r\n', 'A', barredBy('a table')],
  ['|x|\n|-| \n|A|\n', 'A', barredBy('a table')],
  ['<pre>\nA\n</pre>\n', 'A', barredBy('HTML')],
  ['A\n===\n', 'A', barredBy('a heading')],
  ['<!-- A -->\n', 'A', barredBy('a comment')],
  ['x <!-- A --> y\n', 'A', barredBy('a comment')],
  ['---\nA: A\n---\n', 'A', barredBy('frontmatter')],
  ['A.\r\rB.\r\n\nA.\n', 'A.', { kind: 'ambiguous', lines: [1, 5] }],
]

test.each(FAULTS)('%j has no place for the source %j: %j', (before, source, fault) => {
  expect<Array<object>>(new SourcedText(before, [[], [source]]).faults).toEqual([{
    rule: 1,
    source,
    ...fault,
  }])
})

test.each([
  ['- A.\n- [ ] <br/>\n', '<br/>', '- a\n- [ ] b\n'],
  ['A.\n\nRule:\n\n- x\n', 'Rule:', 'a\n\nb:\n\n- x\n'],
  ['A.\n\nx. 2.\n', '2.', 'a\n\nx. b\n'],
])('%j: in the place of %j alone stands its rule', (before, source, after) => {
  expect(rewrite(before, ['A. => a', `${source} => b`])).toBe(after)
})

test.each([
  ['the marks of hidden characters, with which the file was shown', 'Use\u200B tabs.', 'Use⟦U+200B⟧ tabs.'],
  [
    'accents that the file writes as marks of their own',
    'Täglich für alle.'.normalize('NFD'),
    'Täglich für alle.',
  ],
  ['accents as marks of their own', 'Пробелы й.', 'Пробелы й.'.normalize('NFD')],
])('a source may have %s', (_, sentence, source) => {
  expect(rewrite(`${sentence}\n`, [`${source} => a`])).toBe('a\n')
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
    '# H\n\n- A\n- Never b.\n\nFact. C\n\n```\nx\n```\n\nKeep it (never a. Ask), so be. B, c.\n- [x] D. E.\n\n- **L:** F.\n\n<r>G</r>\n',
    [
      'A => a',
      'C => c',
      'never a. => a',
      'Ask => b',
      'c. => d',
      'B => c',
      'E. => e',
      'A + F. => a',
      'G => g',
    ],
  )
  expect(text.unsourced()).toEqual({
    goes: [{ text: 'Keep it (', line: 12 }, { text: '), so be.', line: 12 }, { text: '**L:**', line: 15 }],
    lines: [[1, 1], [4, 4], [9, 9]],
    pieces: [{ text: 'Fact.', line: 6 }, { text: 'D.', line: 13 }],
    sentences: [{ text: 'Never b.', line: 4 }, { text: 'Fact.', line: 6 }, { text: 'D.', line: 13 }],
  })
})
