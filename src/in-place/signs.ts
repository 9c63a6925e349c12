/** What people begin a line with that is no marker of Markdown. */
const BULLETS = '•‣⁃·・※→–—'

/** A bullet that is none of Markdown. Pattern of `v` or `u`. */
export const BULLET = `(?:[${BULLETS}]|--)`

/** Whether a sign is such a bullet. */
export const IS_BULLET = new RegExp(`^${BULLET}$`)

const NUMBERS = String
  .raw`（?[\d０-９一二三四五六七八九十]{1,3}[、．），]|\d\uFE0F?\u20E3|[\u2460-\u249B\u2776-\u2793]|(?:\*\*|__)?\d{1,3}[.)](?=[ \t\p{Lu}\p{Lo}])|(?:\(\w{1,3}\)|[а-яё]\))(?=[ \t])|(?:\d+(?:\.\d+)+\.?|[A-Z]{1,4}-?\d+[.:)])(?=[ \t])`

/** What people begin a line with that is no marker of Markdown: an emoji, a bullet, `(a)`, `1.2`, `R2:`, `[ ]`, `一、`. Pattern of `v` or `u`. */
export const SIGN = String
  .raw`(?:(?:${NUMBERS}|[\p{So}\p{Extended_Pictographic}${BULLETS}][\uFE0F\u200D\p{Emoji_Modifier}]*|--(?=[ \t])|\[[ xX]\](?=[ \t]))[ \t]*){1,9}`
