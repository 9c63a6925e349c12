// Declares the types that SAT uses from the two packages that the host provides to a terminal plugin. Installing these
// packages would also install a compiler and native libraries.

declare module 'solid-js' {
  export const createMemo: <T>(compute: () => T) => () => T
  export const createSignal: <T>(
    value: T,
    options?: { equals: (before: T, after: T) => boolean },
  ) => [get: () => T, set: (value: T) => void]
}

declare module '@opentui/solid/jsx-runtime' {
  type Attributes = {
    children?: unknown
    flexDirection?: 'row'
    flexGrow?: number
    flexShrink?: number
    gap?: number
    paddingLeft?: number
    paddingRight?: number
    paddingBottom?: number
    flexBasis?: number
    minHeight?: number
    maxHeight?: number
    focused?: boolean
    fg?: object
    wrapMode?: 'none' | 'word'
    onMouseDown?: () => void
    onMouseUp?: () => void
  }

  export namespace JSX {
    type Element = object | string | number | null | Array<Element>
    type IntrinsicElements = Record<'box' | 'scrollbox' | 'text' | 'b', Attributes>
    interface ElementChildrenAttribute {
      children: unknown
    }
  }
}
