/** The English words by which a name in backticks is not claimed to exist, as patterns for whole words. */

/**
 * Words around a name, or in what leads up to it, that make it an example, denied, gone on purpose, another project's, or
 * something that may be there.
 */
export const NOT_CLAIMED_WORDS = [
  // examples
  String.raw`assum\p{L}*|suppos\p{L}*|imagin\p{L}*|hypothetical\p{L}*|placeholders?|e\.?g|examples?`,
  'for instance|such as|like|good:|given|etc|and so on|as follows',
  '(?:kebab|snake|camel|pascal)[-_ ]?case',
  // denied or gone
  String.raw`not?|nothing|\p{L}+n[’']t|cannot|avoid\p{L}*|without|unlike|neither|nor|forb[ai]d\p{L}*`,
  String.raw`banned|prohibit\p{L}*|disallow\p{L}*|refrain\p{L}*|(?:away|out) (?:from|of)|anti-?patterns?`,
  String.raw`bad|wrong|incorrect|never|instead of|rather than|remov\p{L}*|delet\p{L}*|dropped|renam\p{L}*`,
  String.raw`mov(?:e|es|ed|ing)|migrated|replac\p{L}*|supersed\p{L}*|archived|historical\p{L}*|until`,
  String.raw`missing|absent|gone|former\p{L}*|previous\p{L}*|old|legacy|deprecated|obsolete|used to|lived`,
  // perhaps
  String.raw`if|unless|whether|in case|may|might|could|either|any of|whichever|look for|optional\p{L}*`,
  'ignored?|gitignored',
  // later
  String.raw`will|would|planned|propos\p{L}*|roadmap`,
  String.raw`(?:target|desired|expected|ideal) (?:\p{L}+ )?(?:layout|structure|architecture)|todo|soon`,
  'future',
  // somebody else's
  'upstream|(?:other|another|separate|sibling|different) (?:project|repo(?:sitory)?)',
]

/** Words before a name, or in what leads up to it, that make it something yet to be made. */
export const TO_BE_MADE_WORDS = [
  String.raw`creat\p{L}*|introduc\p{L}*|scaffold\p{L}*|generat\p{L}*|emit\p{L}*|outputs?|produc\p{L}*`,
  'named|becomes?|should (?:live|go|be (?:placed|put|kept|stored|added))',
  String.raw`writ\p{L}+ (?:\S+ ){0,4}(?:to|as)`,
  String.raw`(?:sav(?:es?|ed|ing)|cop(?:y|ies)|exports?) (?:\S+ ){0,4}(?:to|as|in|into|under)`,
  String.raw`(?:compil|download|append|render|extract|split)\p{L}* (?:\S+ ){0,4}(?:to|as|in|into|under)`,
]

/** Words behind a name by which it is made by something, is gone, or is there on a condition. */
export const SAID_BEHIND_WORDS = [
  String.raw`(?:is|are|gets?|be|been) (?:\p{L}+ )?(?:created|generated|emitted|produced)`,
  String.raw`(?:is|are|gets?|be|been) (?:\p{L}+ )?(?:written|built|downloaded)`,
  '(?:has|have) been|was|were|exists?',
]

/** Words around a name without an extension that make it none of a file or a folder. */
export const OTHER_KIND_WORDS = [
  'branch(?:es)?|commits?|prefix(?:es|ed)?|labels?|tags?|scopes?|routes?|endpoints?|urls?',
  'packages?|modules?|imports?|images?|repo(?:s|sitory|sitories)?|requests?|prs?|git|worktrees?',
  String.raw`rebas\p{L}*|merg\p{L}*|check(?:s|ed|ing)? ?out`,
]
