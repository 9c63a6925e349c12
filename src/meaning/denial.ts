/** Tells whether a text seems to be English, and whether it has a word that may express a ban. */

// Frequent in English instructions, rare in other languages.
const ENGLISH = new Set(
  `the of for with by and are it that not never only if is before unless about always to be should can must each every
  do don't dont use add run avoid write keep make prefer follow read call put change store create send open give take show
  let allow leave`.split(/\s+/),
)

const withoutCode = (text: string): string => text.replace(/`[^`\n]*`/g, ' ').replaceAll('’', "'")

export const isEnglish = (text: string): boolean => {
  const words = withoutCode(text).toLowerCase().match(/\p{L}+(?:'\p{L}+)?/gu) ?? []
  return words.filter((word) => ENGLISH.has(word)).length > words.length / 8
}

// A ban may also be worded as a limit (`only`), a replacement (`instead`), an end (`stop`) or a fault (`wrong`).
const DENIAL =
  /\b(?:not|never|no|none|nothing|nobody|nowhere|nor|neither|cannot|without|unless|except\w*|only|but|before|until|after|first|than|instead|rather|over|outside|other\w*|avoid\w*|refrain\w*|stop\w*|skip\w*|omit\w*|leav\w*|remov\w*|drop\w*|disabl\w*|forbid\w*|prohibit\w*|ban|bans|banned|den(?:y|ies|ied)|prevent\w*|reject\w*|refus\w*|exclud\w*|replac\w*|ask\w*|out|away|off|free|clear|wrong|bad|limit\w*|at most|un\w+|non-?\w*|\w+less)\b|n't\b|\b(?:do|does|did|ca|wo|would|could|should|must|is|are)nt\b|[❌🚫✗✘⛔⊘]/iu

export const hasDenial = (text: string): boolean => DENIAL.test(withoutCode(text))
