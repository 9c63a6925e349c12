/** Applied in order, the calls that the history shows produce the formatted file; notes report the rest. */
import { edit, formatted, LINK, playRows, read, type Row, update, write } from './rows.ts'
import { patch } from './session.ts'
import { storyPerSetting } from './settings.ts'

const USES_B = "import { b } from 'b';\nb(1);\n"
const USES_BOTH = "import { a } from 'a';\nimport { b } from 'b';\nb(1);\na(2);\n"
const ADDS_IMPORT = edit("import { b } from 'b';", "import { b } from 'b';\nimport { a } from 'a'")
const ADDS_CODE = edit('b(1);', 'b(1);\na(2)')
const SORTED_IMPORT = [
  "@@ -1,4 +1,4 @@\n import { a } from 'a';\n-import { d } from 'd'\n",
  " import { c } from 'c';\n+import { d } from 'd';\n a(c, d);",
].join('')
const LOOSE = 'a = 1;\nf( b );\nc = 3;\n'
const FOUND_LOOSELY = [edit('a = 1;', 'a=2'), edit('f(  b  );', 'd=4\ne=5'), edit('c = 3;', 'c=6')]
const TWO = 'a = 1;\nb = 2;\n'
const THREE = 'a = 1;\nb = 2;\nc = 3;\n'
const BLANKS = 'a = 1;\nb = 2;\n\n\nc = 3;\n'

const EDITS: Record<string, Row> = {
  'found.js: a call finds text that two calls before it wrote': [
    null,
    [[write('a=1\nb=2\n'), edit('a=1', 'a=1\nc=1'), edit('b=2', 'b=3'), edit('c=1\nb=3', 'd=4')]],
    'a = 1;\nd = 4;\n',
  ],
  'others.js: lines outside of the calls are reported once': [
    'z=1\n\n\na = 1;\nb = 2;\ny = 2;\n',
    [[edit('a = 1;', 'new = 1;\na=2'), edit('b = 2;', 'b=3')]],
    'z = 1;\n\nnew = 1;\na = 2;\nb = 3;\ny = 2;\n',
    { notes: ['', formatted('@@ -1,3 +1,2 @@\n-z=1\n+z = 1;\n \n-')] },
  ],
  'import.ts: an import that the next call uses is kept': [USES_B, [[ADDS_IMPORT, ADDS_CODE]], USES_BOTH],
  'loose.js: an edit whose place the host finds loosely is corrected, like the others': [
    LOOSE,
    [FOUND_LOOSELY],
    'a = 2;\nd = 4;\ne = 5;\nc = 6;\n',
    { texts: ['a = 2;', 'd = 4;\ne = 5;', 'c = 6;'], onlyIn: 'option' },
  ],
  'loose.txt: an edit whose place the host finds loosely gets no note in a file without a formatter': [
    LOOSE,
    [FOUND_LOOSELY],
    'a=2\nd=4\ne=5\nc=6\n',
    { texts: ['a=2', 'd=4\ne=5', 'c=6'] },
  ],
  'two.js: an edit that creates a file is corrected, and a second edit of it': [
    null,
    [[edit('', 'a=1\n'), edit('a=1', 'a=2\nb=3')]],
    'a = 2;\nb = 3;\n',
    { texts: ['a=1\n', 'a = 2;\nb = 3;'] },
  ],
  // The arguments of a call cannot express these changes, so a note reports them.
  'sorted.ts: an import that was sorted among others is reported': [
    "import { a } from 'a';\nimport { c } from 'c';\na(c, d);\n",
    [[edit("import { a } from 'a';", "import { a } from 'a';\nimport { d } from 'd'")]],
    "import { a } from 'a';\nimport { c } from 'c';\nimport { d } from 'd';\na(c, d);\n",
    { notes: [formatted(SORTED_IMPORT)] },
  ],
  'all.js: places of one edit that were formatted differently are reported': [
    'X;\nf = X;\n',
    [[edit('X', 'x=1', { replaceAll: true })]],
    'x = 1;\nf = x=1;\n',
    { notes: [formatted('@@ -1,2 +1,2 @@\n-x=1;\n+x = 1;\n f = x=1;')] },
  ],
  'same.js: a new text that formatting makes equal to the old one is reported': [
    TWO,
    [[edit('b = 2;', 'b=2')]],
    TWO,
    { notes: [formatted('@@ -1,2 +1,2 @@\n a = 1;\n-b=2\n+b = 2;')] },
  ],
  "crlf.js: texts get the file's line ends": [
    'a = 1;\r\nb = 2;\r\n',
    [[edit('a = 1;\nb = 2;', 'a=1\nc=3')], [edit('c = 3;', 'd=4')]],
    'a = 1;\r\nd = 4;\r\n',
    { texts: ['a = 1;\r\nc = 3;', 'd = 4;'] },
  ],
  'mark.js: a byte-order mark stays': [
    '\uFEFFa = 1;\nb = 2;\n',
    [[edit('b = 2;', 'b=3;\nc=3;'), edit('c=3;', 'c=4;')], [write('d=4\n')]],
    '\uFEFFd = 4;\n',
    { texts: ['b = 3;\nc=3;', 'c = 4;', 'd = 4;\n'] },
  ],
  'other.js: tabs, other alphabets and no line end at the end': [
    '\tf(値段é👩‍👧);\n\t値段é👩‍👧 = 1;',
    [
      [edit('値段é👩‍👧 = 1;', '値段é👩‍👧=2;\n\té=3;'), edit('é=3;', 'é=4;')],
      [edit('é = 4;', 'é=5;')],
    ],
    '\tf(値段é👩‍👧);\n\t値段é👩‍👧 = 2;\n\té = 5;\n',
  ],
  'diff.js: the diff of each call is its own change, formatted': [
    THREE,
    [[edit('a = 1;', 'a=4'), edit('b = 2;', 'b=5\nb2=5'), edit('c = 3;', 'c=6')]],
    'a = 4;\nb = 5;\nb2 = 5;\nc = 6;\n',
    { showsDiffs: true },
  ],
  // An edit that removes text is corrected, and a removed blank line gets no note.
  'lost.js: a line that a formatter removed is reported': [
    'one = 1;\n\ntwo = 2;\n\nthree = 3;\n',
    [[edit('three = 3;', 'three = 3;\none = 1;')], [edit('two = 2;\n\n', '\n\n')], [edit('one = 1;', '')]],
    '\nthree = 3;\n',
    { notes: [formatted('@@ -5,2 +5,1 @@\n three = 3;\n-one = 1;'), '', ''] },
  ],
  // A removed blank line is not reported, so an edit applies with the blank line or without it.
  'is.js: an edit applies that has the lines as they are': [
    BLANKS,
    [[edit('a = 1;', 'a=3')], [edit('b = 2;\n\nc = 3;', 'c=4')]],
    'a = 3;\nc = 4;\n',
    { texts: ['a = 3;', 'c = 4;'] },
  ],
  'was.js: an edit applies that has the lines as they were': [
    BLANKS,
    [[edit('a = 1;', 'a=3')], [edit('b = 2;\n\n\nc = 3;', 'c=4')]],
    'a = 3;\nc = 4;\n',
  ],
  'blank.ts: an edit across unreported blank lines applies after a note on other lines': [
    'b(1);\n\n\nb(2);\n',
    [
      [edit('b(1);', "b(1);\nimport { gone } from 'g'\nb(3)")],
      [edit('b(1);\nb(3);\n\n\nb(2);', 'b(4)')],
    ],
    'b(4);\n',
    { notes: ["FILE was formatted, which dropped words from:\nimport { gone } from 'g'", ''] },
  ],
  'read.js: a read after an edit of its message shows the file as formatted': [
    TWO,
    [
      [edit('a = 1;', 'a=3'), read, edit('b = 2;', 'b=4\nc=5')],
      [edit('a = 3;', 'a=6'), read],
      [edit('b = 4;\nc = 5;', 'b=7')],
    ],
    'a = 6;\nb = 7;\n',
  ],
  'target.js: calls that name the file by a link and by its path change the same file': [
    TWO,
    [[read], [edit('a = 1;', 'a=3', LINK), edit('a=3', 'a=4')], [edit('b = 2;', 'b=5')]],
    'a = 4;\nb = 5;\n',
  ],
}

