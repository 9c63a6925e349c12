// Types of the two packages that the host provides to a terminal plugin, as far as the panel uses them. Installing
// their own types would install a compiler and native libraries.

declare module 'solid-js' {
  export const createMemo: <T>(compute: () => T) => () => T
  export const createSignal: <T>(
    value: T,
    options?: { equals: (before: T, after: T) => boolean },
  ) => [get: () => T, set: (value: T) => void]
}

declare module '@opentui/solid/jsx-runtime' {
  export namespace JSX {
    type Element = object | string | number | null | Array<Element>
    // The attributes are not checked.
    type IntrinsicElements = Record<'box' | 'scrollbox' | 'text' | 'b', object>
    interface ElementChildrenAttribute {
      children: unknown
    }
  }
}
