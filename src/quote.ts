/** A text in quotes, at most so many of its UTF-16 units, as it is shown to a model. */
export const quote = (text: string, length: number): string =>
  JSON.stringify(text.length > length ? `${text.slice(0, length)}…` : text)
