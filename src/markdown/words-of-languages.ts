/**
 * Words of other languages than English by which a name is an example, denied, gone, there on a condition, or yet to be
 * made. They count on both sides of a name, for a verb may stand at the end.
 */

const EXAMPLES = [
  String.raw`z\.\s?b|zum beispiel|beispiel\p{L}*|exemples?|exemplos?|ejemplos?|esempio|bijvoorbeeld`,
  'till exempel|na przykład|например|наприклад|örneğin',
]

const DENIED = [
  // German, Dutch
  String.raw`nicht\p{L}?|kein\p{L}*|nie(?:mals)?|vermeid\p{L}*|ohne|(?:an)?statt|niet|geen|nooit|zonder`,
  'in plaats van',
  // French, Spanish, Portuguese, Italian
  String.raw`pas|jamais|aucun\p{L}*|sans|au lieu|[eé]vit\p{L}*|nunca|sin|ning[uú]n\p{L}*|en (?:lugar|vez)`,
  String.raw`não|sem|nenhum\p{L}*|em vez|non(?!-)|mai|senza|invece`,
  // Polish, Swedish, Danish, Norwegian
  'zamiast|inte|ikke|aldrig?',
  // Russian, Ukrainian, Turkish
  String.raw`не|нет|ні|никогда|нельзя|без|вместо|избег\p{L}*|değil|asla|kullanma\p{L}*`,
]

const GONE = [
  String.raw`entfern\p{L}*|gelöscht\p{L}*|umbenannt\p{L}*|verschoben\p{L}*|veraltet\p{L}*|ehemal\p{L}*`,
  String.raw`früher\p{L}*|verwijderd|verouderd\p{L}*|supprim\p{L}*|renomm\p{L}*|déplac\p{L}*|ancien\p{L}*`,
  String.raw`obsol\p{L}*|elimin\p{L}*|borrad\p{L}*|renom\p{L}*|antig\p{L}*|rimoss\p{L}*|usunię\p{L}*`,
  String.raw`удал\p{L}*|переимен\p{L}*|перенес\p{L}*|устар\p{L}*`,
]

const ON_A_CONDITION = [
  String.raw`falls|wenn|sofern|si|se (?:exist|esist)\p{L}*|indien|jeśli|если|якщо`,
]

const TO_BE_MADE = [
  String.raw`(?:er|ge)stell\p{L}*|anleg\p{L}*|angelegt\p{L}*|(?:er|ge)zeug\p{L}*`,
  String.raw`(?:ge|auto)?generier\p{L}*|cré(?:e[rz]?|ons|ée?s?)|génér(?:e[rz]?|ée?s?)|cre[ae][rn]?`,
  String.raw`gener[ae][rn]?|cri(?:e|ar?)|utwórz|созда\p{L}*|генер\p{L}*`,
]

/** Patterns for the words of languages that put blanks between words. */
export const OF_OTHER_LANGUAGES = [...EXAMPLES, ...DENIED, ...GONE, ...ON_A_CONDITION, ...TO_BE_MADE]

/** Finds the words of Chinese, Japanese and Korean, which stand without blanks or with endings. */
export const WITHOUT_BLANKS = new RegExp(
  [
    // examples
    '例|比如|たとえば|예(?:를|시|제|:)',
    // denied
    '不[要得能可应應准许許允再用]|没有|沒有|别[用把再改在]|勿|禁|避|ない|ません|하지|마세요|마십시오|말고|말 것|금지|않|없',
    // gone
    '删|刪|移除|废弃|廢棄|弃用|旧|舊|削除|廃止|以前|삭제|제거|이전|예전|옛',
    // on a condition
    '如果|假如|是否|もし|れば|場合|만약|있으면|경우',
    // yet to be made
    '创建|創建|新建|新增|建立|生成|作成|作る|작성|생성|만들',
  ].join('|'),
  'u',
)
