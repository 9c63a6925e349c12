/**
 * SAT corrects a call: in the history, the call then writes the text that the formatter produced.
 * The formatter of .js files turns `a=1` into `a = 1;`, and removes repeated blank lines and later copies of a line.
 * The formatter of .ts files adds semicolons, sorts imports, and removes unused imports and all blank lines.
 */
import { PATCH_MODEL } from '../harness/host.ts'
import { edit, LINK, playRows, read, type Row, update, write } from './rows.ts'
import { patch } from './session.ts'
import { storyPerSetting } from './settings.ts'

const LOOSE = 'a = 1;\nf( b );\nc = 3;\n'
const LOOSE_EDITS = [[edit('a = 1;', 'a=2'), edit('f(  b  );', 'd=4\ne=5'), edit('c = 3;', 'c=6')]]

const EDITS: Record<string, Row> = {
  'found.js: a call can replace text of two earlier calls': [
    [null, 'a = 1;\nd = 4;\n'],
    [[write('a=1\nb=2\n'), edit('a=1', 'a=1\nc=1'), edit('b=2', 'b=3'), edit('c=1\nb=3', 'd=4')]],
  ],
  'others.js: formatted lines that no edit wrote are reported once, in the last answer': [
    ['z=1\n\n\na = 1;\nb = 2;\ny = 2;\n', 'z = 1;\n\nnew = 1;\na = 2;\nb = 3;\ny = 2;\n'],
    [[edit('a = 1;', 'new = 1;\na=2'), edit('b = 2;', 'b=3')]],
    { notes: ['', '@@ -1,3 +1,2 @@\n-z=1\n+z = 1;\n \n-'] },
  ],
  'import.ts: an import that the next call uses is kept': [
    ['import {b};\nb(1);\n', 'import {a};\nimport {b};\nb(1);\na(2);\n'],
    [[edit('import {b};', 'import {b};\nimport {a}'), edit('b(1);', 'b(1);\na(2)')]],
  ],
  // Only in the setting `option`, because the first edit stays as sent if the host formats after each edit.
  'loose.js: an edit is corrected even if its old text has other spaces than the file': [
    [LOOSE, 'a = 2;\nd = 4;\ne = 5;\nc = 6;\n'],
    LOOSE_EDITS,
    { texts: ['a = 2;', 'd = 4;\ne = 5;', 'c = 6;'], onlyIn: 'option' },
  ],
  'loose.txt: without a formatter, no edit is corrected': [
    [LOOSE, 'a=2\nd=4\ne=5\nc=6\n'],
    LOOSE_EDITS,
    { texts: ['a=2', 'd=4\ne=5', 'c=6'] },
  ],
  'two.js: an edit that creates a file stays as it was sent, and the next edit is corrected': [
    [null, 'a = 2;\nb = 3;\n'],
    [[edit('', 'a=1\n'), edit('a=1', 'a=2\nb=3')]],
    { texts: ['a=1\n', 'a = 2;\nb = 3;'] },
  ],
  'sorted.ts: an import that the formatter sorts to another line is reported': [
    ['import {a};\nimport {c};\nacd;\n', 'import {a};\nimport {c};\nimport {d};\nacd;\n'],
    [[edit('import {a};', 'import {a};\nimport {d}')]],
    { notes: ['@@ -1,4 +1,4 @@\n import {a};\n-import {d}\n import {c};\n+import {d};\n acd;'] },
  ],
  'all.js: if only one of two replaced places is formatted, a note reports the change': [
    ['X;\nf = X;\n', 'x = 1;\nf = x=1;\n'],
    [[edit('X', 'x=1', { replaceAll: true })]],
    { notes: ['@@ -1,2 +1,2 @@\n-x=1;\n+x = 1;\n f = x=1;'] },
  ],
  'same.js: an edit that formatting undoes is reported': [
    ['a = 1;\nb = 2;\n', 'a = 1;\nb = 2;\n'],
    [[edit('b = 2;', 'b=2')]],
    { notes: ['@@ -1,2 +1,2 @@\n a = 1;\n-b=2\n+b = 2;'] },
  ],
  "crlf.js: corrected texts have the file's line endings": [
    ['a = 1;\r\nb = 2;\r\n', 'a = 1;\r\nd = 4;\r\n'],
    [[edit('a = 1;\nb = 2;', 'a=1\nc=3')], [edit('c = 3;', 'd=4')]],
    { texts: ['a = 1;\r\nc = 3;', 'd = 4;'] },
  ],
  'mark.js: the byte-order mark of a file stays': [
    ['\uFEFFa = 1;\nb = 2;\n', '\uFEFFd = 4;\n'],
    [[edit('b = 2;', 'b=3;\nc=3;'), edit('c=3;', 'c=4;')], [write('d=4\n')]],
    { texts: ['b = 3;\nc=3;', 'c = 4;', 'd = 4;\n'] },
  ],
  'other.js: edits next to tabs, non-Latin letters and emoji are corrected': [
    ['\tf(値段é👩‍👧);\n\t値段é👩‍👧 = 1;', '\tf(値段é👩‍👧);\n\t値段é👩‍👧 = 2;\n\té = 5;\n'],
    [[edit('値段é👩‍👧 = 1;', '値段é👩‍👧=2;\n\té=3;'), edit('é=3;', 'é=4;')], [edit('é = 4;', 'é=5;')]],
  ],
  'diff.js: the diff of each call shows only its own change, formatted': [
    ['a = 1;\nb = 2;\nc = 3;\n', 'a = 4;\nb = 5;\nb2 = 5;\nc = 6;\n'],
    [[edit('a = 1;', 'a=4'), edit('b = 2;', 'b=5\nb2=5'), edit('c = 3;', 'c=6')]],
    { checksDiffs: true },
  ],
  'lost.js: a line that the formatter removed is reported once; later edits get no note': [
    ['one = 1;\n\ntwo = 2;\n\nthree = 3;\n', '\nthree = 3;\n'],
    [[edit('three = 3;', 'three = 3;\none = 1;')], [edit('two = 2;\n\n', '\n\n')], [edit('one = 1;', '')]],
    { notes: ['@@ -5,2 +5,1 @@\n three = 3;\n-one = 1;', '', ''] },
  ],
  'is.js: after the formatter removed a blank line, an edit whose old text lacks the line applies': [
    ['a = 1;\nb = 2;\n\n\nc = 3;\n', 'a = 3;\nc = 4;\n'],
    [[edit('a = 1;', 'a=3')], [edit('b = 2;\n\nc = 3;', 'c=4')]],
    { texts: ['a = 3;', 'c = 4;'] },
  ],
  'was.js: after the formatter removed a blank line, an edit whose old text has the line applies': [
    ['a = 1;\nb = 2;\n\n\nc = 3;\n', 'a = 3;\nc = 4;\n'],
    [[edit('a = 1;', 'a=3')], [edit('b = 2;\n\n\nc = 3;', 'c=4')]],
  ],
  'blank.ts: if blank lines were removed without a note, an old text with these lines is found': [
    ['b(1);\n\n\nb(2);\n', 'b(4);\n'],
    [[edit('b(1);', "b(1);\nimport { gone } from 'g'\nb(3)")], [edit('b(1);\nb(3);\n\n\nb(2);', 'b(4)')]],
    { notes: ["FILE was formatted, which dropped words from these lines:\nimport { gone } from 'g'", ''] },
  ],
  'read.js: a read after an edit in the same message shows the file as formatted': [
    ['a = 1;\nb = 2;\n', 'a = 6;\nb = 7;\n'],
    [
      [edit('a = 1;', 'a=3'), read, edit('b = 2;', 'b=4\nc=5')],
      [edit('a = 3;', 'a=6'), read],
      [edit('b = 4;\nc = 5;', 'b=7')],
    ],
  ],
  'target.js: calls that name the file by a link and by its path change the same file': [
    ['a = 1;\nb = 2;\n', 'a = 4;\nb = 5;\n'],
    [[read], [edit('a = 1;', 'a=3', LINK), edit('a=3', 'a=4')], [edit('b = 2;', 'b=5')]],
  ],
}

