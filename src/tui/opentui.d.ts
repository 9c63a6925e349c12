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
  type Size = `flex${'Grow' | 'Shrink' | 'Basis'}` | `padding${'Left' | 'Right' | 'Bottom'}`
  type Attributes = Partial<Record<Size | 'gap' | 'minHeight' | 'maxHeight', number>> & {
    children?: unknown
    flexDirection?: 'row'
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
