/** A word of a directive, or what parts its words. */
export type Token = { kind: 'word' | 'comma' | 'break' | 'open' | 'close'; word: string; stem: string }

/** How many characters of a directive are looked at: what comes behind tells nothing more about its strength. */
const MAX_LENGTH = 4_000

// HTTPS is not the plural of HTTP.
const ENDINGS = /(?:ations?|ings?|ied|ies|ed|es|(?<!^http)s)$/

const IRREGULAR: Record<string, string> = {
  broken: 'break',
  built: 'build',
  caught: 'catch',
  chosen: 'choose',
  kept: 'keep',
  made: 'make',
  sent: 'send',
  thrown: 'throw',
  written: 'write',
}

/** The stem that a word shares with its other forms: `using`, `used` and `uses` with `use`. */
export const stemOf = (word: string): string => {
  const lower = word.toLowerCase().replace(/['’]s$/, '').replaceAll('-', '')
  const bare = Object.hasOwn(IRREGULAR, lower) ? IRREGULAR[lower]! : lower
  const ending = ENDINGS.exec(bare)
  const cut = ending !== null && ending.index >= 2 ? bare.slice(0, ending.index) : bare
  const base = ending?.[0].startsWith('ie') ? `${cut}y` : cut
  return base.replace(/(?<=..)e$/, '').replace(/([^aeiou])\1$/, '$1').replace(/y$/, 'i')
}

// What models write in several words, as the one word that it amounts to. Each line sees what those before it made.
// Gaps are bounded, so that a hostile text costs no more than its length.
const PHRASES: Array<[RegExp, string]> = [
  [/[’‘]/g, "'"],
  [/[*_]{2}|`/g, ''],
  [/❌|🚫|⛔/gu, ' never '],
  [/\s(?:--?|–|—)\s|—/g, ' ; '],
  [/\b(do|does|did|is|are|was|were|has|have|had|should|must|would|could|need|might)n'?t\b/g, '$1 not'],
  [/\bwon'?t\b/g, 'will not'],
  [/\bcan'?t\b|\bcannot\b/g, 'can not'],
  [/\bshan't\b/g, 'shall not'],
  [/\b(?:may|might) or (?:may|might) not\b/g, 'may either'],
  [/\b(?:may|can) not\b/g, 'must not'],
  [/\bunder any circumstances?\b|\b(?:at all|ever|please|strictly|explicitly|absolutely)\b/g, ' '],
  [
    /\bwithout (?:any )?(?:exceptions?|fail)\b|\b(?:and |with )?no (?:exceptions?|excuses|matter what)\b/g,
    ' ',
  ],
  [/\bwhether or not\b/g, 'whether'],
  [/\bnot (?:only|just|merely)\b|\b(?:nothing|none) (?:but|except|other than)\b/g, 'only'],
  [/\bno matter (?:whether|which|if)\b/g, 'indifferent'],
  [
    /\b(?:do|does) not (?:really )?(?:matter|care)\b|\bno preference\b|\bnot important (?:whether|if|which)\b/g,
    'indifferent',
  ],
  [
    /\b(?:do|does) not (?:have to|need(?: to)?)\b|\bneeds? (?:not|no)\b|\bno need (?:to|for)\b|\bnot have to\b/g,
    'needless',
  ],
  [
    /\b(?:is |are )?not (?:a )?(?:required|requirement|necessary|needed|mandatory|obligatory|compulsory|a must)\b/g,
    'needless',
  ],
  [/\bno (?:requirement|obligation) (?:to|for)\b|\bnot necessarily\b|\bunnecessary to\b/g, 'needless'],
  [/\bno ([^.,;]{0,120}?) (?:is|are) (?:needed|required|necessary)\b/g, 'needless $1'],
  [/\bno other\b([^.,;]{0,120}?)\bthan\b/g, 'only'],
  [/\bother than\b/g, 'except'],
  [/\b(?:an)?other\b([^.,;]{0,120}?)\bthan\b/g, '$1 except'],
  [/\bno (?:reason|place|room|excuse|justification) (?:to|for)\b/g, 'never'],
  [
    /\b(?:no|not) (?:more|fewer|less|longer|later|greater|larger|deeper|higher) than\b|\bat most\b/g,
    'atmost',
  ],
  [
    /\bunder no circumstances?\b|\b(?:in no|at no|on no|by no) (?:case|way|time|account|means|point|event)\b|\bno longer\b|\bnot? (?:any ?more)\b/g,
    'never',
  ],
  [/\b(?:stay|steer|keep|shy|stays|keeps) (?:well )?(?:away from|clear of)\b|\bsay no to\b/g, 'avoid'],
  [/\b(keep|leave|keeping|leaving)\b([^.;,]{0,120}?)\bout(?: of)?\b/g, 'never include $2 in'],
  [/\b(?:free|devoid|void) (?:of|from)\b/g, 'without'],
  [/\b(?:get(?:ting)? rid of|do away with|move away from)\b/g, 'remove'],
  [/\b(?:instead of|rather than|in place of|as opposed to|in lieu of)\b/g, 'insteadof'],
  [
    /\b((?:prefer|favou?r|choose|use)(?:s|d|red|ed)?\b(?:(?! to | for |[.;,]).){0,120}?) over\b/g,
    '$1 insteadof',
  ],
  [/\bin favou?r of\b/g, ' ; '],
  [
    /\bnot (?:be )?(?:allowed|permitted|acceptable|welcome|tolerated|okay|ok|fine|an option)\b|\boff[- ]limits\b|\ba? ?no-go\b|\bout of the question\b/g,
    'forbidden',
  ],
  [/\bfail(s|ed|ing)? to\b/g, 'neglect'],
  [/\b(?:turn|switch)(?:s|es|ed|ing)?\b([^.;,]{0,120}?) off\b/g, 'disable$1'],
]

/** A text in lower case, its contractions and set phrases as single words. */
export const plainOf = (text: string): string =>
  PHRASES.reduce(
    (plain, [phrase, word]) => plain.replace(phrase, word),
    text.slice(0, MAX_LENGTH).toLowerCase(),
  )

const KINDS: Record<string, Token['kind']> = { ',': 'comma', '(': 'open', ')': 'close' }

const WORDS =
  /[\p{L}\p{N}_$](?:[\p{L}\p{N}_$@/.'-]*[\p{L}\p{N}_$])?|[.,;:!?()\n]|[^\s\p{L}\p{N}.,;:!?()'"]+/gu

/** Words beyond these tell nothing more about a directive. */
const MAX_TOKENS = 400

/** The first words of a plain text, signs such as `==` among them, and what parts them; a dot inside a name is none of that. */
export const tokensOf = (plain: string): Array<Token> =>
  [...plain.matchAll(WORDS)].slice(0, MAX_TOKENS).map(([word]) =>
    /^[.,;:!?()\n]$/.test(word)
      ? { kind: KINDS[word] ?? 'break', word, stem: '' }
      : { kind: 'word', word, stem: stemOf(word) }
  )

const REASON = /(?:^|\n)\s*(?:[-*•]\s*)?[*_]*(?:reason|why|rationale)[*_]*\s*:|\breason:/i

/** What a formatted rule tells to do: without its label, its bullet, its number and its reason. */
export const directiveOf = (formatted: string): string => {
  const start = formatted.slice(0, MAX_LENGTH)
  const reason = REASON.exec(start)
  return (reason === null ? start : start.slice(0, reason.index))
    .replace(/^[ \t]*(?:(?:[-*•+>]|\d+[.)]|\[[ x]\])[ \t]+)*/gim, '')
    .replace(/^[*_]*rule(?: \d+)?[*_]*:[*_]*/gim, '')
    .trim()
}

const STOP_WORDS = new Set(
  'a an the of to in on at for with by from and or as is are be been being it its this that these those any all every each your you we our their them they i must should shall will would do does may can could have has had if when where than then so'
    .split(' '),
)

/** Whether a word tells what a rule is about. */
export const isContent = ({ kind, word }: Token): boolean => kind === 'word' && !STOP_WORDS.has(word)