const PATCHES: Record<string, Row> = {
  // The host applies both sections to the original text.
  "twice.js: of a patch's two sections on a file, the second one wins": [
    ['a = 1;\nb = 2;\nc = 3;\n', 'a = 1;\nb = 2;\nc = [4];\n'],
    [[update('@@', '-c = 3;', '+c=[3]', '*** Update File: FILE', '@@', '-c = 3;', '+c=[4]')]],
    { notes: ['@@ -2,2 +2,2 @@\n b = 2;\n-c=[4]\n+c = [4];'], texts: [], onlyIn: 'option' },
  ],
  'x.js: a patch finds lines that earlier patches added': [
    ['a = 1;\nb = 2;\nc = 3;\n', 'a = 1;\nb = 4;\nd = 6;\nlast = 9;\nc = 3;\n'],
    [
      [
        update('@@', ' a = 1;', '-b = 2;', '+b=4', '+d=5', ' c = 3;'),
        update('@@', ' b=4', '-d=5', '+d=6', '+e=7', ' c = 3;'),
        update('@@', ' d=6', '-e=7', '+e=8'),
      ],
      [update('@@', ' d = 6;', '-e = 8;', '+last=9')],
    ],
    { notes: 'any' },
  ],
  'named.js: if a later patch names a line of an earlier patch (`@@ b=4`), only the later patch is corrected':
    [
      ['a = 1;\nb = 2;\nc = 3;\n', 'a = 1;\nb = 4;\nc = 5;\n'],
      [[update('@@', ' a = 1;', '-b = 2;', '+b=4'), update('@@ b=4', '-c = 3;', '+c=5')]],
      { notes: ['', '@@ -1,3 +1,3 @@\n a = 1;\n-b=4\n+b = 4;\n c = 5;'] },
    ],
  'from.js: a patch moves a file that an earlier patch changed': [
    ['a = 1;\n', 'a = 2;\nb = 5;\n'],
    [[
      update('@@', '-a = 1;', '+a=2', '+b=3'),
      update('*** Move to: to/y.js', '@@', ' a=2', '-b=3', '+b=4'),
      patch('*** Update File: to/y.js', '@@', ' a=2', '-b=4', '+b=5'),
    ]],
    { movedTo: 'to/y.js', notes: 'any' },
  ],
  'before.js: if a later patch moves the file, the diffs show a formatted context line as changed': [
    ['a = 1;\nb=1\nc = 1;\n', 'a = 2;\nb = 1;\nc = 2;\n'],
    [[update('@@', '-a = 1;', '+a=2', ' b=1'), update('*** Move to: behind.js', '@@', '-c = 1;', '+c=2')]],
    { movedTo: 'behind.js', checksDiffs: true },
  ],
  'patched.js: patches that name a file by a link and by its path change the same file': [
    ['a = 1;\nb = 2;\n', 'ab = 5;\n'],
    [
      [patch('*** Update File: LINK', '@@', '-a = 1;', '+a=3'), update('@@', '-b = 2;', '+b=4'), read],
      [update('@@', '-a = 3;', '-b = 4;', '+ab=5')],
    ],
  ],
}

storyPerSetting('the history or a note shows how edits and writes were formatted', playRows('m', EDITS))
storyPerSetting('the history or a note shows how patches were formatted', playRows(PATCH_MODEL, PATCHES))