const PATCHES: Record<string, Row> = {
  'x.js: a patch finds lines that the patches before it added': [
    THREE,
    [
      [
        update('@@', ' a = 1;', '-b = 2;', '+b=4', '+d=5', ' c = 3;'),
        update('@@', ' b=4', '-d=5', '+d=6', '+e=7', ' c = 3;'),
        update('@@', ' d=6', '-e=7', '+e=8'),
      ],
      [update('@@', ' d = 6;', '-e = 8;', '+last=9')],
    ],
    'a = 1;\nb = 4;\nd = 6;\nlast = 9;\nc = 3;\n',
    { notes: 'any' },
  ],
  'named.js: a line that a later patch names stays as it was sent, and the later patch is corrected': [
    THREE,
    [[update('@@', ' a = 1;', '-b = 2;', '+b=4'), update('@@ b=4', '-c = 3;', '+c=5')]],
    'a = 1;\nb = 4;\nc = 5;\n',
    { notes: ['', formatted('@@ -1,3 +1,3 @@\n a = 1;\n-b=4\n+b = 4;\n c = 5;')] },
  ],
  'from.js: a patch moves a file that the one before it changed': [
    'a = 1;\n',
    [[
      update('@@', '-a = 1;', '+a=2', '+b=3'),
      update('*** Move to: to/y.js', '@@', ' a=2', '-b=3', '+b=4'),
      patch('*** Update File: to/y.js', '@@', ' a=2', '-b=4', '+b=5'),
    ]],
    'a = 2;\nb = 5;\n',
    { movedTo: 'to/y.js', notes: 'any' },
  ],
  'before.js: a context line becomes a changed line where it was formatted, before the file is moved': [
    'a = 1;\nb=1\nc = 1;\n',
    [[
      update('@@', '-a = 1;', '+a=2', ' b=1'),
      update('*** Move to: behind.js', '@@', '-c = 1;', '+c=2'),
    ]],
    'a = 2;\nb = 1;\nc = 2;\n',
    { movedTo: 'behind.js', showsDiffs: true },
  ],
  'patched.js: patches by a link and by the path change the same file, and a read shows it formatted': [
    TWO,
    [
      [patch('*** Update File: LINK', '@@', '-a = 1;', '+a=3'), update('@@', '-b = 2;', '+b=4'), read],
      [update('@@', '-a = 3;', '-b = 4;', '+ab=5')],
    ],
    'ab = 5;\n',
  ],
}

storyPerSetting(
  'the history shows edits and writes as formatted; notes report the rest',
  (config, setting) => playRows(config, setting, 'm', EDITS),
)

storyPerSetting(
  'the history shows patches as formatted; notes report the rest',
  (config, setting) => playRows(config, setting, 'gpt-5.2', PATCHES),
)
